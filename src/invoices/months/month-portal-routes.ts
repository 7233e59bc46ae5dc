import { PERSON_ROLES } from '../../lib/caller.ts';
import { type PersonRoute, route } from '../../lib/route.ts';
import type { PaymentsContext } from '../../payments/context.ts';
import { pdfReply } from '../routes.ts';
import { archiveMonth } from './archive-month.ts';
import { drawStatement, MOVEMENTS_MAX } from './draw-statement.ts';
import { MonthList, MonthOfMoney, MonthPartQuery, MonthQuery } from './month-schema.ts';
import { listMonths, readOwnMonth } from './read-months.ts';

const PARTS_HEADER = 'Document-Parts';

/** The months of an account's money, for its own people. */
export const monthPortalRoutes: readonly PersonRoute<PaymentsContext>[] = [
  route({
    method: 'GET',
    path: '/money/months',
    access: { people: PERSON_ROLES },
    operationId: 'listMonths',
    summary: 'List the months of the account',
    description: 'Every month since the account first moved, the latest first, by the days of the seller.',
    replies: { 200: MonthList },
    handle: async (ctx, person) => ({ status: 200, body: await listMonths(ctx, person) }),
  }),
  route({
    method: 'GET',
    path: '/money/month',
    access: { people: PERSON_ROLES },
    operationId: 'getMonth',
    summary: 'Read what a month has',
    description: 'How many documents were issued in it, in how many archives they are, and the balances around it.',
    query: MonthQuery,
    replies: { 200: MonthOfMoney },
    handle: async (ctx, person, { query }) => ({ status: 200, body: await readOwnMonth(ctx, person, query) }),
  }),
  route({
    method: 'GET',
    path: '/money/month/documents',
    access: { people: PERSON_ROLES },
    operationId: 'getMonthDocuments',
    summary: 'Fetch the documents of a month as ZIP',
    description: [
      'The PDFs of all invoices and credit notes that were issued in the month, by the days of the seller, and a list',
      `of them as CSV. A month with many comes in parts; \`${PARTS_HEADER}\` says how many. The archive is made while it`,
      'is read. When a document cannot be drawn, the connection is cut: an archive that ends is whole. 409 for a month',
      'without documents.',
    ].join(' '),
    query: MonthPartQuery,
    errors: ['conflict'],
    replies: { 200: 'application/zip' },
    replyHeaders: { 200: [PARTS_HEADER] },
    handle: async (ctx, person, { query }) => {
      const { fileName, parts, bytes } = await archiveMonth(ctx, person, query);
      return {
        status: 200,
        body: bytes,
        headers: {
          'content-disposition': `attachment; filename="${fileName}"`,
          [PARTS_HEADER.toLowerCase()]: String(parts),
        },
      };
    },
  }),
  route({
    method: 'GET',
    path: '/money/month/statement',
    access: { people: PERSON_ROLES },
    operationId: 'getMonthStatement',
    summary: 'Fetch the statement of a month as PDF',
    description: [
      'The balances before and after the month, every movement of the balance, totals by kind, and the VAT of the',
      `documents that were issued in it. More than ${MOVEMENTS_MAX.toLocaleString('en-GB')} movements are summed by day; \`getStatement\` has every one as CSV.`,
    ].join(' '),
    query: MonthQuery,
    replies: { 200: 'application/pdf' },
    handle: async (ctx, person, { query }) => pdfReply(await drawStatement(ctx, person, query)),
  }),
];
