import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import type { Caller } from '../../src/lib/caller.ts';
import type { Config } from '../../src/lib/config.ts';
import { newId, parseId, type Uuid } from '../../src/lib/ids.ts';
import type { OutboundSettings } from '../../src/lib/outbound/outbound.ts';
import { createSubscription } from '../../src/webhooks/create-subscription.ts';
import { getSubscription } from '../../src/webhooks/get-subscription.ts';
import { publishEvent } from '../../src/webhooks/publish.ts';
import type { CreatedSubscription, SubscriptionDetail } from '../../src/webhooks/schema.ts';
import { createAuthority } from './authority.ts';
import { openTestContext, type TestContext } from './context.ts';
import { type Hit, type Stranger, startStranger } from './stranger.ts';

export const RECEIVER = 'hooks.example.test';

/** A context whose deliveries can reach one real HTTPS receiver on this machine. */
export type ReceiverWorld = {
  readonly ctx: TestContext;
  readonly receiver: Stranger;
  readonly subscribe: (caller: Caller, path: string, events?: string[]) => Promise<CreatedSubscription>;
  /** Records an event of a new order, due at once unless told otherwise. */
  readonly publish: (caller: Caller, options?: { dueAt?: Date }) => Promise<Uuid>;
  readonly look: (caller: Caller, subscription: { id: string }) => Promise<SubscriptionDetail>;
  readonly hitsOn: (path: string) => Hit[];
  readonly close: () => Promise<void>;
};

export async function openReceiverWorld(
  options: { config?: Partial<Config>; resolve?: OutboundSettings['resolve']; nameServers?: readonly string[] } = {},
): Promise<ReceiverWorld> {
  const authority = createAuthority();
  const receiver = await startStranger({ authority, hostnames: [RECEIVER] });
  const ctx = await openTestContext({
    config: { webhookFlushSeconds: 0, ...options.config },
    outbound: {
      trustedPrivateHosts: new Set([receiver.hostPort]),
      extraAuthority: authority.caPem,
      ...(options.nameServers === undefined
        ? { resolve: options.resolve ?? (async () => [{ address: '127.0.0.1', family: 4 }]) }
        : { nameServers: options.nameServers }),
    },
  });
  return {
    ctx,
    receiver,
    subscribe: (caller, path, events = []) =>
      createSubscription(ctx, caller, { body: { url: receiver.url(path), events }, unknownFields: [] }),
    publish: (caller, { dueAt } = {}) => {
      const now = ctx.clock.now();
      return publishEvent(ctx.database, {
        accountId: caller.accountId,
        orderId: newId(),
        sequence: 2,
        event: 'order.on_hold',
        data: { reference: 'PF-2345ABCD', status: 'pending', reason: 'Address to be checked – “today”' },
        createdAt: now,
        dueAt: dueAt ?? now,
      });
    },
    look: (caller, subscription) => getSubscription(ctx, caller, subscription.id),
    hitsOn: (path) => receiver.hits.filter((hit) => hit.path === path),
    close: async () => {
      await ctx.close();
      await receiver.close();
    },
  };
}

/** Checks a delivery the way a receiver would: written from spec 6.5 alone, without our signing code. */
export function assertSigned(hit: Hit, secret: string): void {
  const timestamp = String(hit.headers['svc-timestamp']);
  assert.match(timestamp, /^\d{10}$/);
  const expected = createHmac('sha256', secret).update(`${timestamp}.`).update(hit.body).digest('hex');
  assert.equal(hit.headers['svc-signature'], expected);
}

/** The database's id of a subscription. */
export function subscriptionId(subscription: { id: string }): Uuid {
  const id = parseId('whk', subscription.id);
  assert.ok(id);
  return id;
}
