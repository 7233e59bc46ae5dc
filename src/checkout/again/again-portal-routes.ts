import { type PersonRoute, route } from '../../lib/route.ts';
import type { OrdersContext } from '../../orders/context.ts';
import { OrderParams } from '../../orders/schema.ts';
import { OrderAgain } from './again-schema.ts';
import { readOrderAgain } from './read-order-again.ts';

/** What an order was placed with, for the form that places it again. */
export const againPortalRoutes: readonly PersonRoute<OrdersContext>[] = [
  route({
    method: 'GET',
    path: '/orders/:id/again',
    access: { people: ['owner', 'manager', 'orders'] },
    operationId: 'getOrderAgain',
    summary: 'Fetch an order as it was placed',
    description: [
      'Each line with its artwork by area and what was filled in, as `POST /orders` takes them, and what of it is not as',
      'it was: a product or a variant that is not offered any more, artwork that is not kept. Artwork that is kept is',
      'named by the address of the stored file, which is taken for orders and products of the same account.',
    ].join(' '),
    params: OrderParams,
    errors: ['not_found'],
    replies: { 200: OrderAgain },
    handle: async (ctx, person, { params }) => ({ status: 200, body: await readOrderAgain(ctx, person, params.id) }),
  }),
];
