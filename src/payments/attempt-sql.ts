import type { PaymentMethodKind } from '../billing/postings.ts';
import { type Db, statement } from '../lib/db.ts';
import type { Uuid } from '../lib/ids.ts';
import { COUNTED_MAX } from '../lib/queue.ts';

// Payment attempts: charges of an account's card or direct debit, and how they ended.

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
  /** How much of it was returned; null for all of it. */
  returned_pence: number | null;
  /** The dispute that took the money, or was won; no name of one where several are open. */
  dispute_id: string | null;
  /** Earlier disputes of the payment that have given all back. */
  past_disputes: string[];
  /** What came back before that, and was collected or given back since. */
  returned_before_pence: number;
  recovered_at: Date | null;
  won_at: Date | null;
};

/** SQL of the columns of an `AttemptRow`. */
export const ATTEMPT_COLUMNS =
  'id, order_id, account_id, method, provider_reference, amount_pence, state, intent_id, created_at, returned_at, returned_pence, dispute_id, past_disputes, returned_before_pence, recovered_at, won_at';

const BY_ID = statement<AttemptRow>('orders_attempt', `select ${ATTEMPT_COLUMNS} from payment_attempt where id = $1`);

/** Finds an attempt of any account by its id: for sweeps and operators, never for customers. */
export async function findAttempt(db: Db, id: Uuid): Promise<AttemptRow | undefined> {
  return db.one(BY_ID, [id]);
}

/** Whether the outcome of an attempt is not known yet. */
export function isUnderWay({ state }: Pick<AttemptRow, 'state'>): boolean {
  return state === 'open' || state === 'unknown';
}

const UNDER_WAY = statement<{ attempts: number; orders: string[] }>(
  'orders_attempts_under_way',
  `select (select count(*) from payment_attempt where state in ('open', 'unknown')) as attempts,
     array(
       select o.reference from payment_attempt a join orders o on o.account_id = a.account_id and o.id = a.order_id
       where a.state in ('open', 'unknown') order by a.look_at limit $1
     ) as orders`,
);

/**
 * Counts the attempts under way over all accounts; for operators.
 * `orders` has the references of the first orders among them, at most `namedMax`.
 */
export async function readUnderWay(db: Db, namedMax: number): Promise<{ attempts: number; orders: string[] }> {
  const row = await db.one(UNDER_WAY, [namedMax]);
  if (row === undefined) throw new Error('a count of attempts has no row');
  return row;
}

export type UnresolvedAttempts = { readonly open: number; readonly unknown: number; readonly began_at: Date | null };

const UNRESOLVED = statement<UnresolvedAttempts>(
  'orders_attempts_unresolved',
  `select count(*) filter (where state = 'open') as open, count(*) filter (where state = 'unknown') as unknown,
     min(created_at) as began_at
   from (
     select state, created_at from payment_attempt where state in ('open', 'unknown') order by look_at limit ${COUNTED_MAX}
   ) as under_way`,
);

/** Counts the attempts under way by state, up to `COUNTED_MAX` in all, and finds when the oldest began. */
export async function countUnresolved(db: Db): Promise<UnresolvedAttempts> {
  return (await db.one(UNRESOLVED, [])) ?? { open: 0, unknown: 0, began_at: null };
}

const BY_INTENT = statement<AttemptRow>(
  'orders_attempt_by_intent',
  `select ${ATTEMPT_COLUMNS} from payment_attempt where intent_id = $1`,
);

/** Finds the attempt of a provider's intent; for callbacks. */
export async function findAttemptByIntent(db: Db, intentId: string): Promise<AttemptRow | undefined> {
  return db.one(BY_INTENT, [intentId]);
}

/** Most attempts that one claim takes. */
export const CLAIM_MAX = 20;

// A claim is a lease: the attempt is due again at its end, so another process takes over from a dead one. The older
// an attempt, the longer the lease: an eighth of its age, within bounds.
const CLAIM = statement<AttemptRow>(
  'orders_claim_attempts',
  `update payment_attempt set
     look_at = $1::timestamptz + least(greatest(($1::timestamptz - created_at) / 8, interval '15 seconds'), interval '15 minutes')
   where id = any(array(
     select id from payment_attempt where state in ('open', 'unknown') and look_at <= $1
     order by look_at limit ${CLAIM_MAX} for update skip locked))
   returning ${ATTEMPT_COLUMNS}`,
);

/** Claims the attempts that are due, those that have waited longest first. */
export async function claimAttempts(db: Db, now: Date): Promise<AttemptRow[]> {
  return db.all(CLAIM, [now]);
}

const STORE_INTENT = statement<{ id: Uuid }>(
  'orders_keep_intent',
  `update payment_attempt set intent_id = $2
   where id = $1 and state in ('open', 'unknown') and (intent_id is null or intent_id = $2)
   returning id`,
);

/** Stores the id of an attempt's intent; false if the attempt has ended or has another intent. */
export async function storeIntentId(db: Db, id: Uuid, intentId: string): Promise<boolean> {
  return (await db.one(STORE_INTENT, [id, intentId])) !== undefined;
}

const MARK_UNKNOWN = statement<never>(
  'orders_doubt_attempt',
  "update payment_attempt set state = 'unknown', look_at = $2 where id = $1 and state = 'open'",
);

/**
 * Marks an open attempt as `unknown`, since the provider gave no answer.
 * The sweep looks at it from `lookAt` on.
 */
export async function markUnknown(db: Db, id: Uuid, lookAt: Date): Promise<void> {
  await db.all(MARK_UNKNOWN, [id, lookAt]);
}

