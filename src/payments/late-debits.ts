import { messageOf } from '../lib/error-message.ts';
import { every, type Worker } from '../lib/every.ts';
import { bookIfReturned, type ChargeContext } from './attempt.ts';
import { claimWatched } from './late-debits-sql.ts';

/** Nothing waits for these reads: a bank takes days to return a debit. */
const WATCH_POLL_MS = 10_000;

/**
 * Starts the worker that finds direct debits that failed after they were accepted.
 * A callback says so at once, but it may be lost, or be refused for a wrong signing secret. So each accepted debit is
 * read again for 14 days, and booked as returned if it has failed. Any number of these workers may run.
 */
export function startLateDebits(ctx: ChargeContext, options: { pollMs?: number } = {}): Worker | undefined {
  if (ctx.payments === undefined) return undefined;
  return every({
    log: ctx.log,
    pollMs: options.pollMs ?? WATCH_POLL_MS,
    failed: 'direct debits could not be looked at',
    run: async ({ wake }) => {
      // A full claim means that more may be due.
      if ((await watchDebits(ctx)) === 'more') wake();
    },
  });
}

/**
 * One round: reads the debits that are due, all at once, and books those that were returned.
 * A debit that cannot be read now is read at its next turn.
 */
export async function watchDebits(ctx: ChargeContext): Promise<'more' | 'all'> {
  const { payments } = ctx;
  if (payments === undefined) return 'all';
  const { attempts, isFull } = await claimWatched(ctx.database, ctx.clock.now());
  await Promise.all(
    attempts.map(async (attempt) => {
      try {
        if (attempt.intent_id !== null) await bookIfReturned(ctx, payments, attempt, attempt.intent_id);
      } catch (error) {
        ctx.log.warn({ attempt: attempt.id, error: messageOf(error) }, 'a direct debit could not be looked at');
      }
    }),
  );
  return isFull ? 'more' : 'all';
}
