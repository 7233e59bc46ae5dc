import type { Context } from '../lib/context.ts';
import { LAST_ID, type Uuid } from '../lib/ids.ts';
import { type Page, readPage, toPage } from '../lib/paging.ts';
import type { BilledOrder } from './billed-order.ts';
import type { CreditNote, ListCreditNotesQuery } from './schema.ts';
import {
  type CreditNoteRow,
  findCreditNote,
  findInvoice,
  findOrdersToNote,
  hasCreditToNote,
  type InvoiceRow,
  listCreditNoteRows,
} from './sql.ts';
import { creditNoteView } from './view.ts';

type ReadContext = Pick<Context, 'database'>;

/** The order whose documents are read. */
type DocumentsOf = Pick<BilledOrder, 'accountId' | 'orderId'>;

/** Reads the invoice of an order; undefined while it has none. */
export async function readInvoice(ctx: ReadContext, of: DocumentsOf): Promise<InvoiceRow | undefined> {
  return findInvoice(ctx.database, of.accountId, of.orderId);
}

/** Reads one credit note of an order; undefined when it has none of that id. */
export async function readCreditNote(
  ctx: ReadContext,
  of: DocumentsOf,
  creditId: Uuid,
): Promise<CreditNoteRow | undefined> {
  return findCreditNote(ctx.database, of, creditId);
}

/** Lists the credit notes of an order, latest first. */
export async function listCreditNotes(
  ctx: ReadContext,
  of: DocumentsOf & Pick<BilledOrder, 'deliverTo'>,
  query: ListCreditNotesQuery,
): Promise<Page<CreditNote>> {
  const { limit, after } = readPage('cn', query);
  const rows = await listCreditNoteRows(ctx.database, of, { before: after ?? LAST_ID, limit: limit + 1 });
  return toPage(
    rows,
    limit,
    (row) => creditNoteView(row, of.deliverTo),
    (note) => note.id,
  );
}

/** Tells whether an order has a credit whose note is not issued yet. */
export async function isCreditToNote(ctx: ReadContext, of: DocumentsOf): Promise<boolean> {
  return hasCreditToNote(ctx.database, of.accountId, of.orderId);
}

/**
 * Lists orders of all accounts with a credit whose note is not issued yet, oldest first.
 * For the sweep.
 */
export async function listOrdersToNote(ctx: ReadContext, limit: number): Promise<Uuid[]> {
  return findOrdersToNote(ctx.database, limit);
}
