import { type Db, statement } from '../lib/db.ts';
import type { Uuid } from '../lib/ids.ts';
import type { InvoiceDocument } from './invoice.ts';

export type InvoiceRow = { order_id: Uuid; number: number; document: InvoiceDocument; issued_at: Date };

const FIND_INVOICE = statement<InvoiceRow>(
  'billing_find_invoice',
  'select order_id, number, document, issued_at from invoice where order_id = $2 and account_id = $1',
);

/** The invoice of an account's order, undefined while it has none. */
export async function findInvoice(db: Db, accountId: Uuid, orderId: Uuid): Promise<InvoiceRow | undefined> {
  return db.one(FIND_INVOICE, [accountId, orderId]);
}

/** PostgreSQL's unique violation: another request has issued the same invoice in the meantime. */
export const ISSUED_MEANWHILE = '23505';

// The number is taken and used in one statement: undone together, so none is ever missing. The row of the series is locked to
// the end of it, which is why invoices are issued apart from the placing.
const INSERT_INVOICE = statement<InvoiceRow>(
  'billing_insert_invoice',
  `with taken as (
     update invoice_series set next_number = next_number + 1 returning next_number - 1 as number
   )
   insert into invoice (order_id, account_id, number, document, issued_at)
   select $2, $1, number, $3::json, $4 from taken
   returning order_id, number, document, issued_at`,
);

/** Issues an invoice with the next number. Fails with `ISSUED_MEANWHILE` when the order has one. */
export async function insertInvoice(
  db: Db,
  invoice: { accountId: Uuid; orderId: Uuid; document: InvoiceDocument; now: Date },
): Promise<InvoiceRow> {
  const { accountId, orderId, document, now } = invoice;
  const row = await db.one(INSERT_INVOICE, [accountId, orderId, JSON.stringify(document), now]);
  if (row === undefined) throw new Error('the series of invoices has no row');
  return row;
}
