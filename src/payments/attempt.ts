import { messageOf } from '../lib/error-message.ts';
import { publicId, type Uuid } from '../lib/ids.ts';
import { advanceIntent, type Goal } from './advance-intent.ts';
import { type AttemptEnd, endAttempt } from './attempt-end.ts';
import { type AttemptRow, findAttempt, markUnknown, storeIntentId } from './attempt-sql.ts';
import type { ChargeEndContext, PaymentsContext } from './context.ts';
import { bookFailedDebit } from './disputes/returned.ts';
import type { PaymentProvider } from './provider.ts';
import { settleAfterFailure } from './settle-waiting.ts';
import { openMismatchTask } from './tasks.ts';

/** The part of the context that charging an attempt needs. */
export type ChargeContext = ChargeEndContext & Pick<PaymentsContext, 'log' | 'payments'>;

/** How an attempt ended. While it is `unresolved`, nothing that depends on it may be decided. */
export type AttemptOutcome = 'paid' | 'failed' | 'unresolved';

/** How long the provider may take while a customer waits for the answer to an order. */
export const CHARGE_WITHIN_MS = 10_000;

/**
 * An attempt older than this is only read, never advanced.
 * The provider forgets idempotency keys after a day. What was not confirmed by then takes no money.
 */
const ADVANCED_FOR_MS = 20 * 3_600_000;

/** The sweep asks again this long after a call without an answer. */
const UNKNOWN_RETRY_MS = 5_000;

/**
 * Charges an attempt, by the steps of `advance-intent.ts`.
 * The sweep can carry on after a crash between any two of them (domain, "Payment"). Bounded by `withinMs`, outside of
 * any transaction.
 * Returns `unresolved` if the outcome is not known within that time; the sweep then finds it. Throws only when the
 * database does.
 */
export async function chargeAttempt(ctx: ChargeContext, attemptId: Uuid, withinMs: number): Promise<AttemptOutcome> {
  return advance(ctx, attemptId, 'charge', withinMs);
}

/** Reads an attempt's state from the provider and ends it accordingly. Never charges anything. */
export async function readAttempt(ctx: ChargeContext, attemptId: Uuid, withinMs: number): Promise<AttemptOutcome> {
  return advance(ctx, attemptId, 'read', withinMs);
}

/**
 * Ends an attempt before its order is changed otherwise, such as cancelled.
 * An attempt that has taken no money is stopped, so that it never will; one that has is booked as paid. Returns
 * `unresolved` if the provider gives no answer in time: the caller must then change nothing.
 */
export async function resolveAttempt(ctx: ChargeContext, attemptId: Uuid, withinMs: number): Promise<AttemptOutcome> {
  return advance(ctx, attemptId, 'stop', withinMs);
}

async function advance(ctx: ChargeContext, attemptId: Uuid, goal: Goal, withinMs: number): Promise<AttemptOutcome> {
  const attempt = await findAttempt(ctx.database, attemptId);
  if (attempt === undefined) throw new Error('there is no such payment attempt');
  if (attempt.state === 'succeeded') return 'paid';
  if (attempt.state === 'failed') return 'failed';
  const { payments } = ctx;
  if (payments === undefined) return 'unresolved';
  const endsAt = performance.now() + withinMs;
  const end = await findEnd(ctx, payments, attempt, goal, () => Math.max(0, Math.floor(endsAt - performance.now())));
  if (end !== undefined) {
    const outcome = await endAttempt(ctx, attempt, end);
    if (end.kind === 'paid') await bookIfReturned(ctx, payments, attempt, end.intentId);
    // An order that is about to be cancelled is not paid any further. If it is not cancelled after all, the sweep
    // tries the balance.
    if (outcome === 'failed' && goal !== 'stop') await tryBalance(ctx, attempt);
    return outcome;
  }
  if (goal === 'read') return 'unresolved';
  await markUnknown(ctx.database, attempt.id, new Date(ctx.clock.now().getTime() + UNKNOWN_RETRY_MS));
  ctx.log.warn({ attempt: attempt.id, aim: goal }, 'how a payment attempt ended is not known yet');
  return 'unresolved';
}

/** How long the second look after a booking may take, whatever is left of the first. */
const SECOND_LOOK_WITHIN_MS = 3_000;

/**
 * Reads a direct debit once more after its booking, and books it as returned if it has failed.
 * The callback of a failure between the provider's answer and the booking finds nothing booked that could be returned.
 * A provider that gives no answer now leaves it to the next callback.
 */
export async function bookIfReturned(
  ctx: ChargeContext,
  payments: PaymentProvider,
  attempt: AttemptRow,
  intentId: string,
): Promise<void> {
  if (attempt.method !== 'direct_debit') return;
  const result = await payments.readIntent(intentId, SECOND_LOOK_WITHIN_MS);
  if (result.kind !== 'ok' || (result.value.state !== 'declined' && result.value.state !== 'cancelled')) return;
  const booked = await findAttempt(ctx.database, attempt.id);
  if (booked?.state === 'succeeded') await bookFailedDebit(ctx, booked);
}

/** Tries the balance for an order whose charge failed. If it cannot be tried now, the sweep does it. */
export async function tryBalance(ctx: ChargeContext, attempt: AttemptRow): Promise<boolean> {
  try {
    return await settleAfterFailure(ctx, attempt);
  } catch (error) {
    const message = messageOf(error);
    ctx.log.warn({ attempt: attempt.id, error: message }, 'the balance could not be tried after a charge that failed');
    return false;
  }
}

/**
 * Advances an attempt towards its goal. Returns how it ended; undefined if not known yet.
 * Also undefined if it took another amount or currency than the attempt is for: that opens a task, and an operator
 * ends the attempt by hand.
 */
async function findEnd(
  ctx: ChargeContext,
  payments: PaymentProvider,
  attempt: AttemptRow,
  goal: Goal,
  leftMs: () => number,
): Promise<AttemptEnd | undefined> {
  const charge = {
    key: attempt.id,
    accountId: attempt.account_id,
    method: attempt.method,
    reference: attempt.provider_reference,
    amountPence: attempt.amount_pence,
    description: `Order ${publicId('ord', attempt.order_id)}`,
    intentId: attempt.intent_id,
    isOld: ctx.clock.now().getTime() - attempt.created_at.getTime() >= ADVANCED_FOR_MS,
    storeIntentId: (intentId: string) => storeIntentId(ctx.database, attempt.id, intentId),
  };
  const end = await advanceIntent(ctx, payments, charge, goal, leftMs);
  if (end?.kind !== 'mismatch') return end;
  await openMismatchTask(ctx, attempt, end.intent);
  return undefined;
}
