import type { Context } from '../lib/context.ts';
import { OPERATOR_ROLES } from '../lib/operator.ts';
import { type OpsRoute, route } from '../lib/route.ts';
import { ListOpsOrdersQuery, OpsOrder, OpsOrderPage, ScannedOrderParams } from './ops-schema.ts';
import { listOpsOrders, readOpsOrder, scannedOrderIdOf } from './read-ops-order.ts';

/** What operators read of orders; what they do to them is in the routes of the slices that do it. */
import { areLarge } from './view.ts';

export const ordersOpsRoutes: readonly OpsRoute<Context>[] = [
  route({
    method: 'GET',
    path: '/orders',
    access: { roles: OPERATOR_ROLES },
    operationId: 'listOrders',
    summary: 'List orders of all accounts',
    description: [
      "Newest or oldest first. `reference` takes our reference, the customer's, or the id of a line as its",
      'barcode has it. `recipient`, `postcode`, `external_reference` and `amount_gbp` combine with one another, and find an',
      'order a second after it is placed. A page looks at 20,000 orders with the rarest of them: it can have few records or',
      'none and still be followed by another. They do not combine with `reference`, `needs` or `tracking_number`, of which send at most one. All combine with `state`,',
      '`account` and the times of placing.',
    ].join(' '),
    query: ListOpsOrdersQuery,
    replies: { 200: OpsOrderPage },
    csv: 'data',
    handle: async (ctx, _operator, { query }) => {
      const body = await listOpsOrders(ctx, query);
      return { status: 200, body, isLarge: areLarge(body.data) };
    },
  }),
  route({
    method: 'GET',
    path: '/orders/:id',
    access: { roles: OPERATOR_ROLES },
    operationId: 'getOrder',
    summary: 'Fetch an order of any account',
    params: ScannedOrderParams,
    replies: { 200: OpsOrder },
    handle: async (ctx, _operator, { params }) => {
      const body = await readOpsOrder(ctx, await scannedOrderIdOf(ctx, params.id));
      return { status: 200, body, isLarge: areLarge([body]) };
    },
  }),
];
