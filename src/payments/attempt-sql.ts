import type { PaymentMethodKind } from '../billing/postings.ts';
import { type Db, statement } from '../lib/db.ts';
import { newId, type Uuid } from '../lib/ids.ts';
import { WAS_SET_OFF } from '../orders/read-sql.ts';

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
  /** How much of it came back; null for all of it. */
  returned_pence: number | null;
  dispute_id: string | null;
  /** Those that were won before it. */
  past_disputes: string[];
  recovered_at: Date | null;
  won_at: Date | null;
};

const COLUMNS =
  'id, order_id, account_id, method, provider_reference, amount_pence, state, intent_id, created_at, returned_at, returned_pence, dispute_id, past_disputes, recovered_at, won_at';

const BY_ID = statement<AttemptRow>('orders_attempt', `select ${COLUMNS} from payment_attempt where id = $1`);

/** An attempt by its id: sweeps and operators, not customers, ask for it. */
export async function findAttempt(db: Db, id: Uuid): Promise<AttemptRow | undefined> {
  return db.one(BY_ID, [id]);
}

/** Whether nobody knows yet how an attempt ends. */
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

/** How many attempts are under way over all accounts, and the references of the first orders among them; for operators. */
export async function readUnderWay(db: Db, namedMax: number): Promise<{ attempts: number; orders: string[] }> {
  const row = await db.one(UNDER_WAY, [namedMax]);
  if (row === undefined) throw new Error('a count of attempts has no row');
  return row;
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

/** How long the process that learned of a failure has it to itself to try the balance; the sweep does it afterwards. */
const BALANCE_HEAD_START_SECONDS = 30;

const LEAVE = statement<{ id: Uuid }>(
  'orders_leave_attempt',
  `update payment_attempt set state = $2, reason = $3, settled_at = $4,
     try_balance_at = case when $2 = 'failed' then $4::timestamptz + interval '${BALANCE_HEAD_START_SECONDS} seconds' end
   where id = $1 and (state in ('open', 'unknown') or (state = 'failed' and $2 = 'succeeded'))
   returning id`,
);

/**
 * Ends an attempt, in the transaction that posts what came of it. True for the one caller whose update it was. One that was given
 * up as failed can still turn out to have been paid, never the other way round. After one that has failed the balance is to be tried.
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
     attempt_id = nullif(attempt_id, $3)
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

// One that was won makes room for another dispute of the same payment.
const RETURN = statement<{ id: Uuid }>(
  'orders_return_attempt',
  `update payment_attempt set returned_at = $2, returned_pence = $3, dispute_id = $4, recovered_at = null, won_at = null,
     past_disputes = case when dispute_id is null then past_disputes else array_append(past_disputes, dispute_id) end,
     returned_before_pence = returned_before_pence
       + case when returned_at is null then 0 else coalesce(returned_pence, amount_pence) end
   where id = $1 and state = 'succeeded' and (
     (returned_at is null and recovered_at is null)
     or (won_at is not null and $4::text <> dispute_id and not $4::text = any(past_disputes)))
   returning id`,
);

/**
 * Notes that the provider took so much of a payment back; true once, however often it says so, and for one whose dispute was won only
 * when it is another dispute.
 */
export async function markReturned(
  tx: Db,
  id: Uuid,
  back: { returnedPence: number; disputeId: string | null; now: Date },
): Promise<boolean> {
  return (await tx.one(RETURN, [id, back.now, back.returnedPence, back.disputeId])) !== undefined;
}

const COLLECT = statement<never>(
  'orders_collect_attempt',
  'update payment_attempt set recovered_at = $3 where id = $1 and account_id = $2',
);

/** Notes, under the lock of its order, that a payment which came back was collected. */
export async function markCollected(tx: Db, accountId: Uuid, id: Uuid, now: Date): Promise<void> {
  await tx.all(COLLECT, [id, accountId, now]);
}

const WIN = statement<never>(
  'orders_win_attempt',
  `update payment_attempt
   set won_at = $3, recovered_at = coalesce(recovered_at, $3), dispute_id = coalesce(dispute_id, $4)
   where id = $1 and account_id = $2`,
);

/** Notes, under the lock of its order, that a dispute of a payment was won. */
export async function markWon(tx: Db, accountId: Uuid, id: Uuid, won: { disputeId: string; now: Date }): Promise<void> {
  await tx.all(WIN, [id, accountId, won.now, won.disputeId]);
}

const SET_OFF = statement<{ pence: number }>(
  'orders_set_off',
  `select coalesce(sum(r.amount_pence), 0)::bigint as pence
   from payment_attempt a join refund r on r.account_id = a.account_id and r.order_id = a.order_id and r.payment_id = a.id
   where a.id = $1 and a.account_id = $2 and ${WAS_SET_OFF}`,
);

/** What was set off, against refunds of it, of what a customer owes for a payment that came back. */
export async function readSetOff(tx: Db, accountId: Uuid, id: Uuid): Promise<number> {
  return (await tx.one(SET_OFF, [id, accountId]))?.pence ?? 0;
}

// Of the refund that is only partly set off, the rest becomes one of its own.
const SET_OFF_REFUNDS = statement<never>(
  'orders_set_off_refunds',
  `with owed as (
     select id, amount_pence, sum(amount_pence) over (order by id) - amount_pence as before
     from refund where order_id = $1 and account_id = $2 and payment_id = $3 and state = 'owed'
   ),
   taken as (
     select id, amount_pence, least(amount_pence, $4::bigint - before)::bigint as set_off_pence from owed where before < $4::bigint
   ),
   rest as (
     insert into refund (order_id, id, account_id, method, payment_id, credit_id, amount_pence, state, reason, actor, created_at)
     select r.order_id, $6, r.account_id, r.method, r.payment_id, r.credit_id, t.amount_pence - t.set_off_pence, 'owed', r.reason,
            r.actor, r.created_at
     from taken t join refund r on r.account_id = $2 and r.order_id = $1 and r.id = t.id where t.set_off_pence < t.amount_pence
   ),
   done as (
     update refund r set state = 'done', done_at = $5, amount_pence = t.set_off_pence
     from taken t where r.order_id = $1 and r.account_id = $2 and r.id = t.id
     returning r.amount_pence
   )
   update orders set
     refunded_pence = refunded_pence + (select coalesce(sum(amount_pence), 0) from done),
     refund_owed_pence = refund_owed_pence - (select coalesce(sum(amount_pence), 0) from done)
   where id = $1 and account_id = $2`,
);

/**
 * What a locked order still owes of a payment is set off, up to `setOffPence`, against what its customer owes of it: what was to be
 * paid back longest first.
 */
export async function setOffRefunds(
  tx: Db,
  of: { accountId: Uuid; orderId: Uuid; paymentId: Uuid; setOffPence: number; now: Date },
): Promise<void> {
  if (of.setOffPence === 0) return;
  const restId = newId(of.now.getTime());
  await tx.all(SET_OFF_REFUNDS, [of.orderId, of.accountId, of.paymentId, of.setOffPence, of.now, restId]);
}

const OWE_SET_OFF = statement<never>(
  'orders_owe_set_off',
  `with again as (
     update refund r set state = 'owed', done_at = null from payment_attempt a
     where a.id = $3 and a.account_id = $2 and r.order_id = $1 and r.account_id = $2 and r.payment_id = $3 and ${WAS_SET_OFF}
     returning r.amount_pence
   )
   update orders set
     refunded_pence = refunded_pence - (select coalesce(sum(amount_pence), 0) from again),
     refund_owed_pence = refund_owed_pence + (select coalesce(sum(amount_pence), 0) from again)
   where id = $1 and account_id = $2`,
);

/** What was set off against refunds of a payment is owed again on a locked order: the customer does not have that money any more. */
export async function oweSetOff(tx: Db, of: { accountId: Uuid; orderId: Uuid; paymentId: Uuid }): Promise<void> {
  await tx.all(OWE_SET_OFF, [of.orderId, of.accountId, of.paymentId]);
}

const CLAIM_FAILED = statement<AttemptRow>(
  'orders_claim_failed',
  `update payment_attempt set try_balance_at = $1::timestamptz + interval '${BALANCE_HEAD_START_SECONDS} seconds'
   where id = any(array(
     select id from payment_attempt where try_balance_at <= $1
     order by try_balance_at limit ${CLAIM_MAX} for update skip locked))
   returning ${COLUMNS}`,
);

/** Takes attempts that have failed and after which nobody has tried the balance, those that have waited longest first. */
export async function claimFailed(db: Db, now: Date): Promise<AttemptRow[]> {
  return db.all(CLAIM_FAILED, [now]);
}

const BALANCE_TRIED = statement<never>(
  'orders_balance_tried',
  'update payment_attempt set try_balance_at = null where id = $1 and account_id = $2 and try_balance_at is not null',
);

/** The balance was tried after an attempt that has failed. */
export async function markBalanceTried(db: Db, accountId: Uuid, id: Uuid): Promise<void> {
  await db.all(BALANCE_TRIED, [id, accountId]);
}
