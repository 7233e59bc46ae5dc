import { openHouseTask } from '../accounts/open-task.ts';
import { unavailable } from '../lib/errors.ts';
import type { Uuid } from '../lib/ids.ts';
import { createCounter } from '../lib/metrics/instruments.ts';
import { bookIfReturned, type ChargeContext, readAttempt } from './attempt.ts';
import { endAttempt } from './attempt-end.ts';
import { type AttemptRow, findAttempt, findAttemptByIntent, isUnderWay } from './attempt-sql.ts';
import { handleDispute } from './disputes/handle-dispute.ts';
import { bookFailedDebit } from './disputes/returned.ts';
import { type Callback, type Intent, type PaymentProvider, takesPence } from './provider.ts';
import { lookAtSaving } from './saved-method/look-at-saving.ts';
import { findSavingByPage } from './saved-method/saving-sql.ts';
import { settleWaitingOrders } from './settle-waiting.ts';
import { openMismatchTask } from './tasks.ts';
import { lookAtCardTopUp } from './top-ups/look-at-top-up.ts';
import { bookTakenBack } from './top-ups/take-back.ts';
import {
  type CardTopUpRow,
  findCardTopUpById,
  findCardTopUpByIntent,
  findCardTopUpByPage,
} from './top-ups/top-up-sql.ts';

const READ_WITHIN_MS = 8_000;

/**
 * Handles a callback of the payment provider; false if its signature is wrong.
 * Operators then get a task.
 * A callback is a hint: the intent that it names is read, and its state is booked once, in whatever order and however
 * often callbacks arrive (bad input D65). Only for disputes, which an intent does not show, does the callback itself
 * count, and not before the payment they are about is booked. A callback about an intent of others is ignored. Throws
 * 503 if the provider could not be read, so that it calls again.
 */
export async function takeCallback(ctx: ChargeContext, body: Buffer, signature: string): Promise<boolean> {
  const { payments } = ctx;
  if (payments === undefined) return false;
  const callback = await payments.readCallback(body, signature, ctx.clock.now());
  countCallback({ result: callback === undefined ? 'refused' : 'taken' });
  if (callback === undefined) {
    await reportRefused(ctx);
    return false;
  }
  if (callback.kind === 'nothing') return true;
  if (callback.kind === 'page') {
    await handlePage(ctx, payments, callback.pageId);
    return true;
  }
  const attempt = await findAttemptByIntent(ctx.database, callback.intentId);
  if (attempt === undefined) {
    await handleOfTopUp(ctx, payments, callback);
    return true;
  }
  if (callback.kind === 'refunded') return true;
  if (callback.kind === 'intent') {
    await handleIntent(ctx, payments, attempt, callback.intentId);
    return true;
  }
  // A card that was charged stays so. A direct debit may have failed as a whole since.
  if (!isTaking(callback) || attempt.state !== 'succeeded' || attempt.method === 'direct_debit') {
    const intent = await readIntentOrThrow(payments, callback.intentId);
    if (intent.state !== 'accepted' && (attempt.state !== 'succeeded' || callback.kind === 'dispute')) {
      await passOver(ctx, attempt, callback);
      return true;
    }
    if (attempt.state !== 'succeeded') await bookPaid(ctx, payments, attempt, intent);
  }
  const booked = await findAttempt(ctx.database, attempt.id);
  if (booked === undefined) return true;
  await handleDispute(ctx, booked, callback);
  await settleGivenBack(ctx, attempt.account_id, callback);
  return true;
}

/**
 * Settles the orders that wait for what a dispute gave back to the balance, as after a top-up.
 * It commits after the money. If it fails, the callback does, and its repeat settles them.
 */
async function settleGivenBack(ctx: ChargeContext, accountId: Uuid, callback: Callback): Promise<void> {
  if (callback.kind === 'dispute' && !isTaking(callback)) await settleWaitingOrders(ctx, accountId);
}

/** Reads the page of a top-up or of a method that is saved, and books what it says. */
async function handlePage(ctx: ChargeContext, payments: PaymentProvider, pageId: string): Promise<void> {
  const topUp = await findCardTopUpByPage(ctx.database, pageId);
  const saving = topUp === undefined ? await findSavingByPage(ctx.database, pageId) : undefined;
  if (topUp === undefined && saving === undefined) return;
  const seen =
    saving === undefined
      ? topUp && (await lookAtCardTopUp(ctx, payments, topUp, READ_WITHIN_MS))
      : await lookAtSaving(ctx, payments, saving, READ_WITHIN_MS);
  if (seen === undefined) throw unavailable('The payment provider gave no answer. Call again later.');
}

/**
 * Books what was taken back of a top-up. Intents of neither are others' and ignored.
 * A refund or a dispute may be reported before its top-up is booked: that is booked first. While it cannot be, the
 * provider is to call again, so that neither is lost.
 */
