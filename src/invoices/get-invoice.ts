import type { Caller } from '../lib/caller.ts';
import { ApiError, notFound } from '../lib/errors.ts';
import { parseId } from '../lib/ids.ts';
import type { Page } from '../lib/paging.ts';
import { type RenderedPdf, renderPdf } from '../lib/pdf/document.ts';
import { findOrder } from '../orders/read-orders.ts';
import type { PaymentsContext } from '../payments/context.ts';
import { issueForOrders } from './issue-due.ts';
import { creditNotePdf, invoicePdf } from './pdf.ts';
import { type DocumentsOf, isCreditToNote, listCreditNotes, readCreditNote, readInvoice } from './read-documents.ts';
import type { CreditNote, Invoice, ListCreditNotesQuery } from './schema.ts';
import { creditNoteNumber, creditNoteView, invoiceNumber, invoiceView } from './view.ts';

/**
 * Returns the VAT invoice of an order, and issues it if the sweep has not done so yet.
 * Once issued it never changes. 404 for an unknown order and another account's; 409 while the order is not paid, since
 * there is nothing to invoice yet, and for a replacement, which is not charged.
 */
export async function getInvoice(ctx: PaymentsContext, caller: Caller, idOrReference: string): Promise<Invoice> {
  return invoiceView(await issuedInvoice(ctx, caller, idOrReference));
}

/**
 * Draws the same invoice as PDF, named by its number.
 * Throws as `getInvoice`, and 503 when too many documents wait to be drawn.
 */
export async function drawInvoice(ctx: PaymentsContext, caller: Caller, idOrReference: string): Promise<RenderedPdf> {
  const invoice = await issuedInvoice(ctx, caller, idOrReference);
  return { fileName: `${invoiceNumber(invoice.number)}.pdf`, pdf: await renderPdf(invoicePdf(invoice), ctx.asker) };
}

/** Lists the credit notes of an order, latest first: one for each credit. 404 as above. */
export async function listOrderCreditNotes(
  ctx: PaymentsContext,
  caller: Caller,
  idOrReference: string,
  query: ListCreditNotesQuery,
): Promise<Page<CreditNote>> {
  return listCreditNotes(ctx, await withNotes(ctx, caller, idOrReference), query);
}

/** Returns one credit note of an order. 404 for an unknown one, one of another order, and as above. */
export async function getCreditNote(
  ctx: PaymentsContext,
  caller: Caller,
  which: { readonly idOrReference: string; readonly creditNote: string },
): Promise<CreditNote> {
  return creditNoteView(await issuedNote(ctx, caller, which));
}

/** Draws the same credit note as PDF, named by its number. */
export async function drawCreditNote(
  ctx: PaymentsContext,
  caller: Caller,
  which: { readonly idOrReference: string; readonly creditNote: string },
): Promise<RenderedPdf> {
  const note = await issuedNote(ctx, caller, which);
  return { fileName: `${creditNoteNumber(note.number)}.pdf`, pdf: await renderPdf(creditNotePdf(note), ctx.asker) };
}

async function issuedInvoice(ctx: PaymentsContext, caller: Caller, idOrReference: string) {
  const order = await findOrder(ctx, caller, idOrReference);
  if (order === undefined) throw notFound();
  if (order.source === 'replacement') {
    throw new ApiError(
      'conflict',
      'This order replaces pieces of another and is not charged, so there is no invoice for it.',
    );
  }
  if (order.paid_at === null) {
    throw new ApiError('conflict', 'This order has not been paid, so there is no invoice for it yet.');
  }
  const of = { accountId: caller.accountId, orderId: order.id };
  const issued = await readInvoice(ctx, of);
  if (issued !== undefined) return issued;
  await issueForOrders(ctx, [order.id]);
  const invoice = await readInvoice(ctx, of);
  if (invoice === undefined) throw new Error('an invoice that was just issued is gone');
  return invoice;
}

async function withNotes(ctx: PaymentsContext, caller: Caller, idOrReference: string): Promise<DocumentsOf> {
  const order = await findOrder(ctx, caller, idOrReference);
  if (order === undefined) throw notFound();
  const of = { accountId: caller.accountId, orderId: order.id };
  if (await isCreditToNote(ctx, of)) await issueForOrders(ctx, [order.id]);
  return of;
}

async function issuedNote(
  ctx: PaymentsContext,
  caller: Caller,
  which: { readonly idOrReference: string; readonly creditNote: string },
) {
  const of = await withNotes(ctx, caller, which.idOrReference);
  const id = parseId('cn', which.creditNote);
  const note = id === undefined ? undefined : await readCreditNote(ctx, of, id);
  if (note === undefined) throw notFound();
  return note;
}
