import { setTimeout as delay, setImmediate as nextRound } from 'node:timers/promises';
import { Pool } from 'undici';
import type { ApiReady } from '../api.ts';
import { answer, cpuSecondsSince } from '../service-process.ts';
import { orderOf } from './requests.ts';

/** Orders of many accounts: `perSecond` of them whatever the answers are, or as fast as answers come. */
export type LoadOrder = { readonly seconds: number; readonly perSecond: number | undefined };

export type LoadReport = {
  readonly perSecond: number;
  readonly acceptedMs: readonly number[];
  readonly refusedMs: readonly number[];
  readonly failed: number;
  /** The processors that the load itself used. */
  readonly processors: number;
  /** Orders a second that were really offered. */
  readonly offeredPerSecond: number;
};

const CONNECTIONS = 32;
/** What is measured begins once the load has been on for so long. */
const WARM_UP_SECONDS = 3;

const api = JSON.parse(process.env.BENCH_API ?? '{}') as ApiReady;
const pool = new Pool(new URL(api.url).origin, { connections: 512, pipelining: 1 });

answer(run);
process.send?.({});

async function run({ seconds, perSecond }: LoadOrder): Promise<LoadReport> {
  const startedAt = performance.now();
  const cpuBefore = process.cpuUsage();
  const measuredFrom = startedAt + WARM_UP_SECONDS * 1_000;
  const endsAt = measuredFrom + seconds * 1_000;
  const acceptedMs: number[] = [];
  const refusedMs: number[] = [];
  let failed = 0;
  let sent = 0;
  const place = async (): Promise<void> => {
    const customer = api.customers[sent % api.customers.length];
    if (customer === undefined) throw new Error('there is no account to order for');
    sent += 1;
    const sentAt = performance.now();
    const status = await send(customer);
    const isMeasured = sentAt >= measuredFrom && sentAt < endsAt;
    if (!isMeasured) return;
    if (status === 201) acceptedMs.push(performance.now() - sentAt);
    else if (status === 503) refusedMs.push(performance.now() - sentAt);
    else failed += 1;
  };
  if (perSecond === undefined) {
    await Promise.all(
      Array.from({ length: CONNECTIONS }, async () => {
        while (performance.now() < endsAt) await place();
      }),
    );
  } else {
    const open = new Set<Promise<void>>();
    for (let at = startedAt; at < endsAt; at += 1_000 / perSecond) {
      // A timer takes a millisecond at least, in which more than one is due.
      const waitMs = at - performance.now();
      await (waitMs > 1 ? delay(waitMs) : nextRound());
      const one: Promise<void> = place().finally(() => open.delete(one));
      open.add(one);
    }
    await Promise.all(open);
  }
  const processors = cpuSecondsSince(cpuBefore) / ((performance.now() - startedAt) / 1_000);
  const offeredPerSecond = (acceptedMs.length + refusedMs.length + failed) / seconds;
  return { perSecond: acceptedMs.length / seconds, acceptedMs, refusedMs, failed, processors, offeredPerSecond };
}

async function send(customer: ApiReady['customers'][number]): Promise<number> {
  const { statusCode, body } = await pool.request({
    path: '/api/v1/orders',
    method: 'POST',
    headers: { authorization: `Bearer ${customer.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(orderOf(customer.productId, 2)),
  });
  await body.dump();
  return statusCode;
}
