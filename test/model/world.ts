import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { Pool } from 'undici';
import { createAccount } from '../../src/accounts/create-account.ts';
import { createOperator } from '../../src/accounts/create-operator.ts';
import { mintToken } from '../../src/accounts/mint-token.ts';
import type { AppContext } from '../../src/app/context.ts';
import { type Service, startService } from '../../src/app/service.ts';
import { artworkJobs } from '../../src/artwork/jobs.ts';
import { creditAccount } from '../../src/billing/credit-account.ts';
import { seedDemo } from '../../src/bin/seed-demo.ts';
import { SCOPES } from '../../src/lib/caller.ts';
import { readConfig } from '../../src/lib/config.ts';
import { statement } from '../../src/lib/db.ts';
import { publicId, type Uuid } from '../../src/lib/ids.ts';
import { silentLog } from '../../src/lib/log.ts';
import { pence } from '../../src/lib/money.ts';
import { startWorker } from '../../src/lib/queue.ts';
import { setPaymentMethod } from '../../src/payments/method.ts';
import { createAuthority } from '../harness/authority.ts';
import { eventually } from '../harness/context.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { flat } from '../harness/pictures.ts';
import { type Call, type FakeProvider, type Fault, startProvider } from '../harness/provider.ts';
import { startStranger } from '../harness/stranger.ts';
import type { Model, ModelAccount } from './model.ts';
import type { Random } from './random.ts';

// A shop of its own for each history: a database, the service without its workers, the payment provider, a clock that
// stands still until a step moves it, and customers who can pay in different ways.

export type Reply = { readonly status: number; readonly body: Record<string, unknown>; readonly text: string };

/** What is sold: what it is made of, and whether pictures are stored on it. */
export const KINDS = ['tote', 'suit', 'mug', 'tee'] as const;
export type Kind = (typeof KINDS)[number];

const MASTER_OF: Readonly<Record<Kind, string>> = {
  tote: 'TOTE-COTTON',
  suit: 'BODYSUIT-BABY',
  mug: 'MUG-11OZ',
  tee: 'TEE-CLASSIC',
};

/** The variants that are sold of each, and how many of them there are at most at the beginning. */
export const SKUS_OF: Readonly<Record<Kind, readonly string[]>> = {
  tote: ['TOTE-COTTON-NAT', 'TOTE-COTTON-BLK'],
  suit: ['BODYSUIT-BABY-WHT-3-6M'],
  mug: ['MUG-11OZ-WHT'],
  tee: ['TEE-CLASSIC-WHT-M', 'TEE-CLASSIC-BLK-L'],
};
export const SKUS = Object.values(SKUS_OF).flat();

/** The tee's stored designs, the first of which is billed when an order names none. */
export const STORED = [
  { print_area: 'left_sleeve', method: 'embroidery' },
  { print_area: 'neck_label', method: 'dtf' },
] as const;

/** Pictures that come with an order. */
export const PICTURES = 12;

/** How a lost connection is told from an answer: before the provider has done anything, or after. */
export type Trouble = Fault | 'drop' | 'drop after';

export type Shopper = {
  readonly account: ModelAccount;
  readonly id: Uuid;
  readonly token: string;
  readonly products: Record<Kind, string>;
};

export type World = {
  readonly ctx: AppContext;
  readonly model: Model;
  readonly provider: FakeProvider;
  readonly shoppers: readonly Shopper[];
  /** What the service has warned of in this step. */
  readonly warnings: string[];
  readonly shopperOf: (account: ModelAccount) => Shopper;
  readonly pictureUrl: (index: number) => string;
  /** A customer's request below `/api/v1`, an operator's below `/ops/v1`, and a callback of the provider. */
  readonly ask: (shopper: Shopper, method: string, path: string, body?: unknown) => Promise<Reply>;
  readonly operate: (method: string, path: string, body: unknown, key: string | undefined) => Promise<Reply>;
  readonly callBack: (type: string, object: object, secret?: string) => Promise<number>;
  /** Lets the next call of a kind fail during some work. */
  readonly during: <T>(trouble: { call: Call; fault: Trouble } | undefined, work: () => Promise<T>) => Promise<T>;
  readonly makePrintFiles: () => Promise<void>;
  readonly close: () => Promise<void>;
};

/**
 * Later than every rule of the demo's price book begins, so that a history does not hang on the day on which it is
 * lived.
 */
const FIRST_DAY = Date.UTC(2030, 0, 1, 9);
const DAY_MS = 86_400_000;
/** Ids of one process only grow with the time: each history begins after the end of the one before. */
let lastNow = FIRST_DAY;

