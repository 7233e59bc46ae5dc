import type { Context } from '../lib/context.ts';
import { OPERATOR_ROLES } from '../lib/operator.ts';
import { type OpsRoute, route } from '../lib/route.ts';
import { ListOpsOrdersQuery, OpsOrder, OpsOrderPage, ScannedOrderParams } from './ops-schema.ts';
import { listOpsOrders, readOpsOrder, scannedOrderIdOf } from './read-ops-order.ts';

/** What operators read of orders; what they do to them is in the routes of the slices that do it. */
export const ordersOpsRoutes: readonly OpsRoute<Context>[] = [
  route({
    method: 'GET',
    path: '/orders',
    access: { roles: OPERATOR_ROLES },
    operationId: 'listOrders',
    summary: 'List orders of all accounts',
    description: [
      "Newest or oldest first. `reference` takes our reference, the customer's, or the id of a line as its",
      'barcode has it. Of `reference`, `needs`, `tracking_number` and `postcode` send at most one; each combines',
      'with `state` and `account`.',
    ].join(' '),
    query: ListOpsOrdersQuery,
    replies: { 200: OpsOrderPage },
    csv: 'data',
    handle: async (ctx, _operator, { query }) => ({ status: 200, body: await listOpsOrders(ctx, query) }),
  }),
  route({
    method: 'GET',
    path: '/orders/:id',
    access: { roles: OPERATOR_ROLES },
    operationId: 'getOrder',
    summary: 'Fetch an order of any account',
    params: ScannedOrderParams,
    replies: { 200: OpsOrder },
    handle: async (ctx, _operator, { params }) => ({
      status: 200,
      body: await readOpsOrder(ctx, await scannedOrderIdOf(ctx, params.id)),
    }),
  }),
];
