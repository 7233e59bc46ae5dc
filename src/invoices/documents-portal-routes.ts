import { PERSON_ROLES } from '../lib/caller.ts';
import type { Context } from '../lib/context.ts';
import { publicId } from '../lib/ids.ts';
import { type PersonRoute, route } from '../lib/route.ts';
import { type Static, Type } from '../lib/typebox.ts';
import { listIssuedDocuments } from './list-documents.ts';
import { IssuedDocumentPage, ListDocumentsQuery } from './ops-schema.ts';

const { from, to, kind, limit, cursor } = ListDocumentsQuery.properties;
const OwnDocumentsQuery = Type.Object({ from, to, kind, limit, cursor });
export type OwnDocumentsQuery = Static<typeof OwnDocumentsQuery>;

/** Invoices and credit notes of an account, for its own people. */
export const documentPortalRoutes: readonly PersonRoute<Context>[] = [
  route({
    method: 'GET',
    path: '/money/documents',
    access: { people: PERSON_ROLES },
    operationId: 'listOwnDocuments',
    summary: 'List invoices and credit notes',
    description: [
      'Of a period, latest first. The PDF of each is that of its order: `GET /api/v1/orders/{id}/invoice` and',
      '`/credit-notes/{credit_note_id}`. As CSV with `Accept: text/csv`.',
    ].join(' '),
    query: OwnDocumentsQuery,
    csv: 'data',
    replies: { 200: IssuedDocumentPage },
    handle: async (ctx, { accountId }, { query }) => ({
      status: 200,
      body: await listIssuedDocuments(ctx, { ...query, account: publicId('acct', accountId) }),
    }),
  }),
];
