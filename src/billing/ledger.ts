import { type Db, statement } from '../lib/db.ts';
import { newId, type Uuid } from '../lib/ids.ts';
import { type Pence, pence, sumPence } from '../lib/money.ts';

/**
 * The accounts of the books. `customer_balance` is one for each customer account (the posting's `account_id` says which) and
 * the only one whose balance is cached; the rest are the house's and are summed. `order_deposits` is what customers have paid
 * for their orders on its way to what it was paid for, so that each charge and each refund is one entry of a statement.
 */
export type LedgerAccount =
  | 'customer_balance'
  | 'bank'
  | 'order_deposits'
  | 'manual_refunds_owed'
  | 'sales'
  | 'setup_fees'
  | 'shipping_income'
  | 'vat_owed'
  | 'duty_owed';

/** What a posting is for. `refund_owed` is what will be paid back by hand. */
export type PostingKind = 'top_up' | 'charge' | 'sale' | 'refund' | 'refund_owed' | 'sale_reversed';

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

/** The postings that charge an order to the customer's balance: what was paid, then what for, but for parts of zero. */
export function chargePostings(amounts: ChargedAmounts): Posting[] {
  const parts = partsOf(amounts);
  const total = sumPence(parts.map(([, amountPence]) => amountPence));
  return [
    ...posted('charge', 'customer_balance', 'order_deposits', total),
    ...parts.flatMap(([account, amountPence]) => posted('sale', 'order_deposits', account, amountPence)),
  ];
}

/**
 * The postings that give all of an order's money back: what it was paid for is undone, the part that came from the balance
 * returns to it, and the rest is owed until somebody has paid it out.
 */
export function fullRefundPostings(
  amounts: ChargedAmounts,
  paid: { readonly balancePence: Pence; readonly methodPence: Pence },
): Posting[] {
  return [
    ...partsOf(amounts).flatMap(([account, amountPence]) =>
      posted('sale_reversed', account, 'order_deposits', amountPence),
    ),
    ...posted('refund', 'order_deposits', 'customer_balance', paid.balancePence),
    ...posted('refund_owed', 'order_deposits', 'manual_refunds_owed', paid.methodPence),
  ];
}

function partsOf(amounts: ChargedAmounts): [LedgerAccount, Pence][] {
  return [
    ['sales', amounts.subtotalPence],
    ['setup_fees', amounts.setupPence],
    ['shipping_income', amounts.shippingPence],
    ['vat_owed', amounts.vatPence],
    ['duty_owed', amounts.dutyPence],
  ];
}

function posted(kind: PostingKind, debit: LedgerAccount, credit: LedgerAccount, amountPence: Pence): Posting[] {
  return amountPence === 0 ? [] : [{ kind, debit, credit, amountPence }];
}

/**
 * Postings as the JSON that the statements read, each with an id of its own. `reference` is what a customer sees beside
 * the entry: the order's reference.
 */
