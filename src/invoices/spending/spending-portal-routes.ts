import { PERSON_ROLES } from '../../lib/caller.ts';
import type { Context } from '../../lib/context.ts';
import { type PersonRoute, route } from '../../lib/route.ts';
import { readSpending } from './read-spending.ts';
import { Spending, SpendingQuery } from './spending-schema.ts';

/** What an account spends, for its own people. */
export const spendingPortalRoutes: readonly PersonRoute<Context>[] = [
  route({
    method: 'GET',
    path: '/money/spending',
    access: { people: PERSON_ROLES },
    operationId: 'getSpending',
    summary: 'Read what was spent by day',
    description: [
      'From the invoices and credit notes, by the day of their tax point: the day on which an order was paid or something',
      'was taken back. As CSV with `Accept: text/csv`.',
    ].join(' '),
    query: SpendingQuery,
    csv: 'data',
    replies: { 200: Spending },
    handle: async (ctx, person, { query }) => ({ status: 200, body: await readSpending(ctx, person, query) }),
  }),
];