const PAYERS: readonly { name: string; balancePence: number; method: 'card' | 'direct_debit' | undefined }[] = [
  { name: 'rich', balancePence: 60_000, method: undefined },
  { name: 'careful', balancePence: 6_000, method: undefined },
  { name: 'by card', balancePence: 4_000, method: 'card' },
  { name: 'by direct debit', balancePence: 1_000, method: 'direct_debit' },
  { name: 'penniless', balancePence: 0, method: undefined },
];

/** Opens a shop; stock and balances hang on the draws. */
export async function openWorld(random: Random): Promise<World> {
  const model = newModel(random);
  const warnings: string[] = [];
  const outside = await openOutside();
  const { provider, stranger, database } = outside;
  const { ctx, port, stop } = await openService(outside, model, warnings);
  const http = new Pool(`http://127.0.0.1:${port}`, { connections: 2 });
  const shoppers: Shopper[] = [];
  for (const index of model.accounts.keys()) shoppers.push(await openShopper(ctx, model, provider, index));
  const operator = { email: 'op@shop.example', password: 'a password of the tests', role: 'admin' } as const;
  const { token } = await createOperator(ctx, operator);
  const world: World = {
    ctx,
    model,
    provider,
    shoppers,
    warnings,
    shopperOf: (account) => {
      const found = shoppers.find((shopper) => shopper.account === account);
      assert.ok(found);
      return found;
    },
    pictureUrl: (index) => stranger.url(`/picture-${index}.png`),
    ask: (shopper, method, path, body) => send(http, method, `/api/v1${path}`, shopper.token, body),
    operate: (method, path, body, key = method === 'POST' ? randomUUID() : undefined) =>
      send(http, method, `/ops/v1${path}`, token, body, key),
    callBack: async (type, object, secret) => {
      const options = { at: ctx.clock.now(), ...(secret === undefined ? {} : { secret }) };
      const { body, headers } = provider.callback(type, object, options);
      const answer = await http.request({ method: 'POST', path: '/hooks/stripe', headers, body });
      await answer.body.text();
      return answer.statusCode;
    },
    during: (trouble, work) => duringTrouble(provider, trouble, work),
    makePrintFiles: () => makePrintFiles(ctx),
    close: async () => {
      lastNow = model.now;
      await http.close();
      await stop();
      await provider.close();
      await stranger.close();
      await database.drop();
      await rm(outside.dataDir, { recursive: true, force: true });
    },
  };
  await fill(world);
  return world;
}

function newModel(random: Random): Model {
  return {
    now: lastNow + DAY_MS,
    shipsFinished: random.chance(0.3),
    names: 0,
    accounts: PAYERS.map(({ name, balancePence, method }) => ({
      name,
      balancePence: Math.round((balancePence * random.between(50, 150)) / 100),
      hasMethod: method !== undefined,
      relying: new Set(),
      topUps: new Map(),
    })),
    orders: [],
    shelves: new Map(SKUS.map((sku) => [sku, { onHand: random.between(5, 70), allocated: 0 }])),
    files: new Set(),
    touched: new Set(),
  };
}

type Outside = Awaited<ReturnType<typeof openOutside>>;

/** The database and the strangers: a payment provider and a host of pictures. */
async function openOutside() {
  const database = await createTestDatabase();
  await hurry(database);
  const dataDir = await mkdtemp(join(tmpdir(), 'platen-model-'));
  const authority = createAuthority();
  const stranger = await startStranger({ authority, hostnames: ['art.example.test'] });
  for (let index = 0; index < PICTURES; index += 1) {
    const body = await flat(300, 260 + index, '#a05030')
      .png()
      .toBuffer();
    stranger.serve(`/picture-${index}.png`, { body, headers: { 'content-type': 'image/png' } });
  }
  return { database, dataDir, authority, stranger, provider: await startProvider() };
}

async function openService(outside: Outside, model: Model, warnings: string[]): Promise<Service> {
  const { database, dataDir, authority, stranger, provider } = outside;
  const warn = (fields: object, message: string): number => warnings.push(`${message} ${JSON.stringify(fields)}`);
  const config = readConfig({
    PORT: '0',
    DATA_DIR: dataDir,
    TRUSTED_PRIVATE_HOSTS: stranger.hostPort,
    SECRET_KEY: 'a secret key of the tests, long enough',
    SHIP_REQUIRES: model.shipsFinished ? 'finished' : 'started',
    RATE_LIMIT_TOKEN_PER_MINUTE: '0',
    RATE_LIMIT_IP_PER_MINUTE: '0',
    ...provider.env,
  });
  return startService({
    config,
    address: database.address,
    secretKey: config.secretKey ?? '',
    log: { ...silentLog, warn, error: warn },
    role: 'api',
    prepare: async (ctx) => {
      await seedDemo(ctx);
    },
    outside: {
      clock: { now: () => new Date(model.now), steadyMs: () => 0, follow: () => {} },
      outbound: { extraAuthority: authority.caPem, resolve: async () => [{ address: '127.0.0.1', family: 4 }] },
    },
  });
}

