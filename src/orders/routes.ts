import { type Route, route } from '../lib/route.ts';
import type { OrdersContext } from './context.ts';
import { getOrder, listOrders } from './read-orders.ts';
import { ListOrdersQuery } from './reading/list-schema.ts';
import { Order, OrderPage, OrderParams } from './schema.ts';
import { areLarge } from './view.ts';

export const orderRoutes: readonly Route<OrdersContext>[] = [
  route({
    method: 'GET',
    path: '/orders',
    access: { scope: 'orders:read' },
    operationId: 'listOrders',
    summary: 'List orders',
    description: [
      'Orders from the API, the portal and connected sales channels, in one list. To follow changes, subscribe',
      'to webhooks, read `GET /events`, or filter by `updated_since`; do not poll the whole list. As `text/csv` it is a',
      'file for a spreadsheet, without `limit` the whole list.',
    ].join(' '),
    query: ListOrdersQuery,
    replies: { 200: OrderPage },
    csv: 'data',
    handle: async (ctx, caller, { query }) => {
      const body = await listOrders(ctx, caller, query);
      return { status: 200, body, isLarge: areLarge(body.data) };
    },
  }),
  route({
    method: 'GET',
    path: '/orders/:id',
    access: { scope: 'orders:read' },
    operationId: 'getOrder',
    summary: 'Fetch an order',
    description: [
      'By id, or by reference in any letter case. `items[].artwork_ready` becomes true once the print files of a',
      'line are made, seconds to minutes after the order is placed. `items[].artwork` says what is printed, how large',
      'and how sharp, with a picture of each print file.',
    ].join(' '),
    params: OrderParams,
    replies: { 200: Order },
    handle: async (ctx, caller, { params }) => {
      const body = await getOrder(ctx, caller, params.id);
      return { status: 200, body, isLarge: areLarge([body]) };
    },
  }),
];
