import { type Db, statement } from '../lib/db.ts';
import { newId, type Uuid } from '../lib/ids.ts';
import { type Pence, pence } from '../lib/money.ts';

/**
 * The accounts of the books. `customer_balance` is one for each customer account (the posting's `account_id` says which) and
 * the only one whose balance is cached; the rest are the house's and are summed.
 */
export type LedgerAccount =
  | 'customer_balance'
  | 'bank'
  | 'order_deposits'
  | 'sales'
  | 'setup_fees'
  | 'shipping_income'
  | 'vat_owed'
  | 'duty_owed';

/** What a posting is for. */
export type PostingKind = 'top_up' | 'charge';

/** One double entry: `amountPence` moves from the debit side to the credit side, so the books sum to zero by construction. */
export type Posting = {
  readonly kind: PostingKind;
  readonly debit: LedgerAccount;
  readonly credit: LedgerAccount;
  readonly amountPence: Pence;
};

/** The money of an order as the books see it. */
export type ChargedAmounts = {
  readonly subtotalPence: Pence;
  readonly setupPence: Pence;
  readonly shippingPence: Pence;
  readonly vatPence: Pence;
  readonly dutyPence: Pence;
};

/** The postings that charge an order to the customer's balance, one for each part that is not zero. */
export function chargePostings(amounts: ChargedAmounts): Posting[] {
  const parts: [LedgerAccount, Pence][] = [
    ['sales', amounts.subtotalPence],
    ['setup_fees', amounts.setupPence],
    ['shipping_income', amounts.shippingPence],
    ['vat_owed', amounts.vatPence],
    ['duty_owed', amounts.dutyPence],
  ];
  return parts
    .filter(([, amountPence]) => amountPence > 0)
    .map(([credit, amountPence]) => ({ kind: 'charge', debit: 'customer_balance', credit, amountPence }));
}

/** Postings as the JSON that `chargeCtes` reads, each with an id of its own. */
export function postingsJson(postings: readonly Posting[]): string {
  return JSON.stringify(
    postings.map((posting) => ({
      id: newId(),
      kind: posting.kind,
      debit_account: posting.debit,
      credit_account: posting.credit,
      amount_pence: posting.amountPence,
    })),
  );
}

/**
 * SQL of the common table expressions that charge an order inside a larger statement. `funds` locks the account's balance
 * and reads it, last of all locks; `money` decides once whether it covers the total; `debit` and `new_posting` write only if
 * it does. All stand behind `guard`, a table expression that has a row exactly when the order is to be written.
 */
export function chargeCtes(sql: {
  guard: string;
  accountId: string;
  orderId: string;
  totalPence: string;
  postings: string;
  now: string;
}): string {
  // The account's id comes through a scalar sub-query on the guard: no guard row, no lock. It must not be a join, since a
  // row that changed while its lock was waited for is checked again, and a written table expression is not read again.
  //
  // The debit starts from the balance that was locked. From the column it would first be computed from the row as it was when
  // the statement began, and a top-up since then would not keep the check constraint from refusing that.
  return `
funds as materialized (
  select balance_pence from account_balance
  where account_id = (select ${sql.accountId}::uuid from ${sql.guard})
  for update
),
money as materialized (
  select coalesce((select balance_pence from funds) >= ${sql.totalPence}::bigint, false) as paid
  from ${sql.guard}
  where refuse_unless(exists (select from funds), 'PL003')
),
debit as (
  update account_balance set balance_pence = (select balance_pence from funds) - ${sql.totalPence}::bigint
  where account_id = ${sql.accountId}::uuid and (select paid from money)
),
new_posting as (
  insert into posting (account_id, id, order_id, kind, debit_account, credit_account, amount_pence, created_at)
  select ${sql.accountId}::uuid, p.id, ${sql.orderId}::uuid, p.kind, p.debit_account, p.credit_account, p.amount_pence,
         ${sql.now}::timestamptz
  from money, json_to_recordset(${sql.postings}::json)
       as p(id uuid, kind text, debit_account text, credit_account text, amount_pence bigint)
  where money.paid
)`;
}

const TOP_UP = statement<{ posted: boolean }>(
  'billing_top_up',
  `with new_posting as (
     insert into posting (account_id, id, kind, debit_account, credit_account, amount_pence, reference, created_at)
     select account_id, $2, 'top_up', 'bank', 'customer_balance', $3, $4, $5 from account_balance where account_id = $1
     on conflict (account_id, reference) where kind = 'top_up' and reference <> '' do nothing
     returning amount_pence
   ),
   credit as (
     update account_balance b set balance_pence = b.balance_pence + p.amount_pence
     from new_posting p where b.account_id = $1
   )
   select exists (select from new_posting) as posted from account_balance where account_id = $1`,
);

/**
 * Posts a top-up and adds it to the cached balance in one statement. A `reference` that was used before posts nothing.
 * Returns undefined for an unknown account.
 */
export async function postTopUp(
  db: Db,
  topUp: { accountId: Uuid; amountPence: Pence; reference: string; now: Date },
): Promise<{ posted: boolean } | undefined> {
  return db.one(TOP_UP, [topUp.accountId, newId(), topUp.amountPence, topUp.reference, topUp.now]);
}

const BALANCE = statement<{ balance_pence: number }>(
  'billing_balance',
  'select balance_pence from account_balance where account_id = $1',
);

/** The cached balance of an account, which equals its postings at all times; undefined for an unknown account. */
export async function readBalance(db: Db, accountId: Uuid): Promise<Pence | undefined> {
  const row = await db.one(BALANCE, [accountId]);
  return row === undefined ? undefined : pence(row.balance_pence);
}

const TOP_UP_AMOUNT = statement<{ amount_pence: number }>(
  'billing_top_up_amount',
  "select amount_pence from posting where account_id = $1 and reference = $2 and kind = 'top_up' and reference <> ''",
);

/** What was posted under a top-up's reference. */
export async function findTopUp(db: Db, accountId: Uuid, reference: string): Promise<Pence | undefined> {
  const row = await db.one(TOP_UP_AMOUNT, [accountId, reference]);
  return row === undefined ? undefined : pence(row.amount_pence);
}
