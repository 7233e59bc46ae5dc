import { buildServer, type PlatenServer } from '../../../src/http/server.ts';
import type { Caller } from '../../../src/lib/caller.ts';
import type { Problem } from '../../../src/lib/errors.ts';
import { newId } from '../../../src/lib/ids.ts';
import type { Page } from '../../../src/lib/paging.ts';
import { recoveryRoutes } from '../../../src/webhooks/recovery/recovery-routes.ts';
import { webhookRoutes } from '../../../src/webhooks/routes.ts';
import type { CreatedSubscription, Subscription, SubscriptionDetail } from '../../../src/webhooks/schema.ts';
import { openAccount } from '../../harness/context.ts';
import { openReceiverWorld, type ReceiverWorld } from '../../harness/receiver.ts';

/** The service without its workers. */
export let world: ReceiverWorld;

let server: PlatenServer;

let base: string;

const callers = new Map<string, Caller>();

/** Host names that resolve to a private address; every other is this machine, reached as the receiver only. */
const RESOLVED: Readonly<Record<string, string>> = {
  'public.example.test': '93.184.216.34',
  'intranet.example.test': '10.1.2.3',
  'metadata.example.test': '169.254.169.254',
};

/** A new account's token. */
export async function token(scopes?: Caller['scopes']): Promise<string> {
  const caller = await openAccount(world.ctx);
  const name = newId();
  callers.set(name, { ...caller, scopes: scopes ?? caller.scopes });
  return name;
}

/** The caller of a token. */
export function callerOf(bearer: string): Caller {
  const caller = callers.get(bearer);
  if (caller === undefined) throw new Error('no such token');
  return caller;
}

/** Whatever a reply may hold; each test looks at what its reply must hold. */
type ReplyBody = CreatedSubscription &
  SubscriptionDetail &
  Page<Subscription> & { code: string; errors: Problem[]; valid_events: string[] };

/** An answer and its body. */
export type Reply<Body = ReplyBody> = { status: number; body: Body };

/** A request of an account. */
export async function call<Body = ReplyBody>(
  bearer: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<Reply<Body>> {
  const response = await fetch(`${base}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${bearer}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: (text === '' ? undefined : JSON.parse(text)) as Body };
}

/** A subscription that is accepted. */
export const good = () => world.receiver.url('/api');

/** Opens what these journeys share; for `before`. */
export async function openSubscriptions(): Promise<void> {
  world = await openReceiverWorld({
    config: { webhookTimeoutMs: 1_500 },
    resolve: async (hostname) => {
      const address = RESOLVED[hostname] ?? (hostname === 'nowhere.example.test' ? undefined : '127.0.0.1');
      if (address === undefined) throw new Error('not found');
      return [{ address, family: 4 }];
    },
  });
  server = buildServer({
    ctx: world.ctx,
    routes: [...webhookRoutes, ...recoveryRoutes],
    authenticate: async (token) => callers.get(token),
    log: world.ctx.log,
    clock: world.ctx.clock,
    settings: {
      baseUrl: 'http://127.0.0.1',
      trustProxy: undefined,
      rateLimitTokenPerMinute: 0,
      rateLimitIpPerMinute: 0,
    },
    ready: async () => ({ ready: true }),
  });
  const { port } = await server.listen(0, '127.0.0.1');
  base = `http://127.0.0.1:${port}/api/v1`;
}

/** Closes it again; for `after`. */
export async function closeSubscriptions(): Promise<void> {
  await server.drain(1_000);
  await world.close();
}
