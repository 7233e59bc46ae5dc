import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DemoReport } from '../../src/bin/seed-demo.ts';
import type { CreatedOrder } from '../../src/orders/schema.ts';
import { createAuthority } from '../harness/authority.ts';
import { noise } from '../harness/pictures.ts';
import {
  freePort,
  type Hardship,
  platenJson,
  runPlaten,
  type ServiceProcess,
  startServiceProcess,
} from '../harness/process.ts';
import { HOME, newReference } from '../harness/shop.ts';
import { type Stranger, startStranger } from '../harness/stranger.ts';

// A real service on the embedded database, with customers who keep account of what was acknowledged to them.

const SKU = 'TEE-CLASSIC-WHT-M';
const BALANCE_POUNDS = 10_000_000;
/** What `platen seed demo` gives the account. */
const DEMO_BALANCE_POUNDS = 5_000;

export type NightShop = {
  readonly folder: string;
  readonly dataDir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stranger: Stranger;
  /** The running service; started again by `supervise` when it ended. */
  readonly service: () => ServiceProcess;
  readonly start: (hardship?: Hardship) => Promise<void>;
  /** Starts it again whenever it ends, as systemd does; returns how often it did so, at its end. */
  readonly supervise: (hardship?: Hardship) => { readonly end: () => Promise<number> };
  readonly load: (lanes: number) => Load;
  /** Does something at the close, once the service has ended: a disk is unmounted before its folder goes. */
  readonly atClose: (work: () => void) => void;
  readonly close: () => Promise<void>;
};

/** What customers did: each reference with what was answered to it, if anything was. */
export type Load = {
  readonly placed: ReadonlyMap<string, CreatedOrder>;
  readonly sent: ReadonlySet<string>;
  /** Answers by status; 0 is a connection that failed. */
  readonly statuses: ReadonlyMap<number, number>;
  readonly stop: () => Promise<void>;
};

