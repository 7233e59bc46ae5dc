import { type Db, statement } from '../lib/db.ts';
import type { Uuid } from '../lib/ids.ts';
import type { StoredAddress } from '../orders/order-columns.ts';
import { BUYER, type BuyerRow } from './due-sql.ts';
import type { CreditNoteDocument, CreditToNote, InvoiceDocument } from './invoice.ts';

// Invoices and credit notes, which share one number series.

export type InvoiceRow = { order_id: Uuid; number: number; document: InvoiceDocument; issued_at: Date };

const FIND_INVOICE = statement<InvoiceRow>(
  'billing_find_invoice',
  'select order_id, number, document, issued_at from invoice where order_id = $2 and account_id = $1',
);

/** Reads the invoice of an account's order; undefined while it has none. */
export async function findInvoice(db: Db, accountId: Uuid, orderId: Uuid): Promise<InvoiceRow | undefined> {
  return db.one(FIND_INVOICE, [accountId, orderId]);
}

export type BilledOrderRow = {
  id: Uuid;
  account_id: Uuid;
  source: string;
  paid_at: Date | null;
  shipping_address: StoredAddress;
  line_count: number;
};

const BILLED_COLUMNS = 'id, account_id, source, paid_at, shipping_address, line_count';

const BILLED_ORDER = statement<BilledOrderRow>(
  'billing_billed_order',
  `select ${BILLED_COLUMNS} from orders where id = $1`,
);
const OWN_BILLED_ORDER = statement<BilledOrderRow>(
  'billing_own_billed_order',
  `select ${BILLED_COLUMNS} from orders where id = $2 and account_id = $1`,
);

/** Reads what the documents of an order of any account need of it, for operators. */
export async function findBilledOrder(db: Db, id: Uuid): Promise<BilledOrderRow | undefined> {
  return db.one(BILLED_ORDER, [id]);
}

/** As `findBilledOrder`, of an order of this account. */
export async function findOwnBilledOrder(db: Db, accountId: Uuid, id: Uuid): Promise<BilledOrderRow | undefined> {
  return db.one(OWN_BILLED_ORDER, [accountId, id]);
}

export type CreditNoteRow = {
  credit_id: Uuid;
  order_id: Uuid;
  number: number;
  document: CreditNoteDocument;
  issued_at: Date;
};

const LIST_CREDIT_NOTES = statement<CreditNoteRow>(
  'billing_list_credit_notes',
  `select credit_id, order_id, number, document, issued_at from credit_note
   where order_id = $2 and account_id = $1 and credit_id < $3 order by credit_id desc limit $4`,
);

/** Lists the credit notes of an account's order before a given one, latest first. */
export async function listCreditNoteRows(
  db: Db,
  order: { accountId: Uuid; orderId: Uuid },
  page: { before: string; limit: number },
): Promise<CreditNoteRow[]> {
  return db.all(LIST_CREDIT_NOTES, [order.accountId, order.orderId, page.before, page.limit]);
}

const FIND_CREDIT_NOTE = statement<CreditNoteRow>(
  'billing_find_credit_note',
  `select credit_id, order_id, number, document, issued_at from credit_note
   where order_id = $2 and account_id = $1 and credit_id = $3`,
);

/** Reads one credit note of an account's order. */
export async function findCreditNote(
  db: Db,
  order: { accountId: Uuid; orderId: Uuid },
  creditId: Uuid,
): Promise<CreditNoteRow | undefined> {
  return db.one(FIND_CREDIT_NOTE, [order.accountId, order.orderId, creditId]);
}

// An issuer locks the series first, in a statement of its own. What later statements see of invoices and credits is
// then final.
const LOCK_SERIES = statement<{ next_number: number }>(
  'billing_lock_series',
  'select next_number from invoice_series for update',
);

/**
 * Locks the series to the end of the transaction.
 * Two issuers run one after the other, so that no number is ever missing.
 */
export async function lockSeries(tx: Db): Promise<void> {
  if ((await tx.one(LOCK_SERIES, [])) === undefined) throw new Error('the series of invoices has no row');
}

const INSERT_INVOICES = statement<{ order_id: Uuid }>(
  'billing_insert_invoices',
  `with fresh as materialized (
     select g.*, row_number() over (order by g.place) as nth
     from rows from (json_to_recordset($1::json) as (order_id uuid, account_id uuid, document json))
       with ordinality as g(order_id, account_id, document, place)
     where not exists (select from invoice i where i.account_id = g.account_id and i.order_id = g.order_id)
   ),
   taken as (
     update invoice_series set next_number = next_number + (select count(*) from fresh)
     where exists (select from fresh)
     returning next_number - (select count(*) from fresh) as first_number
   )
   insert into invoice (order_id, account_id, number, document, issued_at)
   select f.order_id, f.account_id, t.first_number + f.nth - 1, f.document, $2 from fresh f cross join taken t
   returning order_id`,
);

