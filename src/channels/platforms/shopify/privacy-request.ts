import { arrayOf, isMembers, textOf } from '../members.ts';
import type { OurApp } from '../port.ts';
import { shopifyAddress } from './consent.ts';
import { isFromShopify } from './signature.ts';

/** What Shopify asks on behalf of a buyer or of a shop that is gone. */
export type PrivacyRequest = {
  readonly topic: 'disclose' | 'erase' | 'forget_shop';
  readonly address: string;
  /** The orders that it is about. */
  readonly orderIds: readonly string[];
};

const TOPICS = new Map([
  ['customers/data_request', { topic: 'disclose', orders: 'orders_requested' }],
  ['customers/redact', { topic: 'erase', orders: 'orders_to_redact' }],
  ['shop/redact', { topic: 'forget_shop', orders: '' }],
] as const);

/** Orders of one buyer. */
const ORDERS_MAX = 10_000;

/**
 * Reads a request of one of the topics that Shopify has every app take.
 * Undefined unless it is signed; `nothing` for one that is signed and none of them. The shop is the one in the body,
 * which is signed.
 */
export function readPrivacyRequest(
  app: OurApp | undefined,
  request: { readonly header: (name: string) => string | undefined; readonly body: Buffer },
): PrivacyRequest | 'nothing' | undefined {
  if (!isFromShopify(app, request)) return undefined;
  const json = jsonOf(request.body);
  const known = TOPICS.get(request.header('x-shopify-topic') as never);
  const address = isMembers(json) ? shopifyAddress(textOf(json.shop_domain)) : undefined;
  if (known === undefined || address === undefined || !isMembers(json)) return 'nothing';
  // The signature does not cover the topic: what is about a buyer must not end the shop.
  if (known.topic === 'forget_shop' && json.customer !== undefined) return 'nothing';
  const orderIds = arrayOf(json[known.orders])
    .map(textOf)
    .filter((id) => /^\d{1,19}$/.test(id));
  return { topic: known.topic, address, orderIds: orderIds.slice(0, ORDERS_MAX) };
}

function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