/** Opens a shop in a folder of its own; `prepare` may mount a disk where its data will lie. */
export async function openNightShop(
  parent: string,
  options: { readonly env?: Record<string, string>; readonly prepare?: (dataDir: string) => Promise<void> } = {},
): Promise<NightShop> {
  const folder = await mkdtemp(join(parent, 'platen-night-'));
  const dataDir = join(folder, 'data');
  await options.prepare?.(dataDir);
  const authority = createAuthority();
  const stranger = await startStranger({ authority, hostnames: ['127.0.0.1'] });
  stranger.serve('/hooks', { status: 200 });
  const pictures = await Promise.all(
    [1, 2, 3].map((at) =>
      noise(500 + at, 500)
        .png()
        .toBuffer(),
    ),
  );
  for (const [at, body] of pictures.entries()) stranger.serve(`/art-${at}.png`, { body });
  const env = {
    DATA_DIR: dataDir,
    PORT: String(await freePort()),
    WEBHOOK_FLUSH_SECONDS: '0',
    RATE_LIMIT_TOKEN_PER_MINUTE: '0',
    RATE_LIMIT_IP_PER_MINUTE: '0',
    TRUSTED_PRIVATE_HOSTS: stranger.hostPort,
    NODE_EXTRA_CA_CERTS: await authority.writeCa(folder),
    LOG_LEVEL: 'warn',
    SELLER_NAME: 'A Shop',
    ...options.env,
  };
  const demo = await platenJson<DemoReport>(['seed', 'demo', '--small'], env);
  await platenJson(['account', 'credit', '--account', demo.account_id, '--amount', String(BALANCE_POUNDS)], env);
  await platenJson(['stock', 'set', '--sku', SKU, '--on-hand', '900000'], env);
  let running: ServiceProcess | undefined;
  const endings: (() => void)[] = [];
  const start = async (hardship: Hardship = {}): Promise<void> => {
    running = await startServiceProcess(env, [], hardship);
  };
  const service = (): ServiceProcess => {
    assert.ok(running);
    return running;
  };
  return {
    folder,
    dataDir,
    env,
    stranger,
    service,
    start,
    supervise: (hardship) => supervise(service, () => start(hardship)),
    atClose: (work) => endings.push(work),
    load: (lanes) => startLoad(`http://127.0.0.1:${env.PORT}`, demo, stranger, lanes),
    close: async () => {
      if (running?.isRunning() === true) await running.stop();
      await stranger.close();
      for (const work of endings) work();
      await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}

function supervise(service: () => ServiceProcess, start: () => Promise<void>) {
  const over = new AbortController();
  let restarts = 0;
  const loop = async (): Promise<void> => {
    while (!over.signal.aborted) {
      if (!service().isRunning()) {
        restarts += 1;
        await start().catch(() => undefined);
      }
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  };
  const ended = loop();
  return {
    end: async () => {
      over.abort();
      await ended;
      return restarts;
    },
  };
}

function startLoad(url: string, demo: DemoReport, stranger: Stranger, lanes: number): Load {
  const placed = new Map<string, CreatedOrder>();
  const sent = new Set<string>();
  const statuses = new Map<number, number>();
  const over = new AbortController();
  const place = async (reference: string, at: number): Promise<boolean> => {
    const areas = [{ print_area: 'front', method: 'dtg', artwork_url: stranger.url(`/art-${at % 3}.png`) }];
    const decoration = at % 10 === 0 ? { decoration: { areas } } : {};
    const item = { product_id: demo.products.fixed, variant_sku: SKU, quantity: 1 + (at % 3), ...decoration };
    const reply = await send(url, demo.token, 'POST', '/orders', {
      items: [item],
      shipping_address: HOME,
      external_reference: reference,
    });
    statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
    if (reply.status === 200 || reply.status === 201) placed.set(reference, reply.body as CreatedOrder);
    else assert.ok(MAY_HAPPEN.has(reply.status), `${reply.status} ${JSON.stringify(reply.body)}`);
    return placed.has(reference);
  };
  const failures: unknown[] = [];
  const lane = async (): Promise<void> => {
    for (let at = 0; !over.signal.aborted; at += 1) {
      const reference = newReference();
      sent.add(reference);
      // A careful customer repeats until there is an answer.
      for (let tries = 0; !(await place(reference, at)) && !over.signal.aborted; tries += 1)
        await pause(Math.min(1_000, 50 * tries));
      await pause(20);
    }
  };
  const running = Array.from({ length: lanes }, () => lane().catch((error: unknown) => failures.push(error)));
  return {
    placed,
    sent,
    statuses,
    stop: async () => {
      over.abort();
      await Promise.all(running);
      if (failures.length > 0) throw failures[0];
    },
  };
}

/** A connection that failed, a service that is busy or away. */
const MAY_HAPPEN: ReadonlySet<number> = new Set([0, 503]);

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Sends a request of the demo customer; status 0 when no answer came. */
async function send(url: string, token: string, method: string, path: string, body?: object) {
  try {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      signal: AbortSignal.timeout(40_000),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  } catch {
    return { status: 0, body: undefined };
  }
}

/** How much was proved of a load. */
export type Proof = { readonly orders: number; readonly unanswered: number; readonly checks: number };

/**
 * Proves a load against the database of a shop that runs again.
 * Every acknowledged order is there, once and under its id; one that was never answered is there once or not at all;
 * the ledger has charged the sum of what is there, and `platen verify` finds nothing broken.
 */
export async function prove(shop: NightShop, load: Load, query: <Row>(text: string) => Promise<Row[]>): Promise<Proof> {
  const rows = await query<{ reference: string; id: string; pence: number }>(
    `select external_reference as reference, id::text as id, total_pence::int as pence from orders
     where external_reference is not null`,
  );
  const found = new Map<string, number>();
  for (const { reference } of rows) found.set(reference, (found.get(reference) ?? 0) + 1);
  const lost = [...load.placed.keys()].filter((reference) => found.get(reference) !== 1);
  assert.deepEqual(lost, [], 'acknowledged orders that are not there once');
  const strange = [...found].filter(([reference, times]) => times !== 1 || !load.sent.has(reference));
  assert.deepEqual(strange, [], 'orders that are there twice, or that were never sent');
  const [books] = await query<{ cost: number; paid: number }>(
    `select (select coalesce(sum(total_pence), 0)::float8 from orders) as cost,
       ${(BALANCE_POUNDS + DEMO_BALANCE_POUNDS) * 100} - (select sum(balance_pence)::float8 from account_balance) as paid`,
  );
  assert.equal(books?.paid, books?.cost, 'what the balance paid is what the orders cost, once each');
  const verified = await runPlaten(['verify', '--json'], shop.env, '', 300_000);
  assert.equal(verified.status, 0, verified.stdout + verified.stderr);
  const { checks } = JSON.parse(verified.stdout) as { checks: readonly unknown[] };
  return { orders: load.placed.size, unanswered: load.sent.size - load.placed.size, checks: checks.length };
}
