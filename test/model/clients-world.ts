import { createAccount } from '../../src/accounts/create-account.ts';
import { createOperator } from '../../src/accounts/create-operator.ts';
import { mintToken } from '../../src/accounts/mint-token.ts';
import type { AppContext } from '../../src/app/context.ts';
import { creditAccount } from '../../src/billing/credit-account.ts';
import type { PaymentMethodKind } from '../../src/billing/postings.ts';
import { setStock } from '../../src/catalogue/set-stock.ts';
import { statement } from '../../src/lib/db.ts';
import { ApiError } from '../../src/lib/errors.ts';
import type { Uuid } from '../../src/lib/ids.ts';
import { parseId } from '../../src/lib/ids.ts';
import { pence } from '../../src/lib/money.ts';
import { setPaymentMethod } from '../../src/payments/method.ts';
import { settleWaitingOrders } from '../../src/payments/settle-waiting.ts';
import { checkAnswer, checkOpsAnswer } from '../harness/contract.ts';
import type { FakeProvider } from '../harness/provider.ts';
import type { Intention } from './clients-intentions.ts';

/** The shelf that all clients take from: little enough for it to run short. */
export const SKUS = ['TEE-CLASSIC-WHT-S', 'TEE-CLASSIC-WHT-M', 'TEE-CLASSIC-WHT-L'] as const;
const ON_HAND_AT_FIRST = 40;

/** Clients that act at once; each is a customer of every account, and an operator of its own. */
export const CLIENTS = 8;

/** A request is given up after this time: far longer than the service may take. */
const ANSWER_WITHIN_MS = 60_000;

export type Account = {
  readonly id: Uuid;
  readonly token: string;
  readonly productId: string;
  /** Whether its product is printed, or plain. */
  readonly isPrinted: boolean;
  /** Without a card or direct debit an order is never under way at the provider. */
  readonly hasMethod: boolean;
  readonly openingPence: number;
};

type Operator = { readonly email: string; readonly token: string };

/** What the clients have been told of an order for certain, and what can never be undone. */
export type Facts = {
  isPaid: boolean;
  /** Its first line has started: it is not held or promoted any more. */
  isBegun: boolean;
  /** Dispatched, or cancelled. */
  isGone: boolean;
  isCancelled: boolean;
};

export type KnownLine = {
  readonly id: string;
  readonly sku: string;
  readonly quantity: number;
  /** As an operator last saw it. */
  isStarted: boolean;
  left: number;
};

export type KnownOrder = {
  readonly id: string;
  readonly account: Account;
  readonly externalReference: string | undefined;
  lines: readonly KnownLine[];
  state: string;
  readonly facts: Facts;
  readonly shipments: Set<string>;
  readonly payments: Set<string>;
};

export type Reply = {
  readonly status: number;
  /** Of a refusal. */
  readonly code: string | undefined;
  readonly body: unknown;
  /** When it came, by the service's clock. */
  readonly at: Date;
};

/** A request as it goes out, the same each time. */
export type Call = {
  readonly door: 'api' | 'ops' | 'hook';
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly path: string;
  readonly token?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
};

/** One thing that a client did, and what it was told: the journal that the database is held against. */
export type Entry = {
  readonly intention: Intention;
  readonly client: number;
  readonly kind: Intention['kind'];
  readonly key: string;
  readonly order: KnownOrder | undefined;
  readonly account: Account | undefined;
  /** What was certain when it was sent for the first time. */
  readonly facts: Readonly<Facts> | undefined;
  /** What it is about, for the books: a line, pieces, pence. */
  readonly lineId?: string;
  readonly items?: readonly { readonly id: string; readonly quantity: number }[];
  readonly amountPence?: number;
  readonly replies: Reply[];
  /** Sent and never answered so often. */
  lost: number;
  /** Of these, so often it was told to come back. */
  busy: number;
};

export type World = {
  readonly ctx: AppContext;
  readonly provider: FakeProvider;
  /** Where the service answers now. */
  readonly url: () => string;
  readonly accounts: readonly Account[];
  readonly operators: readonly Operator[];
  readonly orders: KnownOrder[];
  readonly byId: Map<string, KnownOrder>;
  /** Orders to be placed, by reference: two clients may want the same one placed. */
  readonly wanted: { reference: string; account: Account; body: object }[];
  readonly journal: Entry[];
  /** Callbacks that the service could not act on: the provider calls again. */
  readonly owedCallbacks: Call[];
  /** Intents that were declined and paid late all the same. */
  readonly lateIntents: Set<string>;
};

const DEMO_ACCOUNT = statement<{ id: Uuid }>(
  'clients_demo_account',
  "select id from account where name = 'Demo Print Club'",
);
const BALANCE = statement<{ balance_pence: number }>(
  'clients_balance',
  'select balance_pence from account_balance where account_id = $1',
);

