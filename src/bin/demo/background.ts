import { setTimeout as delay } from 'node:timers/promises';
import type { AppContext } from '../../app/context.ts';
import { every, type Worker } from '../../lib/every.ts';
import { MONTH_ACCOUNT, openDemoCustomer } from './customer.ts';
import { liveMonth } from './month.ts';

/** After a failure, such as a database that was away, or while another process is at it. */
const RETRY_MS = 5_000;
/** Nothing is left to do: the loop only waits for its stop. */
const OVER_MS = 86_400_000;

/**
 * Starts the demo month beside a running service that makes print files.
 * It rests as long as it works, so that a request waits for one step at most. A stop ends it between two steps; the
 * next start goes on.
 */
export function startMonth(ctx: AppContext, say: (line: string) => void): Worker {
  return every({
    log: ctx.log,
    pollMs: RETRY_MS,
    failed: 'the demo month could not go on',
    run: async ({ stopping }) => {
      const rest = (stepMs: number) => delay(stepMs);
      const lived = openDemoCustomer(ctx).then((customer) =>
        liveMonth(ctx, { customer, stopping, onStep: () => {}, rest }),
      );
      // What fails in a step that a stop has cut off is no failure: the next start does it.
      const end = await lived.catch((error: unknown) => {
        if (stopping.aborted) return { kind: 'stopped' } as const;
        throw error;
      });
      if (end.kind === 'elsewhere') return RETRY_MS;
      if (end.kind === 'done') say(`The demo month is complete: ${end.orders} orders of ${MONTH_ACCOUNT}.`);
      return OVER_MS;
    },
  });
}
