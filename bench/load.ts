import { randomUUID } from 'node:crypto';
import { Pool } from 'undici';
import type { ApiReady } from './api.ts';
import { answer } from './service-process.ts';

/** One round of requests of a kind, over keep-alive connections, as fast as answers come. */
export type Round = {
  readonly kind: 'orders' | 'estimates' | 'order' | 'page' | 'bytes';
  readonly seconds: number;
  readonly url?: string;
};
export type RoundResult = {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly failed: number;
};

const CONNECTIONS = 32;
/** More pages at once than an account may have are an overload, which the service refuses a part of. */
const CONNECTIONS_FOR_PAGES = 8;

const api = JSON.parse(process.env.BENCH_API ?? '{}') as ApiReady;
const origin = new URL(api.url).origin;
const pool = new Pool(origin, { connections: CONNECTIONS, pipelining: 1 });
const placed: { id: string; token: string }[] = [];

answer(run);
process.send?.({});

async function run(round: Round): Promise<RoundResult> {
  const target = round.url === undefined ? pool : new Pool(round.url, { connections: CONNECTIONS, pipelining: 1 });
  const endsAt = performance.now() + round.seconds * 1_000;
  const times: number[] = [];
  const connections = round.kind === 'page' ? CONNECTIONS_FOR_PAGES : CONNECTIONS;
  let failed = 0;
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: connections }, async (_, lane) => {
      while (performance.now() < endsAt) {
        const sentAt = performance.now();
        const ok = await request(target, round.kind, lane);
        times.push(performance.now() - sentAt);
        if (!ok) failed += 1;
      }
    }),
  );
  const seconds = (performance.now() - startedAt) / 1_000;
  if (target !== pool) await target.close();
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.floor((times.length - 1) * share)] ?? Number.NaN;
  return { perSecond: (times.length - failed) / seconds, p50Ms: at(0.5), p99Ms: at(0.99), failed };
}

async function request(target: Pool, kind: Round['kind'], lane: number): Promise<boolean> {
  const customer = api.customers[lane % api.customers.length];
  if (customer === undefined) throw new Error('there is no account to order for');
  if (kind === 'orders' || kind === 'estimates') {
    const path = kind === 'orders' ? '/api/v1/orders' : '/api/v1/orders/estimate';
    const { statusCode, body } = await target.request({
      path,
      method: 'POST',
      headers: { authorization: `Bearer ${customer.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(orderBody(customer.productId)),
    });
    if (kind === 'estimates' || placed.length >= 10_000) {
      await body.dump();
      return statusCode < 300;
    }
    const order = (await body.json()) as { id: string; payment_status: string };
    if (statusCode === 201) placed.push({ id: order.id, token: customer.token });
    return statusCode === 201 && order.payment_status === 'paid';
  }
  const order = placed[Math.floor(Math.random() * placed.length)];
  if (order === undefined) throw new Error('no order was placed that could be read');
  const { statusCode, body } = await target.request({
    path: kind === 'order' ? `/api/v1/orders/${order.id}` : '/api/v1/orders?limit=25',
    method: 'GET',
    headers: { authorization: `Bearer ${order.token}` },
  });
  await body.dump();
  return statusCode === 200;
}

/** Two lines of stored artwork, each with two of its areas, and a reference of its own. */
function orderBody(productId: string): object {
  return {
    external_reference: randomUUID(),
    items: [line(productId, 'TEE-CLASSIC-BLK-M', 3), line(productId, 'TEE-CLASSIC-WHT-L', 2)],
    shipping_address: {
      contact_name: 'Ada Lovelace',
      line1: '12 St James Square',
      city: 'London',
      postcode: 'SW1Y 4JH',
      country_code: 'GB',
    },
  };
}

function line(productId: string, sku: string, quantity: number): object {
  const printJobs = [
    { area: 'front', method: 'dtg' },
    { area: 'back', method: 'dtf' },
  ];
  return { product_id: productId, variant_sku: sku, quantity, print_jobs: printJobs };
}
