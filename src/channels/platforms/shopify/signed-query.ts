import { isMembers } from '../members.ts';
import type { OurApp } from '../port.ts';
import { isSignedBy } from './signature.ts';

/** A shop as Shopify has it. */
export const SHOP_DOMAIN = /^[a-z0-9][a-z0-9-]{0,99}\.myshopify\.com$/;

/** What Shopify has signed in a query: the shop, when that was, and all else. */
export type SignedQuery = {
  readonly shop: string;
  readonly signedAt: Date;
  /** As it was written, in seconds. */
  readonly timestamp: string;
  readonly rest: Readonly<Record<string, string>>;
};

/**
 * Reads a query that a browser brings from Shopify; undefined unless Shopify has signed it.
 * The signature is over all other parameters, sorted, as hexadecimal digits, and compared in constant time. Pure.
 */
export function readSignedQuery(query: unknown, app: OurApp | undefined): SignedQuery | undefined {
  if (!isMembers(query) || app === undefined) return undefined;
  const { hmac, ...signed } = query;
  if (typeof hmac !== 'string' || !/^[0-9a-f]{64}$/i.test(hmac)) return undefined;
  const pairs = Object.entries(signed).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' ? [[name, value]] : [],
  );
  if (pairs.length !== Object.keys(signed).length) return undefined;
  const { shop = '', timestamp = '', ...rest } = Object.fromEntries(pairs);
  if (!SHOP_DOMAIN.test(shop) || !/^\d{1,12}$/.test(timestamp)) return undefined;
  const text = new URLSearchParams(pairs.toSorted(([one], [other]) => (one < other ? -1 : 1))).toString();
  if (!isSignedBy(app, text, Buffer.from(hmac, 'hex'))) return undefined;
  return { shop, signedAt: new Date(Number(timestamp) * 1_000), timestamp, rest };
}
