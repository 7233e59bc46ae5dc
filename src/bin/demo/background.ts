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
      const customer = await openDemoCustomer(ctx);
      const end = await liveMonth(ctx, { customer, stopping, onStep: () => {}, rest: (stepMs) => delay(stepMs) });
      if (end.kind === 'elsewhere') return RETRY_MS;
      if (end.kind === 'done') say(`The demo month is complete: ${end.orders} orders of ${MONTH_ACCOUNT}.`);
      return OVER_MS;
    },
  });
}
