import { readBalance } from '../../billing/ledger.ts';
import { messageOf } from '../../lib/error-message.ts';
import { newId, publicId, type Uuid } from '../../lib/ids.ts';
import type { ChargeContext } from '../attempt.ts';
import { findMethodOf } from '../saved-method/saving-sql.ts';
import { lookAtCardTopUp } from '../top-ups/look-at-top-up.ts';
import { topUpBounds } from '../top-ups/top-up-bounds.ts';
import { type CardTopUpRow, findOwnCardTopUp } from '../top-ups/top-up-sql.ts';
import {
  deferAutoTopUp,
  insertAutomatic,
  listDueAutoTopUps,
  lockAutoTopUp,
  readAutomaticSince,
} from './auto-top-up-sql.ts';
import { stopAutoTopUps } from './note-end.ts';

/** Accounts of one round. */
const ROUND_MAX = 20;
const DAY_MS = 86_400_000;
/** A charge that is not known to have ended by then is stopped. */
const CHARGED_WITHIN_MS = 3_600_000;
/** The next look while one is under way; its end lets the next begin at once. */
const UNDER_WAY_MS = 60_000;
const PROVIDER_TIMEOUT_MS = 8_000;

/**
 * One round: begins a top-up for each account whose balance is below its threshold.
 * The saved card is charged. The row is written first, under the lock of the account's setting, with the cap looked
 * at: any number of workers begin one at a time for an account. A worker that dies leaves a row that the sweep of
 * top-ups carries on.
 */
export async function runAutoTopUps(ctx: ChargeContext): Promise<void> {
  const { payments } = ctx;
  if (payments === undefined) return;
  const due = await listDueAutoTopUps(ctx.database, ctx.clock.now(), ROUND_MAX);
  await Promise.all(
    due.map(async (accountId) => {
      try {
        const topUp = await beginAutomatic(ctx, accountId);
        if (topUp !== undefined) await lookAtCardTopUp(ctx, payments, topUp, PROVIDER_TIMEOUT_MS);
      } catch (error) {
        // Those that come after it are not to wait behind it.
        await deferAutoTopUp(ctx.database, accountId, new Date(ctx.clock.now().getTime() + UNDER_WAY_MS));
        ctx.log.warn(
          { account: publicId('acct', accountId), error: messageOf(error) },
          'a balance could not be topped up by itself',
        );
      }
    }),
  );
}

/** Writes the next automatic top-up of an account; undefined if none may begin now. */
async function beginAutomatic(ctx: ChargeContext, accountId: Uuid): Promise<CardTopUpRow | undefined> {
  const id = await ctx.database.transaction(async (tx) => {
    const now = ctx.clock.now();
    const setting = await lockAutoTopUp(tx, accountId);
    if (setting?.state !== 'on' || setting.not_before > now) return undefined;
    const balance = await readBalance(tx, accountId);
    if (balance === undefined || balance >= setting.threshold_pence) return undefined;
    const method = await findMethodOf(tx, accountId);
    // TOP_UP_MAX_GBP may be lower now than when the amount was set.
    if (method?.kind !== 'card' || setting.amount_pence > topUpBounds(ctx.config).maxPence) {
      const reason = method?.kind === 'card' ? 'the print shop takes less at once now.' : 'there is no saved card.';
      await stopAutoTopUps(ctx, tx, setting, { reason, about: newId(now.getTime()), now });
      return undefined;
    }
    const lately = await readAutomaticSince(tx, accountId, new Date(now.getTime() - DAY_MS));
    const { amount_pence: amountPence, daily_cap_pence: cap } = setting;
    if (lately.is_open || lately.spent_pence + amountPence > cap) {
      const room =
        lately.is_open || lately.first_at === null ? now.getTime() + UNDER_WAY_MS : lately.first_at.getTime() + DAY_MS;
      await deferAutoTopUp(tx, accountId, new Date(room));
      return undefined;
    }
    const topUpId = newId(now.getTime());
    await insertAutomatic(tx, {
      id: topUpId,
      accountId,
      reference: publicId('top', topUpId),
      amountPence,
      methodReference: method.provider_reference,
      now,
      endsAt: new Date(now.getTime() + CHARGED_WITHIN_MS),
    });
    await deferAutoTopUp(tx, accountId, new Date(now.getTime() + UNDER_WAY_MS));
    return topUpId;
  });
  return id === undefined ? undefined : findOwnCardTopUp(ctx.database, accountId, id);
}
