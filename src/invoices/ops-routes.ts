import { OPERATOR_ROLES } from '../lib/operator.ts';
import { type OpsRoute, route } from '../lib/route.ts';
import { Type } from '../lib/typebox.ts';
import { OpsOrderParams } from '../orders/ops-schema.ts';
import type { PaymentsContext } from '../payments/context.ts';
import { anyBilledOrder } from './billed-order.ts';
import { drawCreditNote, drawInvoice, getCreditNote, getInvoice, listOrderCreditNotes } from './get-invoice.ts';
import { listIssuedDocuments } from './list-documents.ts';
import { IssuedDocumentPage, ListDocumentsQuery } from './ops-schema.ts';
import { pdfReply } from './routes.ts';
import { CreditNote, CreditNotePage, Invoice, ListCreditNotesQuery } from './schema.ts';

const PDF = 'application/pdf';

const OpsCreditNoteParams = Type.Object({
  ...OpsOrderParams.properties,
  credit_note_id: Type.String({ description: 'The id of the credit note.' }),
});

/** Documents of all accounts, which every role may read, as it may read the money of every order. */
export const invoiceOpsRoutes: readonly OpsRoute<PaymentsContext>[] = [
  route({
    method: 'GET',
    path: '/invoices',
    access: { roles: OPERATOR_ROLES },
    operationId: 'listIssuedDocuments',
    summary: 'List the invoices and credit notes of a period',
    description: [
      'Of all accounts or of one, latest first. `from` and `to` are dates of issue where the seller is, and both belong to',
      'the period. `number` finds one document.',
    ].join(' '),
    query: ListDocumentsQuery,
    replies: { 200: IssuedDocumentPage },
    csv: 'data',
    handle: async (ctx, _operator, { query }) => ({ status: 200, body: await listIssuedDocuments(ctx, query) }),
  }),
  route({
    method: 'GET',
    path: '/orders/:id/invoice',
    access: { roles: OPERATOR_ROLES },
    operationId: 'getInvoice',
    summary: 'Fetch the invoice of an order',
    description:
      'The same document that its customer gets: JSON, or a PDF with `Accept: application/pdf`. It is issued on this request at the latest. An order that is not paid has none yet: 409.',
    params: OpsOrderParams,
    errors: ['conflict'],
    replies: { 200: Invoice },
    files: [PDF],
    handle: async (ctx, _operator, { params, prefers }) => {
      const order = await anyBilledOrder(ctx, params.id);
      return prefers(PDF)
        ? pdfReply(await drawInvoice(ctx, order))
        : { status: 200, body: await getInvoice(ctx, order) };
    },
  }),
  route({
    method: 'GET',
    path: '/orders/:id/credit-notes',
    access: { roles: OPERATOR_ROLES },
    operationId: 'listCreditNotes',
    summary: 'List the credit notes of an order',
    description: 'One credit note for each credit, latest first.',
    params: OpsOrderParams,
    query: ListCreditNotesQuery,
    replies: { 200: CreditNotePage },
    csv: 'data',
    handle: async (ctx, _operator, { params, query }) => ({
      status: 200,
      body: await listOrderCreditNotes(ctx, await anyBilledOrder(ctx, params.id), query),
    }),
  }),
  route({
    method: 'GET',
    path: '/orders/:id/credit-notes/:credit_note_id',
    access: { roles: OPERATOR_ROLES },
    operationId: 'getCreditNote',
    summary: 'Fetch a credit note',
    description: 'JSON, or a PDF with `Accept: application/pdf`. A credit note never changes.',
    params: OpsCreditNoteParams,
    replies: { 200: CreditNote },
    files: [PDF],
    handle: async (ctx, _operator, { params, prefers }) => {
      const order = await anyBilledOrder(ctx, params.id);
      if (prefers(PDF)) return pdfReply(await drawCreditNote(ctx, order, params.credit_note_id));
      return { status: 200, body: await getCreditNote(ctx, order, params.credit_note_id) };
    },
  }),
];
