import { messageOf } from '../../lib/error-message.ts';
import type { ChargeContext } from '../attempt.ts';
import { chargeOrdersFor } from './end-saving.ts';
import { lookAtSaving } from './look-at-saving.ts';
import { claimSavings, type SavingRow } from './saving-sql.ts';

const READ_WITHIN_MS = 8_000;

/**
 * One round: asks about the savings that are due, all at once.
 * For a callback that was lost, a tab that was closed, a process that died. Orders that a saved method has left waiting
 * are charged. It only reads and ends pages, and makes none.
 */
export async function sweepSavings(ctx: ChargeContext): Promise<void> {
  const due = await claimSavings(ctx.database, ctx.clock.now());
  await Promise.all(
    due.map(async (saving) => {
      try {
        await sweepOne(ctx, saving);
      } catch (error) {
        ctx.log.warn({ saving: saving.id, error: messageOf(error) }, 'a saving of a method could not be looked at');
      }
    }),
  );
}

async function sweepOne(ctx: ChargeContext, saving: SavingRow): Promise<void> {
  if (saving.state === 'saved') return chargeOrdersFor(ctx, saving);
  if (ctx.payments !== undefined) await lookAtSaving(ctx, ctx.payments, saving, READ_WITHIN_MS);
}
