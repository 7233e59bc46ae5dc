import type { Caller } from '../../../src/lib/caller.ts';
import { newId, publicId, type Uuid } from '../../../src/lib/ids.ts';
import { publishEvent } from '../../../src/webhooks/publish.ts';
import type { StartedReplay } from '../../../src/webhooks/recovery/replay-schema.ts';
import { stepReplays } from '../../../src/webhooks/recovery/run-replays.ts';
import { call, type Reply, world } from './subscriptions.ts';

/** Events of an account, a second apart; the last is a second ago. */
export async function past(caller: Caller, count: number): Promise<{ ids: string[]; at: Date[] }> {
  catchUp();
  const now = world.ctx.clock.now().getTime();
  const at = Array.from({ length: count }, (_none, place) => new Date(now - (count - place) * 1_000));
  const ids: Uuid[] = [];
  for (const createdAt of at) {
    ids.push(
      await publishEvent(world.ctx.database, {
        accountId: caller.accountId,
        orderId: newId(),
        sequence: 2,
        event: 'order.on_hold',
        data: { reference: 'PF-2345ABCD', status: 'pending', reason: 'Address to be checked' },
        createdAt,
        dueAt: createdAt,
      }),
    );
  }
  return { ids: ids.map((id) => publicId('evt', id)), at };
}

/**
 * Moves the clock on to the time that ids have.
 * A test file that moved its clock may have run in this process before, and ids never go back.
 */
function catchUp(): void {
  const now = world.ctx.clock.now().getTime();
  const made = Number.parseInt(newId(now).replaceAll('-', '').slice(0, 12), 16);
  if (made > now) world.ctx.clock.shift(made - now);
}

/** Asks for a replay. */
export function replay(bearer: string, id: string, body: unknown): Promise<Reply<StartedReplay>> {
  return call<StartedReplay>(bearer, 'POST', `/webhooks/${id}/replay`, body);
}

/** A round of the worker; returns how many replays it took on. */
export async function step(): Promise<number> {
  return stepReplays(world.ctx);
}
