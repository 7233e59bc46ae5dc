import assert from 'node:assert/strict';
import { statement } from '../../src/lib/db.ts';
import type { Uuid } from '../../src/lib/ids.ts';
import { eventually } from '../harness/context.ts';
import type { Stranger } from '../harness/stranger.ts';
import { CALLS } from './clients-run.ts';
import { send, type World } from './clients-world.ts';

// What happens in a pause: the weather clears, and the service brings to its end what is under way.

/** All that was accepted is done within this time. */
const DONE_WITHIN_MS = 60_000;

const LOOK_NOW = statement<never>(
  'clients_look_now',
  "update payment_attempt set look_at = created_at where state in ('open', 'unknown') and look_at > created_at",
);
const UNDONE = statement<{ what: string }>(
  'clients_undone',
  `select 'attempt ' || id as what from payment_attempt where state in ('open', 'unknown')
   union all
   select 'job ' || kind || ' ' || key from job`,
);

/**
 * Clears the weather, and returns once no charge is under way, no job is left, and the provider has told all it had
 * to tell.
 */
export async function settleDown(world: World): Promise<void> {
  const { provider, ctx } = world;
  for (const call of CALLS) provider.fail(call);
  provider.decide('accept');
  provider.letGo();
  let left: string[] = [];
  try {
    await eventually(
      'nothing is under way',
      async () => {
        // The head start of whoever drove an attempt is over.
        await ctx.database.all(LOOK_NOW, []);
        left = (await ctx.database.all(UNDONE, [])).map(({ what }) => what);
        return left.length === 0;
      },
      DONE_WITHIN_MS,
    );
  } catch {
    assert.deepEqual(left, [], 'is done within a minute');
  }
  for (const call of world.owedCallbacks.splice(0)) {
    const reply = await send(world, call);
    assert.equal(reply?.status, 200, JSON.stringify(reply));
  }
}

/** Subscribes every account to all of its events. */
export async function subscribe(world: World, stranger: Stranger): Promise<void> {
  stranger.serve('/hook', { status: 204 });
  for (const { token } of world.accounts) {
    const body = { url: stranger.url('/hook') };
    const subscribed = await send(world, { door: 'api', method: 'POST', path: '/webhooks', token, body });
    assert.equal(subscribed?.status, 201, JSON.stringify(subscribed));
  }
}

const EVENTS = statement<{ id: Uuid }>('clients_all_events', 'select id from event where account_id = any($1::uuid[])');

/** Each event has come to the receiver, and whenever it came again it was the same. */
export async function assertAllTold(world: World, stranger: Stranger): Promise<void> {
  const events = await world.ctx.database.all(EVENTS, [world.accounts.map(({ id }) => id)]);
  const told = new Map<string, string>();
  let read = 0;
  await eventually(
    'every event has arrived',
    () => {
      for (; read < stranger.hits.length; read += 1) {
        const raw = stranger.hits[read]?.body.toString() ?? '';
        const { id } = JSON.parse(raw) as { id: string };
        assert.equal(told.get(id) ?? raw, raw);
        told.set(id, raw);
      }
      return told.size === events.length;
    },
    DONE_WITHIN_MS,
  );
}