/** Issues invoices with the next numbers of the locked series. Orders that have one are left out. */
export async function insertInvoices(
  tx: Db,
  invoices: readonly { orderId: Uuid; accountId: Uuid; document: InvoiceDocument }[],
  now: Date,
): Promise<void> {
  const rows = invoices.map(({ orderId, accountId, document }) => ({
    order_id: orderId,
    account_id: accountId,
    document,
  }));
  await tx.all(INSERT_INVOICES, [JSON.stringify(rows), now]);
}

export type CreditToNoteRow = CreditToNote & {
  id: Uuid;
  order_id: Uuid;
  account_id: Uuid;
  invoice_number: number;
  invoice_issued_at: Date;
  invoice: InvoiceDocument;
  buyer: BuyerRow;
};

const CREDITS_TO_NOTE = statement<CreditToNoteRow>(
  'billing_credits_to_note',
  `select c.id, c.order_id, c.account_id, c.lines, c.vat_breakdown, c.net_pence, c.vat_pence, c.duty_pence, c.total_pence,
          c.reason, to_json(c.created_at)#>>'{}' as created_at, i.number as invoice_number, i.issued_at as invoice_issued_at, i.document as invoice,
          ${BUYER} as buyer
   from orders o
     join order_credit c on c.account_id = o.account_id and c.order_id = o.id
     join invoice i on i.account_id = o.account_id and i.order_id = o.id
   where o.id = any($1::uuid[]) and c.noted_at is null
   order by c.id`,
);

/** Reads the credits of some invoiced orders that have no note yet. */
export async function readCreditsToNote(tx: Db, orderIds: readonly Uuid[]): Promise<CreditToNoteRow[]> {
  return tx.all(CREDITS_TO_NOTE, [orderIds]);
}

const INSERT_CREDIT_NOTES = statement<never>(
  'billing_insert_credit_notes',
  `with fresh as materialized (
     select g.*, row_number() over (order by g.place) as nth
     from rows from (json_to_recordset($1::json) as (credit_id uuid, order_id uuid, account_id uuid, document json))
       with ordinality as g(credit_id, order_id, account_id, document, place)
   ),
   taken as (
     update invoice_series set next_number = next_number + (select count(*) from fresh)
     where exists (select from fresh)
     returning next_number - (select count(*) from fresh) as first_number
   ),
   noted as (
     update order_credit c set noted_at = $2 from fresh f
     where c.order_id = f.order_id and c.account_id = f.account_id and c.id = f.credit_id
   )
   insert into credit_note (credit_id, order_id, account_id, number, document, issued_at)
   select f.credit_id, f.order_id, f.account_id, t.first_number + f.nth - 1, f.document, $2 from fresh f cross join taken t`,
);

/** Issues credit notes with the next numbers of the locked series. */
export async function insertCreditNotes(
  tx: Db,
  notes: readonly { creditId: Uuid; orderId: Uuid; accountId: Uuid; document: CreditNoteDocument }[],
  now: Date,
): Promise<void> {
  const rows = notes.map(({ creditId, orderId, accountId, document }) => ({
    credit_id: creditId,
    order_id: orderId,
    account_id: accountId,
    document,
  }));
  await tx.all(INSERT_CREDIT_NOTES, [JSON.stringify(rows), now]);
}

const HAS_CREDIT_TO_NOTE = statement<{ id: Uuid }>(
  'billing_has_credit_to_note',
  'select id from order_credit where order_id = $2 and account_id = $1 and noted_at is null limit 1',
);

/** Tells whether an account's order has a credit whose note is not issued yet. */
export async function hasCreditToNote(db: Db, accountId: Uuid, orderId: Uuid): Promise<boolean> {
  return (await db.one(HAS_CREDIT_TO_NOTE, [accountId, orderId])) !== undefined;
}

const ORDERS_TO_NOTE = statement<{ order_id: Uuid }>(
  'billing_orders_to_note',
  'select order_id from order_credit where noted_at is null order by id limit $1',
);

/**
 * Lists orders of all accounts with a credit whose note is not issued yet, oldest first.
 * For the sweep.
 */
export async function findOrdersToNote(db: Db, limit: number): Promise<Uuid[]> {
  return (await db.all(ORDERS_TO_NOTE, [limit])).map((row) => row.order_id);
}
