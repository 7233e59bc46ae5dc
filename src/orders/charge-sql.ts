import type { PaymentMethodKind } from '../billing/postings.ts';
import { type Db, statement } from '../lib/db.ts';
import type { Uuid } from '../lib/ids.ts';

// Attempts on an account's card or direct debit: what is asked of the provider, and what came of it.

export type AttemptRow = {
  id: Uuid;
  order_id: Uuid;
  account_id: Uuid;
  method: PaymentMethodKind;
  provider_reference: string;
  amount_pence: number;
  state: 'open' | 'unknown' | 'succeeded' | 'failed';
  intent_id: string | null;
  created_at: Date;
  returned_at: Date | null;
};

const COLUMNS =
  'id, order_id, account_id, method, provider_reference, amount_pence, state, intent_id, created_at, returned_at';

const BY_ID = statement<AttemptRow>('orders_attempt', `select ${COLUMNS} from payment_attempt where id = $1`);

/** An attempt by its id: sweeps and operators, not customers, ask for it. */
export async function findAttempt(db: Db, id: Uuid): Promise<AttemptRow | undefined> {
  return db.one(BY_ID, [id]);
}

const BY_INTENT = statement<AttemptRow>(
  'orders_attempt_by_intent',
  `select ${COLUMNS} from payment_attempt where intent_id = $1`,
);

/** The attempt that an intent of the provider belongs to; callbacks ask for it. */
export async function findAttemptByIntent(db: Db, intentId: string): Promise<AttemptRow | undefined> {
  return db.one(BY_INTENT, [intentId]);
}

/** No claim takes more attempts than this. */
const CLAIM_MAX = 20;

// Claimed ones are looked at again when the time given is over, so those of a dead process are taken over by another. The older
// an attempt, the longer the wait: an eighth of its age, within bounds.
const CLAIM = statement<AttemptRow>(
  'orders_claim_attempts',
  `update payment_attempt set
     look_at = $1::timestamptz + least(greatest(($1::timestamptz - created_at) / 8, interval '15 seconds'), interval '15 minutes')
   where id = any(array(
     select id from payment_attempt where state in ('open', 'unknown') and look_at <= $1
     order by look_at limit ${CLAIM_MAX} for update skip locked))
   returning ${COLUMNS}`,
);

/** Takes the attempts that are due to be looked at, those that have waited longest first. */
export async function claimAttempts(db: Db, now: Date): Promise<AttemptRow[]> {
  return db.all(CLAIM, [now]);
}

const KEEP_INTENT = statement<{ id: Uuid }>(
  'orders_keep_intent',
  `update payment_attempt set intent_id = $2
   where id = $1 and state in ('open', 'unknown') and (intent_id is null or intent_id = $2)
   returning id`,
);

/** Keeps the provider's id of an attempt's intent; false when the attempt has ended meanwhile. */
export async function keepIntent(db: Db, id: Uuid, intentId: string): Promise<boolean> {
  return (await db.one(KEEP_INTENT, [id, intentId])) !== undefined;
}

const DOUBT = statement<never>(
  'orders_doubt_attempt',
  "update payment_attempt set state = 'unknown', look_at = $2 where id = $1 and state = 'open'",
);

/** Notes that the provider gave no answer; the sweep looks at the attempt from `lookAt` on. */
export async function markUnknown(db: Db, id: Uuid, lookAt: Date): Promise<void> {
  await db.all(DOUBT, [id, lookAt]);
}

const LEAVE = statement<{ id: Uuid }>(
  'orders_leave_attempt',
  `update payment_attempt set state = $2, reason = $3, settled_at = $4
   where id = $1 and (state in ('open', 'unknown') or (state = 'failed' and $2 = 'succeeded'))
   returning id`,
);

/**
 * Ends an attempt, in the transaction that posts what came of it. True for the one caller whose update it was. One that was given
 * up as failed can still turn out to have been paid, never the other way round.
 */
export async function leaveAttempt(
  tx: Db,
  id: Uuid,
  end: { state: 'succeeded' | 'failed'; reason: string; now: Date },
): Promise<boolean> {
  return (await tx.one(LEAVE, [id, end.state, end.reason, end.now])) !== undefined;
}

const PAY = statement<never>(
  'orders_pay_by_method',
  `with new_payment as (
     insert into payment (order_id, id, account_id, method, amount_pence, provider_reference, paid_at)
     values ($1, $3, $2, $4, $5, $6, $7)
   )
   update orders set method_paid_pence = method_paid_pence + $5::bigint, paid_at = $7, attempt_id = null
   where id = $1 and account_id = $2`,
);

type MethodPayment = {
  readonly accountId: Uuid;
  readonly orderId: Uuid;
  /** The attempt's id is the payment's. */
  readonly id: Uuid;
  readonly method: PaymentMethodKind;
  readonly amountPence: number;
  readonly intentId: string;
  readonly now: Date;
};

/** Records on a locked order that its card or direct debit has paid the rest. */
export async function recordMethodPayment(tx: Db, payment: MethodPayment): Promise<void> {
  const { orderId, accountId, id, method, amountPence, intentId, now } = payment;
  await tx.all(PAY, [orderId, accountId, id, method, amountPence, intentId, now]);
}

const UNWANTED = statement<never>(
  'orders_record_unwanted_money',
  `with new_payment as (
     insert into payment (order_id, id, account_id, method, amount_pence, provider_reference, paid_at)
     values ($1, $3, $2, $4, $5, $6, $7)
   ),
   new_refund as (
     insert into refund (order_id, id, account_id, method, payment_id, amount_pence, state, reason, actor, created_at)
     values ($1, $8, $2, $4, $3, $5, 'owed', 'The payment came when the order no longer needed it.', 'system', $7)
   )
   update orders set unwanted_pence = unwanted_pence + $5::bigint, refund_owed_pence = refund_owed_pence + $5::bigint,
     attempt_id = nullif(attempt_id, $3), updated_at = $7, changed_by = pg_current_xact_id()
   where id = $1 and account_id = $2`,
);

/** Records on a locked order money that it does not want any more: a payment, and as much owed to the customer. */
export async function recordUnwantedMoney(tx: Db, payment: MethodPayment & { readonly refundId: Uuid }): Promise<void> {
  const { orderId, accountId, id, method, amountPence, intentId, now, refundId } = payment;
  await tx.all(UNWANTED, [orderId, accountId, id, method, amountPence, intentId, now, refundId]);
}

const RELEASE = statement<never>(
  'orders_release_attempt',
  'update orders set attempt_id = null where id = $1 and account_id = $2 and attempt_id = $3',
);

/** Lets a locked order be paid otherwise: its attempt has failed. */
export async function releaseAttempt(tx: Db, accountId: Uuid, orderId: Uuid, attemptId: Uuid): Promise<void> {
  await tx.all(RELEASE, [orderId, accountId, attemptId]);
}

const RETURN = statement<{ id: Uuid }>(
  'orders_return_attempt',
  `update payment_attempt set returned_at = $2 where id = $1 and state = 'succeeded' and returned_at is null returning id`,
);

/** Notes that the provider took a payment back; true once, however often it says so. */
export async function markReturned(tx: Db, id: Uuid, now: Date): Promise<boolean> {
  return (await tx.one(RETURN, [id, now])) !== undefined;
}