/** How long the process that learned of a failure may try the balance before the sweep does. */
const BALANCE_HEAD_START_SECONDS = 30;

const MARK_ENDED = statement<{ id: Uuid }>(
  'orders_leave_attempt',
  `update payment_attempt set state = $2, reason = $3, settled_at = $4,
     try_balance_at = case when $2 = 'failed' then $4::timestamptz + interval '${BALANCE_HEAD_START_SECONDS} seconds' end
   where id = $1 and (state in ('open', 'unknown') or (state = 'failed' and $2 = 'succeeded'))
   returning id`,
);

/**
 * Marks an attempt as ended, in the transaction that posts its outcome.
 * Returns true to the one caller whose update it was. A failed attempt can still turn out to have succeeded, never
 * the reverse. After a failed one the balance is due to be tried.
 */
export async function markEnded(
  tx: Db,
  id: Uuid,
  end: { state: 'succeeded' | 'failed'; reason: string; now: Date },
): Promise<boolean> {
  return (await tx.one(MARK_ENDED, [id, end.state, end.reason, end.now])) !== undefined;
}

// Of a payment that is too much, the rest is owed: another order paid a setup while the charge was under way.
const RECORD_PAYMENT = statement<never>(
  'orders_pay_by_method',
  `with new_payment as (
     insert into payment (order_id, id, account_id, method, amount_pence, provider_reference, paid_at)
     values ($1, $3, $2, $4, $5, $6, $7)
   ),
   new_refund as (
     insert into refund (order_id, id, account_id, method, payment_id, amount_pence, state, reason, actor, created_at)
     select $1, $9, $2, $4, $3, $8::bigint, 'owed', 'Another order paid the setup while this was charged.', 'system', $7
     where $8::bigint > 0
   )
   update orders set method_paid_pence = method_paid_pence + $5::bigint - $8::bigint,
     unwanted_pence = unwanted_pence + $8::bigint, refund_owed_pence = refund_owed_pence + $8::bigint,
     paid_at = $7, attempt_id = null
   where id = $1 and account_id = $2`,
);

type MethodPayment = {
  readonly accountId: Uuid;
  readonly orderId: Uuid;
  /** The attempt's id, which is also the payment's. */
  readonly id: Uuid;
  readonly method: PaymentMethodKind;
  readonly amountPence: number;
  readonly intentId: string;
  readonly now: Date;
};

/** Records on a locked order that its card or direct debit paid the rest, and what of that is owed. */
export async function recordMethodPayment(
  tx: Db,
  payment: MethodPayment & { readonly unwantedPence: number; readonly refundId: Uuid },
): Promise<void> {
  const { orderId, accountId, id, method, amountPence, intentId, now, unwantedPence, refundId } = payment;
  const values = [orderId, accountId, id, method, amountPence, intentId, now, unwantedPence, refundId];
  await tx.all(RECORD_PAYMENT, values);
}

const RECORD_UNWANTED = statement<never>(
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
     attempt_id = nullif(attempt_id, $3)
   where id = $1 and account_id = $2`,
);

/** Records a payment that a locked order no longer needs, and as much owed to the customer. */
export async function recordUnwantedPayment(
  tx: Db,
  payment: MethodPayment & { readonly refundId: Uuid },
): Promise<void> {
  const { orderId, accountId, id, method, amountPence, intentId, now, refundId } = payment;
  await tx.all(RECORD_UNWANTED, [orderId, accountId, id, method, amountPence, intentId, now, refundId]);
}

const RELEASE = statement<never>(
  'orders_release_attempt',
  'update orders set attempt_id = null where id = $1 and account_id = $2 and attempt_id = $3',
);

/** Clears the failed attempt of a locked order, so that the order can be paid otherwise. */
export async function releaseAttempt(tx: Db, accountId: Uuid, orderId: Uuid, attemptId: Uuid): Promise<void> {
  await tx.all(RELEASE, [orderId, accountId, attemptId]);
}

const MARK_COLLECTED = statement<never>(
  'orders_collect_attempt',
  'update payment_attempt set recovered_at = $3 where id = $1 and account_id = $2',
);

/** Marks a returned payment as collected by bank. The caller holds the lock of its order. */
export async function markCollected(tx: Db, accountId: Uuid, id: Uuid, now: Date): Promise<void> {
  await tx.all(MARK_COLLECTED, [id, accountId, now]);
}

const CLAIM_FAILED = statement<AttemptRow>(
  'orders_claim_failed',
  `update payment_attempt set try_balance_at = $1::timestamptz + interval '${BALANCE_HEAD_START_SECONDS} seconds'
   where id = any(array(
     select id from payment_attempt where try_balance_at <= $1
     order by try_balance_at limit ${CLAIM_MAX} for update skip locked))
   returning ${ATTEMPT_COLUMNS}`,
);

/** Claims failed attempts after which the balance was not tried yet, the longest waiting first. */
export async function claimFailedAttempts(db: Db, now: Date): Promise<AttemptRow[]> {
  return db.all(CLAIM_FAILED, [now]);
}

const BALANCE_TRIED = statement<never>(
  'orders_balance_tried',
  'update payment_attempt set try_balance_at = null where id = $1 and account_id = $2 and try_balance_at is not null',
);

/** Notes that the balance was tried after a failed attempt. */
export async function markBalanceTried(db: Db, accountId: Uuid, id: Uuid): Promise<void> {
  await db.all(BALANCE_TRIED, [id, accountId]);
}
