import type { RenderedPdf } from '../lib/pdf/document.ts';
import { type Route, type RouteReply, route } from '../lib/route.ts';
import { namedAs } from '../lib/text/file-name.ts';
import { Type } from '../lib/typebox.ts';
import { OrderParams } from '../orders/schema.ts';
import type { PaymentsContext } from '../payments/context.ts';
import { ownBilledOrder } from './billed-order.ts';
import { drawCreditNote, drawInvoice, getCreditNote, getInvoice, listOrderCreditNotes } from './get-invoice.ts';
import { CreditNote, CreditNotePage, Invoice, ListCreditNotesQuery } from './schema.ts';

const PDF = 'application/pdf';

const CreditNoteParams = Type.Object({
  ...OrderParams.properties,
  credit_note_id: Type.String({ description: 'The id of the credit note.' }),
});

/** The invoice of an order, and the credit notes of what was taken back of it. */
export const invoiceRoutes: readonly Route<PaymentsContext>[] = [
  route({
    method: 'GET',
    path: '/orders/:id/invoice',
    access: { scope: 'orders:read' },
    operationId: 'getInvoice',
    summary: 'Fetch the invoice of an order',
    description: [
      'JSON, or a PDF with `Accept: application/pdf`. The invoice is issued soon after the order is paid, on',
      'this request at the latest, and never changes. An order that is not paid has no invoice yet: 409.',
    ].join(' '),
    params: OrderParams,
    errors: ['conflict'],
    replies: { 200: Invoice },
    files: [PDF],
    handle: async (ctx, caller, { params, prefers }) => {
      const order = await ownBilledOrder(ctx, caller, params.id);
      return prefers(PDF)
        ? pdfReply(await drawInvoice(ctx, order))
        : { status: 200, body: await getInvoice(ctx, order) };
    },
  }),
  route({
    method: 'GET',
    path: '/orders/:id/credit-notes',
    access: { scope: 'orders:read' },
    operationId: 'listCreditNotes',
    summary: 'List the credit notes of an order',
    description: 'One credit note for each credit: a cancelled order, some cancelled pieces or a goodwill refund.',
    params: OrderParams,
    query: ListCreditNotesQuery,
    replies: { 200: CreditNotePage },
    handle: async (ctx, caller, { params, query }) => ({
      status: 200,
      body: await listOrderCreditNotes(ctx, await ownBilledOrder(ctx, caller, params.id), query),
    }),
  }),
  route({
    method: 'GET',
    path: '/orders/:id/credit-notes/:credit_note_id',
    access: { scope: 'orders:read' },
    operationId: 'getCreditNote',
    summary: 'Fetch a credit note',
    description: 'JSON, or a PDF with `Accept: application/pdf`. A credit note never changes.',
    params: CreditNoteParams,
    replies: { 200: CreditNote },
    files: [PDF],
    handle: async (ctx, caller, { params, prefers }) => {
      const order = await ownBilledOrder(ctx, caller, params.id);
      if (prefers(PDF)) return pdfReply(await drawCreditNote(ctx, order, params.credit_note_id));
      return { status: 200, body: await getCreditNote(ctx, order, params.credit_note_id) };
    },
  }),
];

/** Answers with a drawn document. */
export function pdfReply({ fileName, pdf: body }: RenderedPdf): RouteReply {
  return { status: 200, body, headers: { 'content-type': PDF, ...namedAs(fileName) } };
}
