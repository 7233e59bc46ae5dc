import { createHmac, timingSafeEqual } from 'node:crypto';
import type { OurApp } from '../port.ts';

/** Whether bytes have this HMAC-SHA256 by the secret of our app, compared in constant time. */
export function isSignedBy(app: OurApp, text: Buffer | string, given: Buffer): boolean {
  const expected = createHmac('sha256', app.clientSecret).update(text).digest();
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** Whether a request of Shopify is signed: base64 over its raw body in `X-Shopify-Hmac-Sha256`. */
export function isFromShopify(
  app: OurApp | undefined,
  { header, body }: { readonly header: (name: string) => string | undefined; readonly body: Buffer },
): boolean {
  const given = header('x-shopify-hmac-sha256');
  return app !== undefined && given !== undefined && isSignedBy(app, body, Buffer.from(given, 'base64'));
}