async function openShopper(ctx: AppContext, model: Model, provider: FakeProvider, index: number): Promise<Shopper> {
  const [account, payer] = [model.accounts[index], PAYERS[index]];
  assert.ok(account && payer);
  const id = await createAccount(ctx, { name: account.name });
  const { token } = await mintToken(ctx, { accountId: id, scopes: SCOPES });
  if (account.balancePence > 0) {
    await creditAccount(ctx, { accountId: id, amountPence: pence(account.balancePence), reference: '' });
  }
  if (payer.method !== undefined) {
    const reference = `pm_${index}`;
    if (payer.method === 'direct_debit') provider.methods.set(reference, { type: 'bacs_debit', customer: 'cus_2' });
    await setPaymentMethod(ctx, { accountId: id, kind: payer.method, reference });
  }
  return { account, id, token, products: { tote: '', suit: '', mug: '', tee: '' } };
}

/** Makes each customer's products, and puts on the shelves what the model has there. */
async function fill({ ctx, model, shoppers, ask, operate, pictureUrl }: World): Promise<void> {
  const { baseProducts } = await ctx.catalogue.latest();
  const areas = STORED.map((area) => ({ ...area, artwork_url: pictureUrl(0) }));
  for (const shopper of shoppers) {
    for (const kind of KINDS) {
      const base = baseProducts.find(({ entry }) => entry.master_sku === MASTER_OF[kind]);
      assert.ok(base);
      const made = await ask(shopper, 'POST', '/products', {
        base_product_id: publicId('bprod', base.id),
        name: kind,
        variant_skus: SKUS_OF[kind],
        ...(kind === 'tee' ? { decoration: { areas } } : {}),
      });
      assert.equal(made.status, 201, made.text);
      shopper.products[kind] = String(made.body.id);
    }
  }
  const items = [...model.shelves].map(([sku, { onHand }]) => ({ sku, on_hand: onHand }));
  const counted = await operate('POST', '/stock/counts', { items }, undefined);
  assert.equal(counted.status, 201, counted.text);
}

async function send(
  http: Pool,
  method: string,
  path: string,
  token: string,
  body: unknown,
  key?: string,
): Promise<Reply> {
  const answer = await http.request({
    method,
    path,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const text = await answer.body.text();
  return { status: answer.statusCode, text, body: JSON.parse(text) as Record<string, unknown> };
}

/** Nothing here is killed: a commit need not wait for the disk. */
async function hurry({ address }: TestDatabase): Promise<void> {
  const client = new pg.Client(address);
  await client.connect();
  await client.query(`alter database ${address.database} set synchronous_commit = off`);
  await client.end();
}

/**
 * A connection that is cut hangs first, until somebody lets it go; and again, since the provider's library then asks
 * once more.
 */
async function duringTrouble<T>(
  provider: FakeProvider,
  trouble: { call: Call; fault: Trouble } | undefined,
  work: () => Promise<T>,
): Promise<T> {
  if (trouble === undefined) return work();
  const { call, fault } = trouble;
  const isCut = fault === 'drop' || fault === 'drop after';
  provider.fail(call, ...(fault === 'drop' ? HANGS : fault === 'drop after' ? HANGS_AFTER : [fault]));
  const timer = isCut ? setInterval(provider.letGo, 2) : undefined;
  try {
    return await work();
  } finally {
    clearInterval(timer);
    provider.fail(call);
  }
}

const HANGS: readonly Fault[] = ['hang', 'hang'];
const HANGS_AFTER: readonly Fault[] = ['hang after', 'hang after'];

const JOBS_LEFT = statement<{ count: number }>('model_jobs', 'select count(*) from job');

/** Lets the worker make every print file that is asked for. */
async function makePrintFiles(ctx: AppContext): Promise<void> {
  const { database, clock, log } = ctx;
  const worker = startWorker({ database, clock, log, handlers: artworkJobs(ctx), pollMs: 10 });
  try {
    const isDone = async (): Promise<boolean> => (await database.one(JOBS_LEFT, []))?.count === 0;
    await eventually('every print file is made', isDone, 120_000);
  } finally {
    await worker.stop(30_000);
  }
}
