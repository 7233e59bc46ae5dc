import { type Route, route } from '../lib/route.ts';
import { CreatedOrder, Estimate, PlaceOrderBody } from '../orders/schema.ts';
import { createdOrderView } from '../orders/view.ts';
import { basketProblems } from './basket-request.ts';
import type { CheckoutContext } from './context.ts';
import { estimateOrder } from './estimate-order.ts';
import { type PlaceOrderRequest, placeOrder } from './place-order.ts';

/** Answers for baskets of more lines than this are written in pieces. */
const LONG = 100;

export const checkoutRoutes: readonly Route<CheckoutContext>[] = [
  route({
    method: 'POST',
    path: '/orders',
    access: { scope: 'orders:write' },
    operationId: 'placeOrder',
    summary: 'Place an order',
    description: [
      'Charges the account and ships a real item; there is no sandbox. Send `external_reference`: repeating it',
      'returns the first order with status 200 and charges nothing, so a retry is always safe; a warning says so if',
      'the repeat orders something else. List every area',
      'to print in `print_jobs`; without it only the first area of the product is printed and billed, with a',
      'warning. Artwork comes from the stored designs of the product or from `decoration`; if any of it fails',
      'its checks, the whole order is refused. A declined charge is not an error: the order is created with',
      '`payment_status` `failed` and waits for payment. The request may take several seconds.',
    ].join(' '),
    body: PlaceOrderBody,
    bodyProblems: basketProblems,
    errors: ['not_found', 'out_of_stock', 'price_changed', 'duplicate_external_reference'],
    replies: { 201: CreatedOrder, 200: CreatedOrder },
    replyHeaders: { 200: ['Idempotent-Replayed'] },
    handle: async (ctx, caller, input) => {
      const { body, unknownFields } = input;
      const source = caller.person === undefined ? 'api' : 'portal';
      const request: PlaceOrderRequest = {
        body,
        unknownFields,
        source,
        get signal() {
          return input.signal;
        },
      };
      const result = await placeOrder(ctx, caller, request);
      const view = await createdOrderView(ctx, result.order);
      const isLarge = body.items.length > LONG;
      if (result.kind === 'placed') return { status: 201, body: view, isLarge };
      const warnings = [...result.warnings, ...view.warnings];
      return { status: 200, body: { ...view, warnings }, isLarge, headers: { 'idempotent-replayed': 'true' } };
    },
  }),
  route({
    method: 'POST',
    path: '/orders/estimate',
    access: { scope: 'orders:read' },
    operationId: 'estimateOrder',
    summary: 'Price a basket',
    description: [
      'Takes the same body as placing an order and returns the price at this moment. Nothing is charged, created',
      'or reserved. `shipping_options` lists the other services; choose one with `shipping_service`.',
    ].join(' '),
    body: PlaceOrderBody,
    bodyProblems: basketProblems,
    errors: ['not_found', 'out_of_stock', 'duplicate_external_reference'],
    replies: { 200: Estimate },
    handle: async (ctx, caller, input) => {
      const estimate = await estimateOrder(ctx, caller, input);
      return { status: 200, body: estimate, isLarge: input.body.items.length > LONG };
    },
  }),
];
