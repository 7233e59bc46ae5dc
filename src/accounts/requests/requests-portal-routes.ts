import type { Context } from '../../lib/context.ts';
import { type PersonRoute, route } from '../../lib/route.ts';
import { listRequests } from './list-requests.ts';
import { LOOKED_MAX } from './request-log-sql.ts';
import { ListRequestsQuery, OwnRequestPage } from './requests-schema.ts';

/** The requests of an account's tokens, for its own people. */
export const requestPortalRoutes: readonly PersonRoute<Context>[] = [
  route({
    method: 'GET',
    path: '/requests',
    access: { people: ['owner', 'manager', 'reader'] },
    operationId: 'listOwnRequests',
    summary: 'List the requests of your tokens',
    description: [
      'Those of the last seven days to the public API, newest first, without bodies, queries and headers. A request shows a',
      'second after its answer; what a node had not written when it was killed, or while the database was slow, is missing.',
      `A page by method, status, path or token looks through ${LOOKED_MAX} requests: it may be short, or empty, although`,
      'has_more is true and the next one goes on.',
    ].join(' '),
    query: ListRequestsQuery,
    replies: { 200: OwnRequestPage },
    csv: 'data',
    handle: async (ctx, person, { query }) => ({ status: 200, body: await listRequests(ctx, person, query) }),
  }),
];
