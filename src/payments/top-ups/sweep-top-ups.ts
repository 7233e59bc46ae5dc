import { messageOf } from '../../lib/error-message.ts';
import type { ChargeContext } from '../attempt.ts';
import { settleOrdersFor } from './end-top-up.ts';
import { lookAtCardTopUp } from './look-at-top-up.ts';
import { type CardTopUpRow, claimCardTopUps } from './top-up-sql.ts';

const READ_WITHIN_MS = 8_000;

/**
 * One round: asks about the top-ups that are due, all at once.
 * For a callback that was lost, a tab that was closed, a process that died. Orders that a paid one has left waiting are
 * settled. It only reads and ends pages, and makes none.
 */
export async function sweepTopUps(ctx: ChargeContext): Promise<void> {
  const due = await claimCardTopUps(ctx.database, ctx.clock.now());
  await Promise.all(
    due.map(async (topUp) => {
      try {
        await sweepOne(ctx, topUp);
      } catch (error) {
        ctx.log.warn({ topUp: topUp.id, error: messageOf(error) }, 'a top-up could not be looked at');
      }
    }),
  );
}

async function sweepOne(ctx: ChargeContext, topUp: CardTopUpRow): Promise<void> {
  if (topUp.state === 'paid') return settleOrdersFor(ctx, topUp);
  if (ctx.payments !== undefined) await lookAtCardTopUp(ctx, ctx.payments, topUp, READ_WITHIN_MS);
}