/** Opens accounts, operators and a scarce shelf on a service with the demo data. */
export async function openWorld(options: {
  ctx: AppContext;
  provider: FakeProvider;
  url: () => string;
  demo: { readonly token: string; readonly products: { readonly fixed: string } };
}): Promise<World> {
  const { ctx, provider, url, demo } = options;
  for (const sku of SKUS)
    await setStock(ctx, { sku, onHand: ON_HAND_AT_FIRST, reason: 'first count', actor: 'clients' });
  const demoAccount = await ctx.database.one(DEMO_ACCOUNT, []);
  if (demoAccount === undefined) throw new Error('the demo account is not there');
  const balance = await ctx.database.one(BALANCE, [demoAccount.id]);
  const printed = {
    id: demoAccount.id,
    token: demo.token,
    productId: demo.products.fixed,
    isPrinted: true,
    hasMethod: false,
    openingPence: balance?.balance_pence ?? 0,
  };
  const accounts = [
    printed,
    await openPlainAccount(ctx, url(), { openingPence: 1_500, method: 'card' }),
    await openPlainAccount(ctx, url(), { openingPence: 0, method: 'direct_debit', provider }),
    await openPlainAccount(ctx, url(), { openingPence: 10_000 }),
  ];
  const operators: Operator[] = [];
  for (let client = 0; client < CLIENTS; client += 1) {
    const email = `client-${client}@shop.example`;
    operators.push(await createOperator(ctx, { email, password: 'a password of the tests', role: 'admin' }));
  }
  return {
    ctx,
    provider,
    url,
    accounts,
    operators,
    orders: [],
    byId: new Map(),
    wanted: [],
    journal: [],
    owedCallbacks: [],
    lateIntents: new Set(),
  };
}

async function openPlainAccount(
  ctx: AppContext,
  url: string,
  options: { openingPence: number; method?: PaymentMethodKind; provider?: FakeProvider },
): Promise<Account> {
  const { openingPence, method, provider } = options;
  const id = await createAccount(ctx, { name: `Clients ${method ?? 'balance'}` });
  if (openingPence > 0)
    await creditAccount(ctx, { accountId: id, amountPence: pence(openingPence), reference: 'opening' });
  const { token } = await mintToken(ctx, { accountId: id });
  if (method !== undefined) {
    const reference = `pm_clients_${method}`;
    provider?.methods.set(reference, { type: 'bacs_debit', customer: 'cus_clients' });
    await setPaymentMethod(ctx, { accountId: id, kind: method, reference });
  }
  return {
    id,
    token,
    productId: await addPlainProduct(url, token),
    isPrinted: false,
    hasMethod: method !== undefined,
    openingPence,
  };
}

async function addPlainProduct(url: string, token: string): Promise<string> {
  const ask = async <Body>(call: Pick<Call, 'method' | 'path' | 'body'>): Promise<Body> => {
    const reply = await sendTo(url, { door: 'api', token, ...call });
    if (reply === undefined || reply.status >= 400) throw new Error(`${call.path}: ${JSON.stringify(reply)}`);
    return reply.body as Body;
  };
  const { data } = await ask<{ data: { id: string; master_sku: string }[] }>({
    method: 'GET',
    path: '/catalog/products?limit=100',
  });
  const base = data.find((known) => known.master_sku === 'TEE-CLASSIC');
  const body = { base_product_id: base?.id, name: 'Plain tee', variant_skus: SKUS };
  return (await ask<{ id: string }>({ method: 'POST', path: '/products', body })).id;
}

const PREFIX = { api: '/api/v1', ops: '/ops/v1', hook: '' } as const;

/** Sends a request once; undefined when no whole answer came. An answer is held to the OpenAPI document of its door. */
export async function send(world: World, call: Call): Promise<Reply | undefined> {
  const heard = await sendTo(world.url(), call);
  return heard && { ...heard, at: world.ctx.clock.now() };
}

async function sendTo(url: string, call: Call): Promise<Omit<Reply, 'at'> | undefined> {
  const { door, method, path, token, body, headers } = call;
  const heard = await hear(url + PREFIX[door] + path, {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  if (heard === undefined) return undefined;
  if (door === 'api') checkAnswer(method, path, heard);
  if (door === 'ops') checkOpsAnswer(method, path, heard);
  const parsed = JSON.parse(heard.text) as { readonly code?: string };
  return { status: heard.status, code: heard.status >= 400 ? parsed.code : undefined, body: parsed };
}

async function hear(url: string, request: RequestInit) {
  try {
    const response = await fetch(url, { ...request, signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
    return { status: response.status, headers: response.headers, text: await response.text() };
  } catch {
    // Nobody answered, or not to the end.
    return undefined;
  }
}

/**
 * Tops an account up as the command does, and settles what waits for it; undefined when the database was lost
 * meanwhile.
 */
export async function topUp(
  world: World,
  account: Account,
  amountPence: number,
  reference: string,
): Promise<Reply | undefined> {
  const { ctx } = world;
  try {
    await creditAccount(ctx, { accountId: account.id, amountPence: pence(amountPence), reference });
    await settleWaitingOrders(ctx, account.id);
  } catch (error) {
    if (error instanceof ApiError && error.code === 'unavailable') return undefined;
    throw error;
  }
  return { status: 200, code: undefined, body: undefined, at: ctx.clock.now() };
}

/** The internal id of a public one. */
export function uuidOf(publicId: string): Uuid {
  const id = parseId(publicId.startsWith('line_') ? 'line' : publicId.startsWith('shp_') ? 'shp' : 'ord', publicId);
  if (id === undefined) throw new Error(`${publicId} is no id`);
  return id;
}
