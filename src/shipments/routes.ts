import { type Route, route } from '../lib/route.ts';
import type { OrdersContext } from '../orders/context.ts';
import { Order, OrderParams } from '../orders/schema.ts';
import { changeOwnAddress } from './change-own-address.ts';
import { ChangeAddressBody } from './schema.ts';

/** What a customer can still change of what is sent. */
export const shipmentRoutes: readonly Route<OrdersContext>[] = [
  route({
    method: 'PATCH',
    path: '/orders/:id/address',
    access: { scope: 'orders:write' },
    operationId: 'changeOrderAddress',
    summary: 'Change the delivery address of an order',
    description: [
      'As long as the order could be cancelled, and only within the same territory and shipping zone and to a country',
      'of the same duty, since its price stays. Changes only the members that are sent. `actions.change_address` of an order says until when.',
    ].join(' '),
    params: OrderParams,
    body: ChangeAddressBody,
    errors: ['conflict', 'cancellation_window_closed'],
    replies: { 200: Order },
    handle: async (ctx, caller, { params, body }) => ({
      status: 200,
      body: await changeOwnAddress(ctx, caller, params.id, body),
    }),
  }),
];
