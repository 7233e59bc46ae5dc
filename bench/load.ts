import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import type { ApiReady } from './api.ts';
import { orderOf } from './fair/requests.ts';
import { type Quantile, quantile } from './figures.ts';
import { answer } from './service-process.ts';

/** One round of requests of a kind, over keep-alive connections. */
export type LoadRound = {
  readonly kind: 'orders' | 'estimates' | 'order' | 'page';
  readonly seconds: number;
  /** The clients, each of which sends its next request when it has its answer. */
  readonly clients: number;
  /** So many requests a second, whatever the answers are; then `clients` are the most that are under way at once. */
  readonly perSecond?: number;
  /** Over how many accounts. */
  readonly accounts: number;
  /** Lines of the orders that are placed or read; those that are read were placed in a round before. */
  readonly lines: number;
  /** Another server than the service. */
  readonly url?: string;
};

export type LoadResult = {
  readonly done: number;
  readonly seconds: number;
  readonly quantiles: readonly Quantile[];
  /** How many requests were not answered as they should be, and the first such answer. */
  readonly failed: number;
  readonly failure: string;
};

const SHARES = [0.5, 0.75, 0.9, 0.95, 0.99, 0.999];
/** Orders that are read are chosen from so many. */
const KEPT_MAX = 10_000;

type Placed = { readonly id: string; readonly token: string };
type Outcome = { readonly isRight: boolean; readonly text: string };

const api = JSON.parse(process.env.BENCH_API ?? '{}') as ApiReady;
const pools = new Map<string, Pool>();
/** The orders that were placed, by how many lines they have. */
const placed = new Map<number, Placed[]>();

answer(run);
process.send?.({});

async function run(round: LoadRound): Promise<LoadResult> {
  const pool = poolOf(new URL(round.url ?? api.url).origin, round.clients);
  const times: number[] = [];
  const failures: string[] = [];
  const send: Send = async (since, turn) => {
    const { isRight, text } = await request(pool, round, turn);
    if (isRight) times.push(performance.now() - since);
    else failures.push(text);
  };
  const startedAt = performance.now();
  const endsAt = startedAt + round.seconds * 1_000;
  await (round.perSecond === undefined
    ? closedLoop(round.clients, endsAt, send)
    : openLoop(round.perSecond, startedAt, endsAt, send));
  const seconds = (performance.now() - startedAt) / 1_000;
  times.sort((a, b) => a - b);
  return {
    done: times.length,
    seconds,
    quantiles: SHARES.map((share) => ({ share, ms: quantile(times, share) })),
    failed: failures.length,
    failure: failures[0] ?? '',
  };
}

/** A connection for each client. They stay open from one round to the next. */
function poolOf(origin: string, clients: number): Pool {
  const key = `${origin} ${clients}`;
  const pool = pools.get(key) ?? new Pool(origin, { connections: clients, pipelining: 1 });
  pools.set(key, pool);
  return pool;
}

/** Sends a request that counts from a moment on, for the account whose turn it is. */
type Send = (since: number, turn: number) => Promise<void>;

/** Each client keeps its account. */
async function closedLoop(clients: number, endsAt: number, send: Send): Promise<void> {
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      while (performance.now() < endsAt) await send(performance.now(), client);
    }),
  );
}

/** A request counts from when it was due, so that a service that stalls is not spared the requests meanwhile. */
async function openLoop(perSecond: number, startedAt: number, endsAt: number, send: Send): Promise<void> {
  const open = new Set<Promise<void>>();
  for (let turn = 0, dueAt = startedAt; dueAt < endsAt; turn += 1, dueAt += 1_000 / perSecond) {
    const early = dueAt - performance.now();
    if (early > 0) await delay(early);
    const one: Promise<void> = send(dueAt, turn).finally(() => open.delete(one));
    open.add(one);
  }
  await Promise.all(open);
}

async function request(pool: Pool, round: LoadRound, turn: number): Promise<Outcome> {
  const customer = api.customers[turn % Math.min(round.accounts, api.customers.length)];
  if (customer === undefined) throw new Error('there is no account to order for');
  const { kind, lines } = round;
  if (kind === 'orders' || kind === 'estimates') {
    const { statusCode, body } = await pool.request({
      path: kind === 'orders' ? '/api/v1/orders' : '/api/v1/orders/estimate',
      method: 'POST',
      headers: { authorization: `Bearer ${customer.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(orderOf(customer.productId, lines)),
    });
    const text = await body.text();
    if (kind === 'estimates') return { isRight: statusCode === 200, text };
    if (statusCode !== 201) return { isRight: false, text };
    const kept = placed.get(lines) ?? [];
    placed.set(lines, kept);
    if (kept.length < KEPT_MAX) {
      const { id } = JSON.parse(text) as { id: string };
      kept.push({ id, token: customer.token });
    }
    return { isRight: text.includes('"payment_status":"paid"'), text };
  }
  const kept = placed.get(lines) ?? [];
  const order = kept[Math.floor(Math.random() * kept.length)];
  if (order === undefined) throw new Error(`no order of ${lines} lines was placed that could be read`);
  const { statusCode, body } = await pool.request({
    path: kind === 'order' ? `/api/v1/orders/${order.id}` : '/api/v1/orders?limit=25',
    method: 'GET',
    headers: { authorization: `Bearer ${order.token}` },
  });
  if (statusCode === 200) {
    await body.dump();
    return { isRight: true, text: '' };
  }
  return { isRight: false, text: await body.text() };
}
