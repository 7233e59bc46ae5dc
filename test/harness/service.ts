import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setDefaultCACertificates } from 'node:tls';
import { createAccount } from '../../src/accounts/create-account.ts';
import { createOperator } from '../../src/accounts/create-operator.ts';
import { mintToken } from '../../src/accounts/mint-token.ts';
import type { AppContext } from '../../src/app/context.ts';
import { type Role, startService } from '../../src/app/service.ts';
import { creditAccount } from '../../src/billing/credit-account.ts';
import { type DemoReport, seedDemo } from '../../src/bin/seed-demo.ts';
import type { ErrorBody } from '../../src/http/contract/error-responses.ts';
import { SCOPES, type Scope } from '../../src/lib/caller.ts';
import { databaseClock } from '../../src/lib/clock.ts';
import { readConfig } from '../../src/lib/config.ts';
import type { Problem } from '../../src/lib/errors.ts';
import { newId, type Uuid } from '../../src/lib/ids.ts';
import { type Log, silentLog } from '../../src/lib/log.ts';
import { pence } from '../../src/lib/money.ts';
import type { OperatorRole } from '../../src/lib/operator.ts';
import type { OutboundSettings } from '../../src/lib/outbound/outbound.ts';
import type { Static } from '../../src/lib/typebox.ts';
import { type Authority, createAuthority } from './authority.ts';
import { checkAnswer, checkDelivery, checkOpsAnswer } from './contract.ts';
import { createDemoDatabase, type Drawn, SECRET_KEY, type TestDatabase } from './database.ts';
import { closeIdleConnections } from './idle-connections.ts';
import { makePasswordsQuick } from './quick-passwords.ts';
import { scratchParent } from './scratch.ts';
import { type Stranger, startStranger } from './stranger.ts';

// No test reaches a host of the world, and a service that trusts one more authority parses all others anew.
setDefaultCACertificates([]);
makePasswordsQuick();

// A test file sends more in a minute than a customer does.
const NO_LIMIT = { RATE_LIMIT_TOKEN_PER_MINUTE: '0', RATE_LIMIT_IP_PER_MINUTE: '0' };

/** An answer, its body believed to be what the test says it expects: an error unless reported otherwise. */
export type Answer<Body> = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Body;
};

export type ErrorReply = Static<typeof ErrorBody> & {
  readonly errors?: readonly Problem[];
  readonly oversold?: readonly { variant_sku: string; requested: number; available: number; lines: number[] }[];
};

