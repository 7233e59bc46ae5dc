import { isMembers, textOf } from '../members.ts';
import type { Consent, ConsentRequest, Credentials, OurApp } from '../port.ts';
import { type ShopCall, ShopFault } from '../shop-call.ts';
import { readSignedQuery, SHOP_DOMAIN } from './signed-query.ts';

// The authorization code grant of Shopify, with an offline token that ends after an hour and is renewed.

/** What is read and written in a shop; docs/runbook.md says what each is for. */
export const SHOPIFY_SCOPES = [
  'read_orders',
  'write_orders',
  'read_products',
  'write_products',
  'read_inventory',
  'write_inventory',
  'read_locations',
  'write_fulfillments',
  'read_assigned_fulfillment_orders',
  'write_assigned_fulfillment_orders',
  'read_merchant_managed_fulfillment_orders',
  'write_merchant_managed_fulfillment_orders',
  'read_third_party_fulfillment_orders',
] as const;

const TOKENS = '/admin/oauth/access_token';
/** A token that ends within this time is renewed before a sync, which takes less. */
const RENEW_BEFORE_MS = 300_000;
/** A code and a redirect are used at once; clocks differ. */
const CONSENT_AGE_MAX_MS = 600_000;

/**
 * The address of a shop: `NAME.myshopify.com`, or a page of its admin that names it.
 * Nothing else is one, whatever domain its buyers see: tokens go there.
 */
export function shopifyAddress(typed: string): string | undefined {
  const text = typed.trim().toLowerCase();
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:/.test(text) ? text : `https://${text}`);
  if (url === null || url.protocol !== 'https:' || url.port !== '' || url.username !== '' || url.password !== '') {
    return undefined;
  }
  const [, store] = /^\/store\/([a-z0-9-]+)(?:\/|$)/.exec(url.pathname) ?? [];
  const host = url.hostname === 'admin.shopify.com' && store !== undefined ? `${store}.myshopify.com` : url.hostname;
  return SHOP_DOMAIN.test(host) ? `https://${host}` : undefined;
}

/** Where the shop's people consent. */
export function shopifyConsentUrl({ address, state, baseUrl, app }: ConsentRequest): string {
  const query = new URLSearchParams({
    client_id: app?.clientId ?? '',
    scope: SHOPIFY_SCOPES.join(','),
    redirect_uri: `${baseUrl}/channels/consents/shopify`,
    state,
  });
  return `${address}/admin/oauth/authorize?${query.toString()}`;
}

/** Reads the query with a code that a browser brings; undefined unless Shopify has signed it. */
export function readShopifyConsent(query: unknown, app: OurApp | undefined): Consent | undefined {
  const signed = readSignedQuery(query, app);
  const { code, state } = signed?.rest ?? {};
  if (signed === undefined || code === undefined || state === undefined) return undefined;
  return { state, credentials: { code, signed_at: signed.timestamp }, address: `https://${signed.shop}` };
}

/** Makes tokens of the code of a consent. */
export async function exchangeCode(
  call: ShopCall,
  { code = '', signed_at: signedAt = '' }: Credentials,
  app: OurApp | undefined,
  now: Date,
): Promise<Credentials> {
  if (Math.abs(now.getTime() - Number(signedAt) * 1_000) > CONSENT_AGE_MAX_MS) throw endedConsent();
  return tokensOf(call, app, { code, expiring: '1' }, now);
}

export const renewal = {
  isDue: ({ expires_at: expiresAt = '' }: Credentials, now: Date): boolean =>
    !(Date.parse(expiresAt) - now.getTime() > RENEW_BEFORE_MS),
  /**
   * Renews a token.
   * Shopify takes the token of the renewal again until what it gave for it is used, for 30 days at the most (changelog
   * of 28 August 2026). So a renewal whose answer was lost, or was not kept, is made again.
   */
  renew: (
    call: ShopCall,
    { refresh_token: token = '' }: Credentials,
    app: OurApp | undefined,
    now: Date,
  ): Promise<Credentials> => tokensOf(call, app, { grant_type: 'refresh_token', refresh_token: token }, now),
};

async function tokensOf(
  call: ShopCall,
  app: OurApp | undefined,
  grant: Readonly<Record<string, string>>,
  now: Date,
): Promise<Credentials> {
  if (app === undefined) {
    throw new ShopFault('refused', 'The print shop has no app at Shopify any more. Its operators must mend that.');
  }
  const keys = { client_id: app.clientId, client_secret: app.clientSecret };
  const answer = await asked(() => call('POST', TOKENS, { ...keys, ...grant }));
  const json = isMembers(answer?.json) ? answer.json : {};
  const [access, refresh] = [textOf(json.access_token), textOf(json.refresh_token)];
  const seconds = Number(json.expires_in);
  if (access === '' || refresh === '' || !(seconds > 0)) {
    throw new ShopFault('broken', 'Shopify gave no token that can be renewed.');
  }
  return {
    access_token: access,
    refresh_token: refresh,
    expires_at: new Date(now.getTime() + seconds * 1_000).toISOString(),
  };
}

/** A grant that is refused is one that is used up, or a shop that took our access away. */
async function asked<T>(ask: () => Promise<T | undefined>): Promise<T> {
  try {
    const answer = await ask();
    if (answer !== undefined) return answer;
  } catch (error) {
    if (!(error instanceof ShopFault) || error.kind !== 'rejected') throw error;
  }
  throw endedConsent();
}

function endedConsent(): ShopFault {
  return new ShopFault('refused', 'Shopify does not let the print shop in any more. Connect the shop again.');
}
