import { recordAct } from '../../accounts/access/record-act.ts';
import type { SignedIn } from '../../lib/caller.ts';
import type { Context } from '../../lib/context.ts';
import { validationFailed } from '../../lib/errors.ts';
import { fromPounds, type Pence, pence, poundsText, toPounds } from '../../lib/money.ts';
import type { LowBalanceMail, SetLowBalanceMailBody } from './low-balance-schema.ts';
import { compareBalance, findLowBalanceMail, removeLowBalanceMail, setLowBalanceMail } from './low-balance-sql.ts';

const PENCE_MIN = pence(100);
/** £1,000,000. */
const PENCE_MAX = pence(100_000_000);

type MailContext = Pick<Context, 'database' | 'clock' | 'config'>;

/** Below which balance a mail is sent to people of the account. */
export async function readOwnLowBalanceMail(ctx: MailContext, { accountId }: SignedIn): Promise<LowBalanceMail> {
  const setting = await findLowBalanceMail(ctx.database, accountId);
  const thresholdPence = setting?.threshold_pence ?? 0;
  const found = await compareBalance(ctx.database, accountId, { seenEntries: Number.MAX_SAFE_INTEGER, thresholdPence });
  if (found === undefined) throw new Error('the account of a session has no balance');
  return {
    threshold: setting === undefined ? null : toPounds(pence(thresholdPence)),
    is_low: found.balance_pence < thresholdPence,
    is_topped_up: found.is_topped_up,
    is_mailed: ctx.config.mail !== undefined,
  };
}

/**
 * Sets below which balance a mail is sent.
 * Who sets it while the balance is below sees that, and gets no mail. Throws 422 for the amount.
 */
export async function setOwnLowBalanceMail(
  ctx: MailContext,
  caller: SignedIn,
  body: SetLowBalanceMailBody,
): Promise<LowBalanceMail> {
  const thresholdPence = readThreshold(body);
  const { accountId } = caller;
  await ctx.database.transaction(async (tx) => {
    const now = ctx.clock.now();
    // What moves after this read is seen by the next look.
    const found = await compareBalance(tx, accountId, { seenEntries: Number.MAX_SAFE_INTEGER, thresholdPence });
    if (found === undefined) throw new Error('the account of a session has no balance');
    const state = found.balance_pence < thresholdPence ? 'notified' : 'armed';
    await setLowBalanceMail(tx, { accountId, thresholdPence, state, seenEntries: found.entries, now });
    const detail = { threshold_gbp: body.threshold_gbp };
    await recordAct(tx, caller, { action: 'set_low_balance_mail', subjectId: accountId, detail }, now);
  });
  return readOwnLowBalanceMail(ctx, caller);
}

/** Sends no mail any more. Idempotent. */
export async function removeOwnLowBalanceMail(ctx: MailContext, caller: SignedIn): Promise<void> {
  const { accountId } = caller;
  await ctx.database.transaction(async (tx) => {
    if (!(await removeLowBalanceMail(tx, accountId))) return;
    const act = { action: 'remove_low_balance_mail', subjectId: accountId, detail: {} };
    await recordAct(tx, caller, act, ctx.clock.now());
  });
}

function readThreshold({ threshold_gbp: pounds }: SetLowBalanceMailBody): Pence {
  const path = 'threshold_gbp';
  const amount = fromPounds(pounds);
  const refuse = (code: string, message: string) => validationFailed([{ path, code, message }]);
  // A long number is written with an exponent, so its size comes first.
  if (pounds > PENCE_MAX / 100) throw refuse('out_of_bounds', `must be at most £${poundsText(PENCE_MAX)}.`);
  if (pounds < PENCE_MIN / 100) throw refuse('out_of_bounds', `must be at least £${poundsText(PENCE_MIN)}.`);
  if (amount === undefined) throw refuse('decimals', 'must have at most two decimals.');
  return amount;
}
