import type { NoticeRequest, ShopNotice } from '../port.ts';
import { isFromShopify } from './signature.ts';

/**
 * What Shopify is to send, and of each which members alone.
 * Who bought is read with the order, if at all.
 */
export const TOPICS: Readonly<Record<string, readonly string[]>> = {
  ORDERS_CREATE: ['id'],
  ORDERS_UPDATED: ['id'],
  ORDERS_CANCELLED: ['id'],
  ORDERS_RISK_ASSESSMENT_CHANGED: ['order_id'],
  FULFILLMENT_ORDERS_FULFILLMENT_REQUEST_SUBMITTED: ['submitted_fulfillment_order'],
  FULFILLMENT_ORDERS_CANCELLATION_REQUEST_SUBMITTED: ['fulfillment_order'],
  FULFILLMENT_ORDERS_PLACED_ON_HOLD: ['fulfillment_order'],
  FULFILLMENT_ORDERS_HOLD_RELEASED: ['fulfillment_order'],
  FULFILLMENT_ORDERS_MOVED: ['original_fulfillment_order', 'moved_fulfillment_order'],
  FULFILLMENT_ORDERS_RESCHEDULED: ['fulfillment_order'],
  FULFILLMENT_ORDERS_SCHEDULED_FULFILLMENT_ORDER_READY: ['fulfillment_order'],
  APP_UNINSTALLED: ['id'],
};

/** How a hint names an order by one of its fulfilment orders: notices of those do not name the order. */
export const BY_FULFILLMENT_ORDER = 'fulfillment_order/';

/**
 * Reads a webhook of Shopify.
 * The signature has no time and does not cover the headers: a replay is a reason to read an order again, and one of
 * another shop is none. That our app was taken away is believed once Shopify itself says so, at the sync that follows:
 * the notice may be hours late, and the shop connected again.
 */
export function readShopifyNotice({ header, body, address, app }: NoticeRequest): ShopNotice | undefined {
  if (!isFromShopify(app, { header, body })) return undefined;
  if (`https://${header('x-shopify-shop-domain')}` !== address) return undefined;
  const topic = header('x-shopify-topic') ?? '';
  if (topic.startsWith('orders/')) return { orderId: orderIdOf(body) };
  if (topic.startsWith('fulfillment_orders/')) return { orderId: byFulfillmentOrder(body) };
  return topic === 'app/uninstalled' ? { orderId: undefined, isReasonToSync: true } : { orderId: undefined };
}

function orderIdOf(body: Buffer): string | undefined {
  return /"(?:order_)?id"\s*:\s*(\d{1,19})\b/.exec(body.toString('utf8'))?.[1];
}

function byFulfillmentOrder(body: Buffer): string | undefined {
  const id = /gid:\\?\/\\?\/shopify\\?\/FulfillmentOrder\\?\/(\d{1,19})\b/.exec(body.toString('utf8'))?.[1];
  return id === undefined ? undefined : `${BY_FULFILLMENT_ORDER}${id}`;
}
