import { ApiError, notFound } from '../lib/errors.ts';
import { parseId } from '../lib/ids.ts';
import type { Page } from '../lib/paging.ts';
import { type PdfDocument, type RenderedPdf, renderPdf } from '../lib/pdf/document.ts';
import type { PaymentsContext } from '../payments/context.ts';
import type { BilledOrder } from './billed-order.ts';
import { issueForOrders } from './issue-due.ts';
import { creditNotePdf, invoicePdf } from './pdf.ts';
import { isCreditToNote, listCreditNotes, readCreditNote, readInvoice } from './read-documents.ts';
import type { CreditNote, Invoice, ListCreditNotesQuery } from './schema.ts';
import { creditNoteNumber, creditNoteView, invoiceNumber, invoiceView } from './view.ts';

/**
 * Returns the invoice of an order, and issues it if the sweep has not done so yet.
 * Once issued it never changes. Throws 409 while the order is not paid, since there is nothing to invoice yet, and
 * for a replacement, which is not charged.
 */
export async function getInvoice(ctx: PaymentsContext, order: BilledOrder): Promise<Invoice> {
  return invoiceView(await issuedInvoice(ctx, order), order.deliverTo);
}

/**
 * Draws the same invoice as PDF, named by its number.
 * Throws as `getInvoice`, and 503 when too many documents wait to be drawn.
 */
export async function drawInvoice(ctx: PaymentsContext, order: BilledOrder): Promise<RenderedPdf> {
  refuseWithoutInvoice(order);
  let fileName = '';
  const make = async (): Promise<PdfDocument> => {
    const invoice = await issuedInvoice(ctx, order);
    fileName = `${invoiceNumber(invoice.number)}.pdf`;
    return invoicePdf(invoice, order.deliverTo);
  };
  const pdf = await renderPdf({ rows: order.lineCount, make }, ctx.asker);
  return { fileName, pdf };
}

/** Lists the credit notes of an order, latest first: one for each credit. */
export async function listOrderCreditNotes(
  ctx: PaymentsContext,
  order: BilledOrder,
  query: ListCreditNotesQuery,
): Promise<Page<CreditNote>> {
  await issueNotes(ctx, order);
  return listCreditNotes(ctx, order, query);
}

/** Returns one credit note of an order. Throws 404 for an unknown one and one of another order. */
export async function getCreditNote(ctx: PaymentsContext, order: BilledOrder, id: string): Promise<CreditNote> {
  return creditNoteView(await issuedNote(ctx, order, id), order.deliverTo);
}

/** Draws the same credit note as PDF, named by its number. */
export async function drawCreditNote(ctx: PaymentsContext, order: BilledOrder, id: string): Promise<RenderedPdf> {
  let fileName = '';
  const make = async (): Promise<PdfDocument> => {
    const note = await issuedNote(ctx, order, id);
    fileName = `${creditNoteNumber(note.number)}.pdf`;
    return creditNotePdf(note, order.deliverTo);
  };
  const pdf = await renderPdf({ rows: order.lineCount, make }, ctx.asker);
  return { fileName, pdf };
}

function refuseWithoutInvoice(order: BilledOrder): void {
  if (order.isReplacement) {
    throw new ApiError(
      'conflict',
      'This order replaces pieces of another and is not charged, so there is no invoice for it.',
    );
  }
  if (!order.isPaid) {
    throw new ApiError('conflict', 'This order has not been paid, so there is no invoice for it yet.');
  }
}

async function issuedInvoice(ctx: PaymentsContext, order: BilledOrder) {
  refuseWithoutInvoice(order);
  const issued = await readInvoice(ctx, order);
  if (issued !== undefined) return issued;
  await issueForOrders(ctx, [order.orderId]);
  const invoice = await readInvoice(ctx, order);
  if (invoice === undefined) throw new Error('an invoice that was just issued is gone');
  return invoice;
}

async function issueNotes(ctx: PaymentsContext, order: BilledOrder): Promise<void> {
  if (await isCreditToNote(ctx, order)) await issueForOrders(ctx, [order.orderId]);
}

async function issuedNote(ctx: PaymentsContext, order: BilledOrder, creditNote: string) {
  await issueNotes(ctx, order);
  const id = parseId('cn', creditNote);
  const note = id === undefined ? undefined : await readCreditNote(ctx, order, id);
  if (note === undefined) throw notFound();
  return note;
}
