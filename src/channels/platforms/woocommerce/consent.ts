import { isMembers } from '../members.ts';
import type { Consent, ConsentRequest } from '../port.ts';

// The one-click keys of WooCommerce (`wc-auth`, version 1): its people consent on a page of the shop, and the shop
// posts a key to us.

const ADDRESS_MAX = 200;

/** Of what a person copies from their browser, the part before the pages of WordPress. */
export function addressOf(typed: string): string | undefined {
  const text = typed.trim();
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:/i.test(text) ? text : `https://${text}`);
  if (url === null || url.protocol !== 'https:' || url.username !== '' || url.password !== '') return undefined;
  const path = url.pathname.replace(/\/(wp-admin|wp-json|wp-login\.php|index\.php)(\/.*)?$/, '').replace(/\/+$/, '');
  const address = `https://${url.host}${path}`;
  return address.length <= ADDRESS_MAX ? address : undefined;
}

/** Where the shop's people consent. */
export function consentUrl({ address, state, appName, baseUrl }: ConsentRequest): string {
  const query = new URLSearchParams({
    app_name: appName,
    scope: 'read_write',
    user_id: state,
    return_url: `${baseUrl}/portal/shops`,
    callback_url: `${baseUrl}/channels/consents/woocommerce`,
  });
  return `${address}/wc-auth/v1/authorize?${query.toString()}`;
}

/** The keys that the shop posts. */
export function readConsent(body: unknown): Consent | undefined {
  if (!isMembers(body)) return undefined;
  const { user_id: state, consumer_key: key, consumer_secret: secret } = body;
  if (typeof state !== 'string' || typeof key !== 'string' || typeof secret !== 'string') return undefined;
  if (!/^ck_[0-9a-f]{40}$/.test(key) || !/^cs_[0-9a-f]{40}$/.test(secret)) return undefined;
  return { state, credentials: { key, secret } };
}
