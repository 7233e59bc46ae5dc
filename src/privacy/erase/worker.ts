import { every, type Worker } from '../../lib/every.ts';
import { FIRST_ID, type Uuid } from '../../lib/ids.ts';
import type { PrivacyContext } from '../context.ts';
import { replayLedger } from '../ledger/replay.ts';
import { carryOut } from './carry-out.ts';
import { forgetListing, listOpenErasures } from './erasure-sql.ts';

/** An order that ends is erased within this time, if it is to be. */
const POLL_MS = 10_000;
const BATCH = 100;
/**
 * A request that was killed before its ledger entry was never acknowledged;
 * what it listed goes after this time.
 */
const LISTING_MS = 3_600_000;

/**
 * Runs one round: every erasure goes on as far as it can. Any number of nodes may run it at once.
 * Throws the first failure, after the others had their turn.
 */
export async function runErasures(ctx: PrivacyContext, stopping?: AbortSignal): Promise<void> {
  await replayLedger(ctx, undefined, stopping);
  await forgetListing(ctx.database, new Date(ctx.clock.now().getTime() - LISTING_MS));
  const isOver = (): boolean => stopping?.aborted === true;
  let failed: { readonly error: unknown } | undefined;
  for (let after = FIRST_ID as Uuid; !isOver(); ) {
    const open = await listOpenErasures(ctx.database, after, BATCH);
    for (const erasure of open) {
      // One that cannot be carried out holds up no other.
      await carryOut(ctx, erasure, isOver).catch((error: unknown) => {
        failed ??= { error };
      });
    }
    const last = open.at(-1);
    if (last === undefined || open.length < BATCH) break;
    after = last.id;
  }
  if (failed !== undefined) throw failed.error;
}

/**
 * Starts the worker that carries erasures out:
 * those of killed commands, and orders that have ended since.
 */
export function startErasures(ctx: PrivacyContext): Worker {
  return every({
    log: ctx.log,
    pollMs: POLL_MS,
    failed: 'personal data could not be erased',
    run: async ({ stopping }) => {
      await runErasures(ctx, stopping);
      return undefined;
    },
  });
}
