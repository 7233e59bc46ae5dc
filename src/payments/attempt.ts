import { messageOf } from '../lib/error-message.ts';
import { publicId, type Uuid } from '../lib/ids.ts';
import { type AttemptEnd, endAttempt } from './attempt-end.ts';
import { type AttemptRow, findAttempt, markUnknown, storeIntentId } from './attempt-sql.ts';
import type { ChargeEndContext, PaymentsContext } from './context.ts';
import { bookFailedDebit } from './disputes/returned.ts';
import { ownerOfMethod } from './method.ts';
import { type Intent, type PaymentProvider, type ProviderResult, takesPence } from './provider.ts';
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

/** `charge` takes the money, `read` only finds out how it ended, `stop` ends it without a charge. */
type Goal = 'charge' | 'read' | 'stop';

/**
 * Charges an attempt in three steps: make an intent, store its id, confirm it by that id.
 * The intent takes no money until it is confirmed. Each step starts once the one before is known, so the sweep can
 * carry on after a crash between any two (domain, "Payment"). Bounded by `withinMs`, outside of any transaction.
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

/** Advances an attempt towards its goal. Returns how it ended; undefined if not known yet. */
async function findEnd(
  ctx: ChargeContext,
  payments: PaymentProvider,
  attempt: AttemptRow,
  goal: Goal,
  leftMs: () => number,
): Promise<AttemptEnd | undefined> {
  const isOld = ctx.clock.now().getTime() - attempt.created_at.getTime() >= ADVANCED_FOR_MS;
  // Without a stored id nothing was ever confirmed, and at this age nothing will be.
  if (attempt.intent_id === null && isOld) return NEVER_CONFIRMED;
  if (attempt.intent_id === null && goal === 'read') return undefined;
  const result =
    attempt.intent_id === null
      ? await createIntent(ctx, payments, attempt, leftMs)
      : await payments.readIntent(attempt.intent_id, leftMs());
  if (result.kind === 'no_answer') return undefined;
  // An intent whose id is stored exists, so a refusal to read it is temporary. After a refusal to make one there is
  // none.
  if (result.kind === 'rejected') return attempt.intent_id === null ? failed(result.reason) : undefined;
  const intent = result.value;
  if (intent.state !== 'unconfirmed' && intent.state !== 'unfinished') return endOf(ctx, attempt, intent);
  if (goal === 'read') return undefined;
  if (isOld && intent.state === 'unconfirmed') return NEVER_CONFIRMED;
  const mayBeCharged = goal === 'charge' && intent.state === 'unconfirmed' && takesPence(intent, attempt.amount_pence);
  const stopping = { ctx, payments, attempt, intentId: intent.id, leftMs };
  if (!mayBeCharged) return stop(stopping);
  const confirmed = await payments.confirmIntent(intent.id, leftMs());
  if (confirmed.kind === 'no_answer') return undefined;
  if (confirmed.kind === 'ok' && confirmed.value.state !== 'unfinished') return endOf(ctx, attempt, confirmed.value);
  const reason = confirmed.kind === 'rejected' ? confirmed.reason : 'The payment needs the customer to confirm it.';
  return stop(stopping, reason);
}

/**
 * Makes the attempt's intent and stores its id, before it can take anything.
 * Idempotent: the attempt's id is the provider's idempotency key.
 */
async function createIntent(
  ctx: ChargeContext,
  payments: PaymentProvider,
  attempt: AttemptRow,
  leftMs: () => number,
): Promise<ProviderResult<Intent>> {
  const method = { accountId: attempt.account_id, reference: attempt.provider_reference };
  const customer = await ownerOfMethod(ctx, payments, method, leftMs());
  if (customer === undefined) return { kind: 'no_answer' };
  const result = await payments.createIntent(
    {
      key: attempt.id,
      method: attempt.method,
      reference: attempt.provider_reference,
      customer,
      amountPence: attempt.amount_pence,
      description: `Order ${publicId('ord', attempt.order_id)}`,
    },
    leftMs(),
  );
  if (result.kind !== 'ok') return result;
  // If another call has ended the attempt meanwhile, its intent must not be confirmed.
  return (await storeIntentId(ctx.database, attempt.id, result.value.id)) ? result : { kind: 'no_answer' };
}

type Stopping = {
  readonly ctx: ChargeContext;
  readonly payments: PaymentProvider;
  readonly attempt: AttemptRow;
  readonly intentId: string;
  readonly leftMs: () => number;
};

/** Cancels an intent. It may be paid at the same moment: its state after the call counts. */
async function stop(
  { ctx, payments, attempt, intentId, leftMs }: Stopping,
  reason = 'The payment was stopped before it took place.',
): Promise<AttemptEnd | undefined> {
  const cancelled = await payments.cancelIntent(intentId, leftMs());
  const result = cancelled.kind === 'ok' ? cancelled : await payments.readIntent(intentId, leftMs());
  if (result.kind !== 'ok') return undefined;
  return result.value.state === 'cancelled' ? failed(reason) : endOf(ctx, attempt, result.value);
}

/**
 * Maps an intent's state to the end of its attempt; undefined while it can still end either way.
 * Also undefined if it took another amount or currency than the attempt is for: that opens a task, and an operator
 * ends the attempt by hand.
 */
async function endOf(ctx: ChargeContext, attempt: AttemptRow, intent: Intent): Promise<AttemptEnd | undefined> {
  if (intent.state === 'accepted') {
    if (takesPence(intent, attempt.amount_pence)) return { kind: 'paid', intentId: intent.id };
    await openMismatchTask(ctx, attempt, intent);
    return undefined;
  }
  if (intent.state === 'declined') return failed(intent.reason);
  return intent.state === 'cancelled' ? failed('The payment was cancelled.') : undefined;
}

function failed(reason: string): AttemptEnd {
  return { kind: 'failed', reason };
}

const NEVER_CONFIRMED = failed('The payment was never made.');
