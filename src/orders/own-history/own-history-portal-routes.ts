import { PERSON_ROLES } from '../../lib/caller.ts';
import { type PersonRoute, route } from '../../lib/route.ts';
import type { OrdersContext } from '../context.ts';
import { OrderParams } from '../schema.ts';
import { readOwnHistory } from './own-history.ts';
import { OrderHistory } from './own-history-schema.ts';

/** What happened to an order, for its account. */
export const ownHistoryPortalRoutes: readonly PersonRoute<OrdersContext>[] = [
  route({
    method: 'GET',
    path: '/orders/:id/history',
    access: { people: PERSON_ROLES },
    operationId: 'getOrderHistory',
    summary: 'Fetch what happened to an order',
    description: [
      'Each step, latest first, for as long as the order is kept; events end after 30 days. What was charged, refunded,',
      'sent and reported is with the order and its problems.',
    ].join(' '),
    params: OrderParams,
    errors: ['not_found'],
    replies: { 200: OrderHistory },
    handle: async (ctx, person, { params }) => ({ status: 200, body: await readOwnHistory(ctx, person, params.id) }),
  }),
];
