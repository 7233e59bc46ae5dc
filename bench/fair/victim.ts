import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import { orderOf, type Request } from './requests.ts';

/** What the victim and the operator use of the service. */
export type Victim = {
  readonly origin: string;
  readonly token: string;
  readonly productId: string;
  readonly orderId: string;
  readonly operatorToken: string;
};

type Endpoint = {
  readonly name: string;
  readonly request: (victim: Victim) => Request;
  /** It is asked for once in so many rounds; a slow one must not take the time of the quick. */
  readonly rounds?: number;
};

const get = (name: string, path: (victim: Victim) => string): Endpoint => ({
  name,
  request: (victim) => ({ method: 'GET', path: `/api/v1${path(victim)}`, token: victim.token }),
});
const ops = (name: string, path: (victim: Victim) => string, rounds = 1): Endpoint => ({
  name: `ops: ${name}`,
  request: (victim) => ({ method: 'GET', path: `/ops/v1${path(victim)}`, token: victim.operatorToken }),
  rounds,
});

const ROUNDS_OF_A_LONG_LIST = 3;
/** A document takes half a second. */
const ROUNDS_OF_A_DOCUMENT = 32;

/** What is measured: each kind of request of a customer, and what an operator does all day. */
const ENDPOINTS: readonly Endpoint[] = [
  {
    name: 'place an order',
    request: ({ token, productId }) => ({ method: 'POST', path: '/api/v1/orders', token, body: orderOf(productId, 2) }),
  },
  {
    name: 'estimate',
    request: ({ token, productId }) => ({
      method: 'POST',
      path: '/api/v1/orders/estimate',
      token,
      body: orderOf(productId, 2),
    }),
  },
  get('read an order', ({ orderId }) => `/orders/${orderId}`),
  get('list orders', () => '/orders?limit=10'),
  get('balance', () => '/account/balance'),
  get('transactions', () => '/account/transactions?limit=10'),
  get('invoice', ({ orderId }) => `/orders/${orderId}/invoice`),
  get('products', () => '/products?limit=10'),
  get('catalogue', () => '/catalog/products'),
  get('stock', () => '/stock?limit=10'),
  get('webhooks', () => '/webhooks'),
  get('events', () => '/events?limit=10'),
  ops('read an order', ({ orderId }) => `/orders/${orderId}`),
  ops('list orders', () => '/orders?limit=10', ROUNDS_OF_A_LONG_LIST),
  ops('stock', () => '/stock?limit=10', ROUNDS_OF_A_LONG_LIST),
  ops('packing slip', ({ orderId }) => `/orders/${orderId}/packing-slip`, ROUNDS_OF_A_DOCUMENT),
];

/** Some requests come after a pause and some at once, so that none keeps step with an attack. */
const PAUSED_SHARE = 0.5;
const PAUSE_MS_MAX = 2;

export type Times = Map<string, { readonly ms: number[]; readonly statuses: Map<number, number> }>;

/** Asks for one endpoint after another with short pauses, over and over, as one customer and one operator do. */
export async function measure(victim: Victim, seconds: number): Promise<Times> {
  const pool = new Pool(victim.origin, { connections: 1, pipelining: 1 });
  const times: Times = new Map(ENDPOINTS.map(({ name }) => [name, { ms: [], statuses: new Map() }]));
  const endsAt = performance.now() + seconds * 1_000;
  for (let round = 0; performance.now() < endsAt; round += 1) {
    for (const { name, request, rounds = 1 } of ENDPOINTS) {
      if (performance.now() >= endsAt) break;
      if (round % rounds !== 0) continue;
      if (Math.random() < PAUSED_SHARE) await delay(Math.random() * PAUSE_MS_MAX);
      const { method, path, token, body } = request(victim);
      const startedAt = performance.now();
      const reply = await pool.request({
        method,
        path,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        body: body === undefined ? null : JSON.stringify(body),
      });
      await reply.body.dump({ limit: Number.POSITIVE_INFINITY });
      const one = times.get(name);
      one?.ms.push(performance.now() - startedAt);
      one?.statuses.set(reply.statusCode, (one.statuses.get(reply.statusCode) ?? 0) + 1);
    }
  }
  await pool.close();
  return times;
}