async function handleOfTopUp(
  ctx: ChargeContext,
  payments: PaymentProvider,
  callback: Exclude<Callback, { kind: 'nothing' | 'page' }>,
): Promise<void> {
  // That of a page is known by its intent once it is paid. A charge of the saved card is known before.
  const topUp =
    (await findCardTopUpByIntent(ctx.database, callback.intentId)) ?? (await findUnbooked(ctx, payments, callback));
  if (topUp === undefined) return;
  const seen = topUp.state === 'paid' ? { topUp } : await lookAtCardTopUp(ctx, payments, topUp, READ_WITHIN_MS);
  if (seen === undefined) throw unavailable('The payment provider gave no answer. Call again later.');
  const { state, intent_id: intentId } = seen.topUp;
  if (callback.kind !== 'intent' && state === 'open') {
    throw unavailable('The payment is not booked yet. Call again later.');
  }
  if (callback.kind === 'intent' || state !== 'paid' || intentId !== callback.intentId) return;
  await bookTakenBack(ctx, seen.topUp, callback);
  await settleGivenBack(ctx, seen.topUp.account_id, callback);
}

/**
 * The top-up of a refund or a dispute whose payment is not booked, by the page that it was paid on.
 * A refund names that page, a dispute only the intent, which does.
 */
async function findUnbooked(
  { database }: ChargeContext,
  payments: PaymentProvider,
  callback: Exclude<Callback, { kind: 'nothing' | 'page' }>,
): Promise<CardTopUpRow | undefined> {
  if (callback.kind === 'intent') return undefined;
  const pageKey = callback.kind === 'refunded' ? callback.pageKey : await readPageKey(payments, callback.intentId);
  return pageKey === null ? undefined : findCardTopUpById(database, pageKey);
}

/**
 * Books nothing of a dispute, since its payment has failed itself.
 * If it was booked, all of it has come back, and the dispute is about the same money: that is never more than the
 * payment, and none of it comes back, whatever the outcome of the dispute.
 */
async function passOver(ctx: ChargeContext, attempt: AttemptRow, callback: Callback): Promise<void> {
  if (attempt.state === 'succeeded' && isTaking(callback)) return void (await bookFailedDebit(ctx, attempt));
  ctx.log.warn(
    { attempt: attempt.id, about: callback.kind },
    'a dispute of a payment that was not made is passed over',
  );
}

/** Whether a callback says that money was taken, and nothing of any that was given back. */
function isTaking(callback: Callback): boolean {
  if (callback.kind !== 'dispute') return false;
  const { amounts, state } = callback;
  return state !== 'won' && (amounts === 'unreadable' || amounts.reinstatedPence === 0);
}

const countCallback = createCounter({
  name: 'platen_payment_callbacks_total',
  help: 'Signed callbacks of the payment provider, taken or refused for a wrong signature.',
  labels: ['result'],
  series: [{ result: 'taken' }, { result: 'refused' }],
});

/**
 * Opens a task, one a day: callbacks are refused, so payments are noticed late.
 * Anybody can post to the path, so more of them must not make more tasks.
 */
async function reportRefused({ database, clock, log }: ChargeContext): Promise<void> {
  log.warn({}, 'a callback of the payment provider was refused for a wrong signature');
  await openHouseTask(database, { kind: 'callback_refused', note: CALLBACK_REFUSED }, clock.now());
}

const CALLBACK_REFUSED =
  'A callback came to /hooks/stripe with a wrong signature and was refused. Compare STRIPE_WEBHOOK_SECRET with the signing secret of the endpoint at the payment provider: while they differ, disputes stay unknown and failed debits are found late. If they are equal, another sender has posted there, and nothing was done.';

async function handleIntent(
  ctx: ChargeContext,
  payments: PaymentProvider,
  found: AttemptRow,
  intentId: string,
): Promise<void> {
  if (isUnderWay(found)) await readAttempt(ctx, found.id, READ_WITHIN_MS);
  // Another call may have ended it meanwhile, on an older answer than the one this callback announces.
  const attempt = isUnderWay(found) ? await findAttempt(ctx.database, found.id) : found;
  if (attempt === undefined) return;
  const intent = await readIntentOrThrow(payments, intentId);
  // An attempt that is between two steps is left to the call that makes them.
  if (isUnderWay(attempt)) return;
  if (attempt.state === 'failed' && intent.state === 'accepted') await bookPaid(ctx, payments, attempt, intent);
  if (attempt.state === 'succeeded' && (intent.state === 'declined' || intent.state === 'cancelled')) {
    await bookFailedDebit(ctx, attempt);
  }
}

/** The page on which an intent was paid; null for a charge, and for an intent that is not known. */
async function readPageKey(payments: PaymentProvider, intentId: string): Promise<Uuid | null> {
  const result = await payments.readIntent(intentId, READ_WITHIN_MS);
  if (result.kind === 'no_answer') throw unavailable('The payment provider gave no answer. Call again later.');
  return result.kind === 'ok' ? result.value.pageKey : null;
}

async function readIntentOrThrow(payments: PaymentProvider, intentId: string): Promise<Intent> {
  const result = await payments.readIntent(intentId, READ_WITHIN_MS);
  if (result.kind !== 'ok') throw unavailable('The payment provider gave no answer. Call again later.');
  return result.value;
}

/** Books a payment that was taken, but is not booked or was booked as failed. */
async function bookPaid(
  ctx: ChargeContext,
  payments: PaymentProvider,
  attempt: AttemptRow,
  intent: Intent,
): Promise<void> {
  if (!takesPence(intent, attempt.amount_pence)) {
    await openMismatchTask(ctx, attempt, intent);
    return;
  }
  await endAttempt(ctx, attempt, { kind: 'paid', intentId: intent.id });
  await bookIfReturned(ctx, payments, attempt, intent.id);
}
