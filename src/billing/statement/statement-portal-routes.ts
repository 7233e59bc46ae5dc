import { PERSON_ROLES } from '../../lib/caller.ts';
import type { Context } from '../../lib/context.ts';
import { type PersonRoute, route } from '../../lib/route.ts';
import { readStatement } from './read-statement.ts';
import { AccountStatement, StatementQuery } from './statement-schema.ts';

/** The statement of an account, for its own people. */
export const statementPortalRoutes: readonly PersonRoute<Context>[] = [
  route({
    method: 'GET',
    path: '/money/statement',
    access: { people: PERSON_ROLES },
    operationId: 'getStatement',
    summary: 'Read the statement of a period',
    description: [
      'Every movement of the balance, latest first, with the balance after it, and the balances before and after the',
      'period. As CSV with `Accept: text/csv`: all of the period, unless `limit` is given.',
    ].join(' '),
    query: StatementQuery,
    csv: 'data',
    replies: { 200: AccountStatement },
    handle: async (ctx, person, { query }) => ({ status: 200, body: await readStatement(ctx, person, query) }),
  }),
];
