import { countryProblems } from '../checkout/basket-request.ts';
import { estimateOrder } from '../checkout/estimate-order.ts';
import { placeOrder } from '../checkout/place-order.ts';
import { type Route, route } from '../lib/route.ts';
import { cancelOrder } from '../refunds/cancel-order.ts';
import { Cancellation } from '../refunds/schema.ts';
import type { OrdersContext } from './context.ts';
import { getOrder, listOrders } from './read-orders.ts';
import { CreatedOrder, Estimate, ListOrdersQuery, Order, OrderPage, OrderParams, PlaceOrderBody } from './schema.ts';
import { createdOrderView } from './view.ts';

export const orderRoutes: readonly Route<OrdersContext>[] = [
  route({
    method: 'GET',
    path: '/orders',
    scope: 'orders:read',
    operationId: 'listOrders',
    summary: 'List orders',
    description: [
      'The orders of the API, the portal and connected sales channels, in one list. To follow what changes, ask',
      'with `updated_since`, read `GET /events`, or subscribe to webhooks in place of polling.',
    ].join(' '),
    query: ListOrdersQuery,
    replies: { 200: OrderPage },
    handle: async (ctx, caller, { query }) => ({ status: 200, body: await listOrders(ctx, caller, query) }),
  }),
  route({
    method: 'GET',
    path: '/orders/:id',
    scope: 'orders:read',
    operationId: 'getOrder',
    summary: 'Fetch an order',
    description: [
      'By its id, or by its reference in any letter case. `items[].artwork_ready` turns true once the print',
      'files of a line are made, seconds to minutes after placing.',
    ].join(' '),
    params: OrderParams,
    replies: { 200: Order },
    handle: async (ctx, caller, { params }) => ({ status: 200, body: await getOrder(ctx, caller, params.id) }),
  }),
  route({
    method: 'POST',
    path: '/orders',
    scope: 'orders:write',
    operationId: 'placeOrder',
    summary: 'Place an order',
    description: [
      'Charges the account and ships a real item: there is no sandbox. Send `external_reference`: the same',
      'value again gives back the first order with status 200 and charges nothing, so a retry is always safe.',
      'Send every area to be printed in `print_jobs`; when it is left out, the first area of the product is',
      'printed and billed, with a warning. Artwork comes from the stored designs of the product, or from',
      '`decoration`. If any of it fails its checks, the whole order is refused. A charge that fails is no',
      'error: the order is created with `payment_status` `failed` and waits until it is settled. May take',
      'several seconds.',
    ].join(' '),
    body: PlaceOrderBody,
    bodyProblems: countryProblems,
    errors: ['not_found', 'out_of_stock', 'duplicate_external_reference'],
    replies: { 201: CreatedOrder, 200: CreatedOrder },
    replyHeaders: { 200: ['Idempotent-Replayed'] },
    handle: async (ctx, caller, { body, unknownFields, signal }) => {
      const request = { body, unknownFields, source: 'api', signal } as const;
      const { kind, order } = await placeOrder(ctx, caller, request);
      const view = createdOrderView(ctx, order);
      if (kind === 'replayed') return { status: 200, body: view, headers: { 'idempotent-replayed': 'true' } };
      return { status: 201, body: view };
    },
  }),
  route({
    method: 'POST',
    path: '/orders/estimate',
    scope: 'orders:read',
    operationId: 'estimateOrder',
    summary: 'Price a basket',
    description: [
      'The same body and the same price as placing, at this moment; nothing is charged, created or reserved.',
      '`shipping_options` lists the other services, one of which `shipping_service` picks.',
    ].join(' '),
    body: PlaceOrderBody,
    bodyProblems: countryProblems,
    errors: ['not_found', 'out_of_stock', 'duplicate_external_reference'],
    replies: { 200: Estimate },
    handle: async (ctx, caller, { body, unknownFields, signal }) => {
      return { status: 200, body: await estimateOrder(ctx, caller, { body, unknownFields, signal }) };
    },
  }),
  route({
    method: 'POST',
    path: '/orders/:id/cancel',
    scope: 'orders:write',
    operationId: 'cancelOrder',
    summary: 'Cancel an order',
    description: [
      'Takes no body. The refund runs first; if it fails the order stays as it was (502) and the call may be',
      'repeated. A repeat on a cancelled order answers 200 with `already_cancelled`. Card and direct-debit',
      'payments are refunded by hand and stand in `pending_manual_refund`.',
    ].join(' '),
    params: OrderParams,
    errors: ['conflict', 'cancellation_window_closed', 'refund_failed'],
    replies: { 200: Cancellation },
    handle: async (ctx, caller, { params }) => {
      // It ends work and gives money back, so it does not stand in line behind what it may be about.
      const urgent = { ...ctx, database: ctx.database.reserve };
      return { status: 200, body: await cancelOrder(urgent, caller, params.id) };
    },
  }),
];