type Request = <Body = ErrorReply>(
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Answer<Body>>;

export type Customer = {
  readonly accountId: Uuid;
  readonly token: string;
  /** A JSON request to a path below `/api/v1`; `body` may be raw text. The answer is held to the OpenAPI document. */
  readonly request: Request;
};

export type OperatorClient = {
  readonly id: Uuid;
  readonly email: string;
  readonly token: string;
  /**
   * As a customer's, to a path below `/ops/v1`. A file stands in `text` alone. A POST has a new Idempotency-Key, as
   * of a client that gives one to each request, unless it is sent with headers of its own.
   */
  readonly request: Request;
};

export type TestService = {
  readonly ctx: AppContext;
  /** The service's origin. */
  readonly url: string;
  readonly database: TestDatabase;
  readonly demo: DemoReport;
  /** The demo account, which has 5,000.00 and both demo products. */
  readonly customer: Customer;
  /** An artwork host and webhook receiver that the service trusts although it is on this machine. */
  readonly stranger: Stranger;
  readonly authority: Authority;
  /** Moves the service's clock forward. */
  readonly shiftMs: (ms: number) => void;
  /** Another account with a balance in pence and a token with these scopes, all when left out. */
  readonly openCustomer: (options?: { balancePence?: number; scopes?: readonly Scope[] }) => Promise<Customer>;
  /** An operator of a role, admin when left out, with a token. */
  readonly openOperator: (role?: OperatorRole) => Promise<OperatorClient>;
  readonly stop: () => Promise<void>;
};

/**
 * Starts the whole service in this process, as `npm start` would, on a database of its own with the demo data, beside a
 * stranger's HTTPS server. `env` overrides settings.
 */
export async function startTestService(
  options: {
    env?: Record<string, string>;
    role?: Role;
    database?: TestDatabase;
    dataDir?: string;
    log?: Log;
    /** `as printed` for tests that look at print files; coarsely when left out. */
    drawn?: Drawn;
    /** The server of artwork for development, which only `npm start` has. */
    artworkServer?: OutboundSettings['artworkServer'];
    /** In place of one of its own, for a server that must be there before the service. */
    authority?: Authority;
    /** In place of the resolver that knows the stranger and nobody else. */
    resolve?: OutboundSettings['resolve'];
    /** Where hosts of well-known ports are on this machine. */
    portOf?: OutboundSettings['portOf'];
  } = {},
): Promise<TestService> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(scratchParent(), 'platen-service-')));
  const database = options.database ?? (await createDemoDatabase(dataDir, options.drawn));
  const authority = options.authority ?? createAuthority();
  const stranger = await startStranger({ authority, hostnames: ['art.example.test', 'www.art.example.test'] });
  const trusted = [stranger.hostPort, `www.${stranger.hostPort}`];
  const config = readConfig({
    PORT: '0',
    DATA_DIR: dataDir,
    ...(options.dataDir === undefined ? { BLOB_STORE: database.blobStore } : {}),
    WEBHOOK_FLUSH_SECONDS: '0',
    SECRET_KEY,
    ...NO_LIMIT,
    ...options.env,
    TRUSTED_PRIVATE_HOSTS: [trusted, options.env?.TRUSTED_PRIVATE_HOSTS ?? []].flat().join(','),
  });
  let offsetMs = 0;
  const real = databaseClock();
  const clock = { ...real, now: () => new Date(real.now().getTime() + offsetMs) };
  let demo: DemoReport | undefined;
  const service = await startService({
    config,
    address: database.address,
    secretKey: config.secretKey ?? '',
    formerKeys: config.formerSecretKeys,
    log: options.log ?? silentLog,
    role: options.role ?? 'all',
    prepare: async (ctx) => {
      demo = await seedDemo(ctx);
    },
    outside: {
      clock,
      outbound: {
        extraAuthority: authority.caPem,
        resolve: options.resolve ?? knowStranger,
        ...(options.portOf === undefined ? {} : { portOf: options.portOf }),
        ...(options.artworkServer === undefined ? {} : { artworkServer: options.artworkServer }),
      },
    },
  }).catch(async (error: unknown) => {
    await stranger.close();
    throw error;
  });
  if (demo === undefined) throw new Error('the demo data was not seeded');
  const url = `http://127.0.0.1:${service.port}`;
  const { ctx } = service;
  const accounts = await ctx.database.one<{ id: Uuid }>(
    { name: 'test_demo_account', text: "select id from account where name = 'Demo Print Club'" },
    [],
  );
  if (accounts === undefined) throw new Error('the demo account is not there');
  return {
    ctx,
    url,
    database,
    demo,
    customer: customerOf(url, accounts.id, demo.token),
    stranger,
    authority,
    shiftMs: (ms) => {
      offsetMs += ms;
    },
    openCustomer: async ({ balancePence = 0, scopes = SCOPES } = {}) => {
      const accountId = await createAccount(ctx, { name: 'Another' });
      if (balancePence > 0) await creditAccount(ctx, { accountId, amountPence: pence(balancePence), reference: '' });
      const { token } = await mintToken(ctx, { accountId, scopes });
      return customerOf(url, accountId, token);
    },
    openOperator: async (role = 'admin') => {
      const email = `${role}-${newId()}@shop.example`;
      const { id, token } = await createOperator(ctx, { email, password: 'a password of the tests', role });
      const doors = { url: `${url}/ops/v1`, token, check: checkOpsAnswer };
      const request: Request = (
        method,
        path,
        body,
        headers = method === 'POST' ? { 'idempotency-key': newId() } : {},
      ) => send(doors, method, path, body, headers);
      return { id, email, token, request };
    },
    stop: async () => {
      closeIdleConnections();
      await service.stop();
      await stranger.close();
      for (const { headers, body } of stranger.hits) {
        const event = headers['svc-event'];
        if (typeof event === 'string') checkDelivery(event, headers, body);
      }
      if (options.database === undefined) await database.drop();
      if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function knowStranger(hostname: string): Promise<{ address: string; family: number }[]> {
  if (hostname.endsWith('.example.test')) return [{ address: '127.0.0.1', family: 4 }];
  throw new Error('no such name');
}

function customerOf(url: string, accountId: Uuid, token: string): Customer {
  const doors = { url: `${url}/api/v1`, token, check: checkAnswer };
  return { accountId, token, request: (method, path, body, headers) => send(doors, method, path, body, headers) };
}

type Doors = { readonly url: string; readonly token: string; readonly check: typeof checkAnswer };

async function send<Body>(
  { url, token, check }: Doors,
  method: string,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer<Body>> {
  const response = await fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  check(method, path, { status: response.status, headers: response.headers, text });
  const isJson = text !== '' && response.headers.get('content-type') === 'application/json';
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: (isJson ? JSON.parse(text) : undefined) as Body,
  };
}
