import assert from 'node:assert/strict';
import { createHmac, randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { buildSchema, graphql } from 'graphql';
import { API_VERSION } from '../../../src/channels/platforms/shopify/version.ts';
import type { Authority } from '../authority.ts';
import { drip, type Hit, type Stranger, startStranger } from '../stranger.ts';
import { answersOf, gid } from './answers.ts';
import { productAnswersOf } from './product-answers.ts';
import { refundAnswersOf } from './refund-answers.ts';
import { SCHEMA } from './schema.ts';
import {
  type DoubleLine,
  type DoubleOrder,
  type DoubleShop,
  type Fault,
  newOrder,
  newShop,
  newToken,
  shopTime,
} from './shop-state.ts';

// A double of Shopify: shops on one HTTPS server, each at its own name, with what our app asks of them. It has knobs
// for what goes wrong on the way, and forgets nothing that it was asked.

export const APP = { clientId: '0123456789abcdef0123456789abcdef', clientSecret: 'shpss_0123456789abcdef' } as const;

const SIGNED_TOPICS: Readonly<Record<string, string>> = {
  ORDERS_CREATE: 'orders/create',
  ORDERS_UPDATED: 'orders/updated',
  ORDERS_CANCELLED: 'orders/cancelled',
  ORDERS_RISK_ASSESSMENT_CHANGED: 'orders/risk_assessment_changed',
  APP_UNINSTALLED: 'app/uninstalled',
  FULFILLMENT_ORDERS_FULFILLMENT_REQUEST_SUBMITTED: 'fulfillment_orders/fulfillment_request_submitted',
  FULFILLMENT_ORDERS_CANCELLATION_REQUEST_SUBMITTED: 'fulfillment_orders/cancellation_request_submitted',
  FULFILLMENT_ORDERS_PLACED_ON_HOLD: 'fulfillment_orders/placed_on_hold',
  FULFILLMENT_ORDERS_MOVED: 'fulfillment_orders/moved',
  FULFILLMENT_ORDERS_HOLD_RELEASED: 'fulfillment_orders/hold_released',
};

/** What becomes of each notification: how often it is sent. None, one, or several times. */
export type Post = (topic: string) => number;

export type ShopifyDouble = {
  readonly port: number;
  readonly stranger: Stranger;
  /** The shop of a name, which is there from the first time it is asked for. */
  readonly shop: (name: string) => DoubleShop;
  /** What the people of a shop see once they have consented: where their browser goes. */
  readonly consent: (consentUrl: string, changes?: Readonly<Record<string, string>>) => string;
  /** Where Shopify leads the browser of who installs the app in a shop, or opens it. */
  readonly install: (name: string, changes?: Readonly<Record<string, string>>) => string;
  /** Adds an order, and tells of it. */
  readonly order: (
    shop: DoubleShop,
    lines: readonly Partial<DoubleLine>[],
    changes?: Partial<DoubleOrder>,
  ) => Promise<DoubleOrder>;
  /** Tells of an order that has changed. */
  readonly changed: (shop: DoubleShop, order: DoubleOrder, topic?: string) => Promise<void>;
  /** Sends a signed request to a path of the service; the status of its answer. */
  readonly send: (path: string, sent: Sent) => Promise<number>;
  /** How notifications travel; each once when left out. */
  post: Post;
  /** The time by the clock of Shopify. */
  now: () => Date;
  /** Where the service is; nothing is reported before it is known. */
  serviceUrl: string;
  readonly close: () => Promise<void>;
};

export type Sent = {
  readonly topic: string;
  readonly domain: string;
  readonly body: object;
  readonly secret?: string;
};

/** A signed request of Shopify: headers and raw body. */
export function signedRequest({ topic, domain, body, secret = APP.clientSecret }: Sent) {
  const text = JSON.stringify(body);
  const headers = {
    'content-type': 'application/json',
    'x-shopify-topic': topic,
    'x-shopify-shop-domain': domain,
    'x-shopify-api-version': API_VERSION,
    'x-shopify-webhook-id': randomUUID(),
    'x-shopify-triggered-at': new Date().toISOString(),
    'x-shopify-hmac-sha256': createHmac('sha256', secret).update(text).digest('base64'),
  };
  return { headers, text };
}

/** A query as Shopify signs it. */
function signedQuery(query: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(query).toSorted(([one], [other]) => (one < other ? -1 : 1));
  const text = new URLSearchParams(pairs).toString();
  return `${text}&hmac=${createHmac('sha256', APP.clientSecret).update(text).digest('hex')}`;
}

/** Starts a double whose shops have these names. */
export async function startShopifyDouble(authority: Authority, names: readonly string[]): Promise<ShopifyDouble> {
  const domains = names.map((name) => `${name}.myshopify.com`);
  const stranger = await startStranger({ authority, hostnames: domains });
  const shops = new Map(domains.map((domain) => [domain, newShop(domain)]));
  const schema = buildSchema(SCHEMA);
  const shopOf = ({ headers }: Hit): DoubleShop => {
    const shop = shops.get((headers.host ?? '').split(':')[0] ?? '');
    assert.ok(shop !== undefined, 'the double has no such shop');
    return shop;
  };

  const double: ShopifyDouble = {
    port: stranger.port,
    stranger,
    shop: (name) => {
      const shop = shops.get(`${name}.myshopify.com`);
      assert.ok(shop !== undefined, 'the double has no such shop');
      return shop;
    },
    consent: (shopifyConsentUrl, changes = {}) => {
      const url = new URL(shopifyConsentUrl);
      const shop = shops.get(url.hostname);
      assert.ok(shop !== undefined && url.searchParams.get('client_id') === APP.clientId, shopifyConsentUrl);
      shop.tokens.code = newToken('code');
      shop.scopes = new Set(url.searchParams.get('scope')?.split(','));
      const query = {
        code: shop.tokens.code,
        host: Buffer.from(`admin.shopify.com/store/${names[0]}`).toString('base64'),
        shop: shop.domain,
        state: url.searchParams.get('state') ?? '',
        timestamp: String(Math.floor(double.now().getTime() / 1_000)),
        ...changes,
      };
      return `/channels/consents/shopify?${signedQuery(query)}`;
    },
    install: (name, changes = {}) => {
      const query = {
        host: Buffer.from(`admin.shopify.com/store/${name}`).toString('base64'),
        shop: `${name}.myshopify.com`,
        timestamp: String(Math.floor(double.now().getTime() / 1_000)),
        ...changes,
      };
      return `/channels/installs/shopify?${signedQuery(query)}`;
    },
    order: async (shop, lines, changes) => {
      const order = newOrder(shop, lines, changes);
      shop.orders.set(order.id, order);
      await tell(double, shop, 'ORDERS_CREATE', { id: Number(order.id) });
      return order;
    },
    changed: async (shop, order, topic = 'ORDERS_UPDATED') => {
      order.updatedAt = shopTime(shop.clock.now());
      const [first] = order.fulfillmentOrders;
      const fulfillment = { id: gid('FulfillmentOrder', first?.id ?? ''), status: first?.status };
      const moved = { original_fulfillment_order: fulfillment, moved_fulfillment_order: fulfillment };
      const body = topic.startsWith('ORDERS')
        ? { id: Number(order.id) }
        : topic.endsWith('_MOVED')
          ? moved
          : { fulfillment_order: fulfillment };
      await tell(double, shop, topic, body);
    },
    send: async (path, sent) => {
      const { headers, text } = signedRequest(sent);
      return (await fetch(double.serviceUrl + path, { method: 'POST', headers, body: text })).status;
    },
    post: () => 1,
    now: () => new Date(),
    serviceUrl: '',
    close: stranger.close,
  };

  stranger.serve('/admin/oauth/access_token', async (hit, response) => {
    await shopOf(hit).tokens.hold;
    giveToken(shopOf(hit), hit, response);
  });
  stranger.serve(`/admin/api/${API_VERSION}/graphql.json`, async (hit, response) => {
    const shop = shopOf(hit);
    response.setHeader('date', shop.clock.header());
    const { query, variables } = JSON.parse(hit.body.toString()) as { query: string; variables: object };
    const operation = /(?:query|mutation) [A-Za-z]+/.exec(query)?.[0] ?? '';
    const fault = shop.faults.shift() ?? shop.faultOf(operation);
    if (fault === 'slow drip') {
      await shop.slowDrip.handler(hit, response);
      return;
    }
    if (fault !== undefined && fault !== 'none' && fault !== 'answer lost') {
      misbehave(fault, hit, response);
      return;
    }
    const token = hit.headers['x-shopify-access-token'];
    const { tokens } = shop;
    if (!shop.isInstalled || tokens.isExpired || tokens.access === undefined || token !== tokens.access) {
      return answer(response, 401, { errors: '[API] Invalid API key or access token' });
    }
    // The replacement is used: what it replaced is retired.
    tokens.refreshBefore = undefined;
    const touched = (order: DoubleOrder): void => void double.changed(shop, order).catch(() => {});
    const rootValue = { ...answersOf(shop, touched), ...productAnswersOf(shop), ...refundAnswersOf(shop, touched) };
    const result = await graphql({ schema, source: query, variableValues: { ...variables }, rootValue });
    shop.done.push(operation);
    if (fault === 'answer lost' || shop.loseAnswerOf === operation) {
      shop.loseAnswerOf = undefined;
      response.socket?.destroy();
      return;
    }
    answer(response, 200, { ...result, extensions: { cost: costOf(900) } });
  });
  return double;
}

/** Tells the service, if the shop has a webhook of the topic. */
async function tell(double: ShopifyDouble, shop: DoubleShop, topic: string, body: object): Promise<void> {
  const times = double.post(topic);
  for (const { uri } of shop.hooks.filter((hook) => hook.topic === topic)) {
    for (let sent = 0; sent < times; sent += 1) {
      const request = { topic: SIGNED_TOPICS[topic] ?? topic.toLowerCase(), domain: shop.domain, body };
      await double.send(new URL(uri).pathname, request);
    }
  }
}

function giveToken(shop: DoubleShop, hit: Hit, response: ServerResponse): unknown {
  const asked = JSON.parse(hit.body.toString()) as Record<string, string>;
  const { tokens } = shop;
  const fault = shop.faults.at(0) === 'answer lost' ? shop.faults.shift() : undefined;
  if (asked.client_id !== APP.clientId || asked.client_secret !== APP.clientSecret) {
    return answer(response, 400, { error: 'invalid_client' });
  }
  const isByCode = asked.code !== undefined && asked.code === tokens.code && asked.expiring === '1';
  const isRefreshed =
    asked.grant_type === 'refresh_token' &&
    asked.refresh_token !== undefined &&
    shop.isInstalled &&
    (asked.refresh_token === tokens.refresh || asked.refresh_token === tokens.refreshBefore);
  if (!isByCode && !isRefreshed) return answer(response, 400, { error: 'invalid_grant' });
  const refreshBefore = isRefreshed ? asked.refresh_token : undefined;
  const fresh = { access: newToken('shpat'), refresh: newToken('shprt'), refreshBefore, isExpired: false };
  Object.assign(tokens, fresh, { code: undefined, refreshed: tokens.refreshed + (isRefreshed ? 1 : 0) });
  shop.isInstalled = true;
  if (fault === 'answer lost') return response.socket?.destroy();
  return answer(response, 200, {
    access_token: tokens.access,
    scope: 'read_orders',
    expires_in: 3_600,
    refresh_token: tokens.refresh,
    refresh_token_expires_in: 7_776_000,
  });
}

function misbehave(
  fault: Exclude<Fault, 'none' | 'slow drip' | 'answer lost'>,
  hit: Hit,
  response: ServerResponse,
): unknown {
  const page = '<html><body>We will be back soon.</body></html>';
  if (fault === 'reset') return response.socket?.destroy();
  if (fault === 'away') return answer(response, 503, { errors: 'away' });
  if (fault === 'limited') return answer(response, 429, { errors: 'slow down' }, { 'retry-after': '2' });
  if (fault === 'drip') return drip({ body: Buffer.from(DRIPPED), chunkBytes: 16, everyMs: 50 })(hit, response);
  if (fault === 'rejected') {
    const [, name = ''] = /\{\s*([A-Za-z]+)\(/.exec((JSON.parse(hit.body.toString()) as { query: string }).query) ?? [];
    return answer(response, 200, { data: { [name]: { userErrors: [{ field: ['id'] }] } } });
  }
  if (fault === 'page') return response.writeHead(200, { 'content-type': 'text/html' }).end(page);
  const errors = [{ message: 'Throttled', extensions: { code: 'THROTTLED' } }];
  return answer(response, 200, { errors, extensions: { cost: costOf(0) } });
}

const DRIPPED = JSON.stringify({ errors: [{ message: 'x'.repeat(200), extensions: { code: 'TIMEOUT' } }] });

function costOf(currentlyAvailable: number) {
  const throttleStatus = { maximumAvailable: 2_000, currentlyAvailable, restoreRate: 100 };
  return { requestedQueryCost: 150, actualQueryCost: 12, throttleStatus };
}

function answer(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}
