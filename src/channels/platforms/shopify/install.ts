import type { OurApp } from '../port.ts';
import { readSignedQuery } from './signed-query.ts';

/** An install is used at once; the clocks of Shopify and of this service differ by less. */
const INSTALL_AGE_MAX_MS = 300_000;

/** What a browser brings from Shopify: the shop of the app, or why that is not believed. */
export type ShopifyInstall =
  | { readonly kind: 'install'; readonly address: string; readonly name: string }
  | { readonly kind: 'refused'; readonly why: 'signature' | 'age' };

/**
 * Reads the query with which Shopify opens the app in a shop.
 * It does as it is installed, and each time its people open it.
 * Shopify signs all of it with the time, so that one which was seen on the way is good for minutes. Pure.
 */
export function readShopifyInstall(query: unknown, app: OurApp | undefined, now: Date): ShopifyInstall {
  const signed = readSignedQuery(query, app);
  if (signed === undefined) return { kind: 'refused', why: 'signature' };
  const { shop, signedAt } = signed;
  if (Math.abs(now.getTime() - signedAt.getTime()) > INSTALL_AGE_MAX_MS) return { kind: 'refused', why: 'age' };
  return { kind: 'install', address: `https://${shop}`, name: shop.replace(/\.myshopify\.com$/, '') };
}