export function postingsJson(postings: readonly Posting[], reference: string): string {
  return JSON.stringify(
    postings.map((posting) => ({
      id: newId(),
      kind: posting.kind,
      debit_account: posting.debit,
      credit_account: posting.credit,
      amount_pence: posting.amountPence,
      reference,
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
  select balance_pence, entries from account_balance
  where account_id = (select ${sql.accountId}::uuid from ${sql.guard})
  for update
),
money as materialized (
  select coalesce((select balance_pence from funds) >= ${sql.totalPence}::bigint, false) as paid
  from ${sql.guard}
  where refuse_unless(exists (select from funds), 'PL003')
),
debit as (
  update account_balance set balance_pence = (select balance_pence from funds) - ${sql.totalPence}::bigint,
    entries = (select entries from funds) + (${sql.totalPence}::bigint > 0)::integer
  where account_id = ${sql.accountId}::uuid and (select paid from money)
),
new_posting as (
  insert into posting (account_id, id, order_id, kind, debit_account, credit_account, amount_pence, reference, created_at,
    entry, balance_after_pence)
  select ${sql.accountId}::uuid, p.id, ${sql.orderId}::uuid, p.kind, p.debit_account, p.credit_account, p.amount_pence,
         p.reference, ${sql.now}::timestamptz,
         case when p.debit_account = 'customer_balance' then (select entries from funds) + 1 end,
         case when p.debit_account = 'customer_balance' then (select balance_pence from funds) - p.amount_pence end
  from money, json_to_recordset(${sql.postings}::json)
       as p(id uuid, kind text, debit_account text, credit_account text, amount_pence bigint, reference text)
  where money.paid
)`;
}

// The lock comes before the insert, whose entry number it guards.
const TOP_UP = statement<{ posted: boolean }>(
  'billing_top_up',
  `with funds as materialized (
     select balance_pence, entries from account_balance where account_id = $1 for update
   ),
   new_posting as (
     insert into posting (account_id, id, kind, debit_account, credit_account, amount_pence, reference, created_at, entry,
       balance_after_pence)
     select $1, $2, 'top_up', 'bank', 'customer_balance', $3, $4, $5, entries + 1, balance_pence + $3::bigint from funds
     on conflict (account_id, reference) where kind = 'top_up' and reference <> '' do nothing
     returning amount_pence
   ),
   credit as (
     update account_balance b
     set balance_pence = (select balance_pence from funds) + p.amount_pence, entries = (select entries from funds) + 1
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

const REFUND = statement<never>(
  'billing_refund',
  `with funds as materialized (
     select balance_pence, entries from account_balance where account_id = $1 for update
   ),
   given as materialized (
     select * from json_to_recordset($3::json)
       as p(id uuid, kind text, debit_account text, credit_account text, amount_pence bigint, reference text)
     where refuse_unless(exists (select from funds), 'PL003')
   ),
   back as (
     select amount_pence from given where credit_account = 'customer_balance'
   ),
   credit as (
     update account_balance
     set balance_pence = (select balance_pence from funds) + (select amount_pence from back),
         entries = (select entries from funds) + 1
     where account_id = $1 and exists (select from back)
   )
   insert into posting (account_id, id, order_id, kind, debit_account, credit_account, amount_pence, reference, created_at,
     entry, balance_after_pence)
   select $1, p.id, $2, p.kind, p.debit_account, p.credit_account, p.amount_pence, p.reference, $4,
          case when p.credit_account = 'customer_balance' then (select entries from funds) + 1 end,
          case when p.credit_account = 'customer_balance' then (select balance_pence from funds) + p.amount_pence end
   from given p`,
);

/**
 * Posts a refund (`fullRefundPostings`) inside the caller's transaction and adds what goes back to the balance; the balance is
 * locked, last of all locks. At most one of the postings may credit the balance.
 */
export async function postRefund(
  tx: Db,
  refund: { accountId: Uuid; orderId: Uuid; postings: readonly Posting[]; reference: string; now: Date },
): Promise<void> {
  const { accountId, orderId, postings, reference, now } = refund;
  await tx.all(REFUND, [accountId, orderId, postingsJson(postings, reference), now]);
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

export type EntryRow = {
  entry: number;
  order_id: Uuid | null;
  kind: PostingKind;
  is_credit: boolean;
  amount_pence: number;
  balance_after_pence: number;
  reference: string;
  created_at: Date;
};

const ENTRIES = statement<EntryRow>(
  'billing_entries',
  `select entry, order_id, kind, credit_account = 'customer_balance' as is_credit, amount_pence, balance_after_pence,
          reference, created_at
   from posting where account_id = $1 and entry is not null and entry < $2
   order by entry desc limit $3`,
);

/** The entries of an account's statement that come before one, the latest first. */
export async function listEntries(
  db: Db,
  accountId: Uuid,
  page: { before: number; limit: number },
): Promise<EntryRow[]> {
  return db.all(ENTRIES, [accountId, page.before, page.limit]);
}
