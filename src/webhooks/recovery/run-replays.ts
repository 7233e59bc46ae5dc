import type { Context } from '../../lib/context.ts';
import { messageOf } from '../../lib/error-message.ts';
import { every, type Worker } from '../../lib/every.ts';
import { FIRST_ID, publicId, type Uuid } from '../../lib/ids.ts';
import { DELIVERIES_RECORDED } from '../deliver.ts';
import { moveNextSecrets } from './next-secret-sql.ts';
import { countCancelled, listRunning, stepReplay } from './replay-sql.ts';

/** The hint that a replay was started or resumed. */
export const REPLAYS_CHANGED = 'replays_changed';

/** How often it is looked for replays while none goes on. */
const IDLE_MS = 2_000;
/** The wait between the steps of a replay that goes on; an attempt takes about as long. */
const STEP_MS = 50;
/** Secrets are taken by their time; this only brings them to their place. */
const MOVE_SECRETS_MS = 60_000;

type RecoveryContext = Pick<Context, 'database' | 'clock' | 'log' | 'wake'>;

/**
 * Starts the worker that takes replays on, and moves secrets whose day of overlap is over.
 * Any number may run: a step is one statement under the lock of its replay, so that a worker that dies has made a
 * delivery and moved the place past its event, or neither.
 */
export function startRecovery(ctx: RecoveryContext): Worker {
  let movedMs = -Infinity;
  return every({
    log: ctx.log,
    pollMs: IDLE_MS,
    gapMs: STEP_MS,
    failed: 'replays could not be taken on',
    run: async ({ stopping }) => {
      if (performance.now() - movedMs >= MOVE_SECRETS_MS) {
        await moveNextSecrets(ctx.database, ctx.clock.now());
        movedMs = performance.now();
      }
      return (await stepReplays(ctx, stopping)) === 0 ? undefined : STEP_MS;
    },
  });
}

/**
 * Takes every running replay a step on; returns for how many that changed anything.
 * Then counts what was under way when others were cancelled.
 */
export async function stepReplays(ctx: RecoveryContext, stopping?: AbortSignal): Promise<number> {
  let after = FIRST_ID as Uuid;
  let count = 0;
  for (;;) {
    const running = await listRunning(ctx.database, after);
    let made = 0;
    for (const replay of running) {
      if (stopping?.aborted === true) return count;
      after = replay.id;
      try {
        const step = await ctx.database.transaction((tx) => stepReplay(tx, replay, ctx.clock.now()));
        made += step?.made ?? 0;
        if (step !== undefined) count += 1;
      } catch (error) {
        // The others are not to wait for this one.
        ctx.log.warn({ replay: publicId('rpl', replay.id), error: messageOf(error) }, 'a replay could not be taken on');
      }
    }
    if (made > 0) ctx.wake(DELIVERIES_RECORDED);
    if (running.length > 0) continue;
    await countCancelled(ctx.database, ctx.clock.now());
    return count;
  }
}
