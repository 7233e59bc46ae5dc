import { messageOf } from '../lib/error-message.ts';
import { publicId, type Uuid } from '../lib/ids.ts';
import { type AttemptEnd, type ChargeEndContext, endAttempt } from './attempt-end.ts';
import { type AttemptRow, findAttempt, keepIntent, markUnknown } from './attempt-sql.ts';
import type { PaymentsContext } from './context.ts';
import { ownerOfMethod } from './method.ts';
import { type Intent, type PaymentProvider, type ProviderResult, takesPence } from './provider.ts';
import { settleAfterFailure } from './settle-waiting.ts';
import { openMismatchTask } from './tasks.ts';

/** What driving an attempt takes of the context. */
export type ChargeContext = ChargeEndContext & Pick<PaymentsContext, 'log' | 'payments'>;

/** How an attempt stands: nobody may decide anything on one that is unresolved. */
export type AttemptOutcome = 'paid' | 'failed' | 'unresolved';

/** The provider has this long while a customer waits for the answer to an order. */
export const CHARGE_WITHIN_MS = 10_000;

/**
 * The provider forgets keys after a day: an attempt that is older than this is only read. What was never confirmed until then
 * takes no money.
 */
const ADVANCED_FOR_MS = 20 * 3_600_000;

/** After a silence the sweep asks again this much later. */
const UNKNOWN_RETRY_MS = 5_000;

/** To charge it, to find out how it ended, or to end it without a charge. */
type Goal = 'charge' | 'read' | 'stop';

/**
 * Charges an attempt: makes an intent that takes nothing, stores its id, and confirms it by that id, each step only once the one
 * before is known, so that a crash between any two can be carried on from (domain, "Payment"). Bounded in time and outside of any
 * transaction. An attempt whose end is not known within it is `unresolved`, and the sweep finds out. Throws only when the
 * database does.
 */
export async function chargeAttempt(ctx: ChargeContext, attemptId: Uuid, withinMs: number): Promise<AttemptOutcome> {
  return advance(ctx, attemptId, 'charge', withinMs);
}

/** Reads how an attempt stands with the provider and ends it accordingly; never charges anything. */
export async function readAttempt(ctx: ChargeContext, attemptId: Uuid, withinMs: number): Promise<AttemptOutcome> {
  return advance(ctx, attemptId, 'read', withinMs);
}

/**
 * Brings an attempt to its end before something else is decided about its order: one that has not taken money is ended so that it
 * never will, one that has is booked as paid. `unresolved` when the provider gives no answer in time: then nothing may be done.
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
    // Of an order that is about to be cancelled nothing more is paid; should it not be after all, the sweep tries the balance.
    if (outcome === 'failed' && goal !== 'stop') await tryBalance(ctx, attempt);
    return outcome;
  }
  if (goal === 'read') return 'unresolved';
  await markUnknown(ctx.database, attempt.id, new Date(ctx.clock.now().getTime() + UNKNOWN_RETRY_MS));
  ctx.log.warn({ attempt: attempt.id, aim: goal }, 'how a payment attempt ended is not known yet');
  return 'unresolved';
}

/** Tries the balance for an order whose charge has failed. Where that cannot be done now, the sweep does it. */
export async function tryBalance(ctx: ChargeContext, attempt: AttemptRow): Promise<boolean> {
  try {
    return await settleAfterFailure(ctx, attempt);
  } catch (error) {
    const message = messageOf(error);
    ctx.log.warn({ attempt: attempt.id, error: message }, 'the balance could not be tried after a charge that failed');
    return false;
  }
}

/** How the attempt ended; undefined when that cannot be known yet. */
async function findEnd(
  ctx: ChargeContext,
  payments: PaymentProvider,
  attempt: AttemptRow,
  goal: Goal,
  leftMs: () => number,
): Promise<AttemptEnd | undefined> {
  const isOld = ctx.clock.now().getTime() - attempt.created_at.getTime() >= ADVANCED_FOR_MS;
  // Without a stored id nothing was ever confirmed, and from now on nothing will be.
  if (attempt.intent_id === null && isOld) return NEVER_CONFIRMED;
  if (attempt.intent_id === null && goal === 'read') return undefined;
  const asked =
    attempt.intent_id === null
      ? await createIntent(ctx, payments, attempt, leftMs)
      : await payments.readIntent(attempt.intent_id, leftMs());
  if (asked.kind === 'no_answer') return undefined;
  // An intent that we know of cannot be refused for long; one that was refused at its making is none.
  if (asked.kind === 'rejected') return attempt.intent_id === null ? failed(asked.reason) : undefined;
  const intent = asked.value;
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

/** The same intent for every call of an attempt: its id is the provider's key. Its id is stored before it can take anything. */
async function createIntent(
  ctx: ChargeContext,
  payments: PaymentProvider,
  attempt: AttemptRow,
  leftMs: () => number,
): Promise<ProviderResult<Intent>> {
  const method = { accountId: attempt.account_id, reference: attempt.provider_reference };
  const customer = await ownerOfMethod(ctx, payments, method, leftMs());
  if (customer === undefined) return { kind: 'no_answer' };
  const asked = await payments.createIntent(
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
  if (asked.kind !== 'ok') return asked;
  // An attempt that somebody else has ended meanwhile must not be confirmed.
  return (await keepIntent(ctx.database, attempt.id, asked.value.id)) ? asked : { kind: 'no_answer' };
}

type Stopping = {
  readonly ctx: ChargeContext;
  readonly payments: PaymentProvider;
  readonly attempt: AttemptRow;
  readonly intentId: string;
  readonly leftMs: () => number;
};

/** Ends an intent at the provider. It may have been paid in the same moment: what it says in the end counts. */
async function stop(
  { ctx, payments, attempt, intentId, leftMs }: Stopping,
  reason = 'The payment was stopped before it took place.',
): Promise<AttemptEnd | undefined> {
  const cancelled = await payments.cancelIntent(intentId, leftMs());
  const asked = cancelled.kind === 'ok' ? cancelled : await payments.readIntent(intentId, leftMs());
  if (asked.kind !== 'ok') return undefined;
  return asked.value.state === 'cancelled' ? failed(reason) : endOf(ctx, attempt, asked.value);
}

/**
 * What an intent's state means for its attempt; undefined while it can still become either, and for one that took something else than
 * the attempt is for: operators are told, and somebody ends the attempt by hand.
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
