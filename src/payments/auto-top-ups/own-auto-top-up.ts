import { recordAct } from '../../accounts/access/record-act.ts';
import type { SessionContext } from '../../accounts/portal/open-session.ts';
import { requireProof } from '../../accounts/portal/prove.ts';
import type { SignedIn } from '../../lib/caller.ts';
import { isoTime } from '../../lib/clock.ts';
import { ApiError, type Problem, validationFailed } from '../../lib/errors.ts';
import { fromPounds, type Pence, pence, poundsText, toPounds } from '../../lib/money.ts';
import type { ChargeContext } from '../attempt.ts';
import { providerOf } from '../context.ts';
import { findMethodOf } from '../saved-method/saving-sql.ts';
import { topUpBounds } from '../top-ups/top-up-bounds.ts';
import type { AutoTopUp, SetAutoTopUpBody } from './auto-top-up-schema.ts';
import { findAutoTopUp, lockAutoTopUp, readAutomaticSince, removeAutoTopUp, setAutoTopUp } from './auto-top-up-sql.ts';

const DAY_MS = 86_400_000;
const THRESHOLD_PENCE_MIN = 100;
/** £1,000,000. */
const PENCE_MAX = 100_000_000;

/** How the balance of the account is topped up by itself. */
export async function readOwnAutoTopUp(
  ctx: Pick<ChargeContext, 'database' | 'clock'>,
  { accountId }: SignedIn,
): Promise<AutoTopUp> {
  const now = ctx.clock.now();
  const setting = await findAutoTopUp(ctx.database, accountId);
  const lately = await readAutomaticSince(ctx.database, accountId, new Date(now.getTime() - DAY_MS));
  const money = (amount: number | undefined): number | null => (amount === undefined ? null : toPounds(pence(amount)));
  return {
    state: setting?.state ?? 'off',
    threshold: money(setting?.threshold_pence),
    amount: money(setting?.amount_pence),
    daily_cap: money(setting?.daily_cap_pence),
    failures: setting?.failures ?? 0,
    reason: setting?.reason ?? '',
    topped_up: toPounds(pence(lately.spent_pence)),
    next_at: setting?.state === 'on' && setting.not_before > now ? isoTime(setting.not_before) : null,
  };
}

/**
 * Turns automatic top-ups on, or changes them; one that has stopped goes on.
 * Throws 403 without a fresh proof, 422 for the amounts, 409 where no card is taken or none is saved.
 */
export async function setOwnAutoTopUp(
  ctx: ChargeContext & SessionContext,
  caller: SignedIn,
  body: SetAutoTopUpBody,
): Promise<AutoTopUp> {
  providerOf(ctx);
  const amounts = readAmounts(ctx, body);
  await requireProof(ctx, caller);
  const { accountId } = caller;
  await ctx.database.transaction(async (tx) => {
    const now = ctx.clock.now();
    await lockAutoTopUp(tx, accountId);
    if ((await findMethodOf(tx, accountId))?.kind !== 'card') {
      throw new ApiError(
        'conflict',
        'Automatic top-ups need a saved card: money by direct debit comes days later. Save a card first.',
      );
    }
    await setAutoTopUp(tx, { accountId, ...amounts, now });
    const detail = {
      threshold_gbp: body.threshold_gbp,
      amount_gbp: body.amount_gbp,
      daily_cap_gbp: body.daily_cap_gbp,
    };
    await recordAct(tx, caller, { action: 'set_auto_top_up', subjectId: accountId, detail }, now);
  });
  return readOwnAutoTopUp(ctx, caller);
}

/** Turns automatic top-ups off. What is under way is not stopped. Idempotent. */
export async function removeOwnAutoTopUp(ctx: ChargeContext, caller: SignedIn): Promise<void> {
  const { accountId } = caller;
  await ctx.database.transaction(async (tx) => {
    if (!(await removeAutoTopUp(tx, accountId))) return;
    const act = { action: 'remove_auto_top_up', subjectId: accountId, detail: {} };
    await recordAct(tx, caller, act, ctx.clock.now());
  });
}

type Amounts = { readonly thresholdPence: Pence; readonly amountPence: Pence; readonly dailyCapPence: Pence };

function readAmounts(ctx: ChargeContext, body: SetAutoTopUpBody): Amounts {
  const problems: Problem[] = [];
  const read = (path: keyof SetAutoTopUpBody, min: Pence, max: Pence): Pence => {
    const amount = fromPounds(body[path]);
    if (amount === undefined) {
      problems.push({ path, code: 'decimals', message: 'must be pounds with at most two decimals.' });
    } else if (amount < min) {
      problems.push({ path, code: 'out_of_bounds', message: `must be at least £${poundsText(min)}.` });
    } else if (amount > max) {
      problems.push({ path, code: 'out_of_bounds', message: `must be at most £${poundsText(max)}.` });
    }
    return amount ?? min;
  };
  const { minPence, maxPence } = topUpBounds(ctx.config);
  const thresholdPence = read('threshold_gbp', pence(THRESHOLD_PENCE_MIN), pence(PENCE_MAX));
  const amountPence = read('amount_gbp', minPence, pence(Math.min(maxPence, PENCE_MAX)));
  const dailyCapPence = read('daily_cap_gbp', amountPence, pence(PENCE_MAX));
  if (problems.length > 0) throw validationFailed(problems);
  return { thresholdPence, amountPence, dailyCapPence };
}
