import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { ShopFault } from '../shop-call.ts';
import { ask } from './ask.ts';
import { readShopifyConsent, renewal, shopifyAddress } from './consent.ts';
import { readShopifyNotice } from './notice.ts';

const app = { clientId: 'id', clientSecret: 'hush' };

test('an address is NAME.myshopify.com, as a browser may show it', () => {
  const address = 'https://fern-thread.myshopify.com';
  for (const typed of [
    'fern-thread.myshopify.com',
    ' Fern-Thread.MyShopify.com ',
    'https://fern-thread.myshopify.com/admin/orders',
    'https://admin.shopify.com/store/fern-thread/orders?x=1',
    'admin.shopify.com/store/fern-thread',
  ]) {
    assert.equal(shopifyAddress(typed), address, typed);
  }
  for (const typed of [
    'fern.example',
    'fern.myshopify.com.example',
    'http://fern.myshopify.com',
    'https://fern.myshopify.com:444',
    'https://a:b@fern.myshopify.com',
    'https://admin.shopify.com/store/../x',
    'https://admin.shopify.com/',
    'a.b.myshopify.com',
    'myshopify.com',
    'fern_.myshopify.com',
    'xn--fern.myshopify.com.evil',
    '',
  ]) {
    assert.equal(shopifyAddress(typed), undefined, typed);
  }
});

test('a consent is what Shopify has signed, whole and once each', () => {
  const query = { code: 'c', host: 'aG9zdA==', shop: 'fern.myshopify.com', state: 's', timestamp: '1337178173' };
  const sign = (of: Record<string, string>): string =>
    createHmac('sha256', app.clientSecret)
      .update(new URLSearchParams(Object.entries(of).toSorted(([one], [other]) => (one < other ? -1 : 1))).toString())
      .digest('hex');
  const hmac = sign(query);
  const { host: _host, ...rest } = query;
  assert.deepEqual(readShopifyConsent({ ...query, hmac }, app), {
    state: 's',
    credentials: { code: 'c', signed_at: '1337178173' },
    address: 'https://fern.myshopify.com',
  });
  const wrong: unknown[] = [
    { ...query, hmac: '0'.repeat(64) },
    { ...query, hmac: hmac.slice(2) },
    { ...query, hmac, code: 'd' },
    { ...query, hmac, more: '1' },
    { ...rest, hmac },
    { ...query, hmac, shop: ['fern.myshopify.com', 'other.myshopify.com'] },
    { ...query, shop: 'evil.example', hmac: sign({ ...query, shop: 'evil.example' }) },
    query,
    null,
    'text',
  ];
  for (const one of wrong) assert.equal(readShopifyConsent(one, app), undefined);
  assert.equal(readShopifyConsent({ ...query, hmac }, undefined), undefined);
});

test('a notice is a hint of the shop that it is for', () => {
  const notice = (topic: string, text: string, changes: Record<string, string> = {}) => {
    const body = Buffer.from(text);
    const signature = createHmac('sha256', app.clientSecret).update(body).digest('base64');
    const headers: Record<string, string> = {
      'x-shopify-hmac-sha256': signature,
      'x-shopify-topic': topic,
      'x-shopify-shop-domain': 'fern.myshopify.com',
      ...changes,
    };
    const header = (name: string): string | undefined => headers[name];
    return readShopifyNotice({
      header,
      body,
      secrets: [],
      address: 'https://fern.myshopify.com',
      app,
      now: new Date(),
    });
  };
  assert.deepEqual(notice('orders/create', '{"id":820982911946154508}'), { orderId: '820982911946154508' });
  assert.deepEqual(notice('orders/risk_assessment_changed', '{"order_id":7}'), { orderId: '7' });
  const held = '{"fulfillment_order":{"id":"gid:\\/\\/shopify\\/FulfillmentOrder\\/9","status":"on_hold"}}';
  assert.deepEqual(notice('fulfillment_orders/placed_on_hold', held), { orderId: 'fulfillment_order/9' });
  assert.deepEqual(notice('app/uninstalled', '{"id":1}'), { orderId: undefined, isReasonToSync: true });
  assert.deepEqual(notice('products/create', '{"id":1}'), { orderId: undefined });
  assert.deepEqual(notice('orders/create', 'no JSON'), { orderId: undefined });
  const of = 'orders/create';
  assert.equal(notice(of, '{"id":1}', { 'x-shopify-shop-domain': 'other.myshopify.com' }), undefined);
  assert.equal(notice(of, '{"id":1}', { 'x-shopify-hmac-sha256': 'AAAA' }), undefined);
});

test('a token is renewed in its last minutes, and one of an unknown end at once', () => {
  const now = new Date('2026-11-26T12:00:00Z');
  const due = (endsAt: string): boolean => renewal.isDue({ expires_at: endsAt }, now);
  assert.deepEqual(['2026-11-26T12:06:00Z', '2026-11-26T12:04:00Z', '2026-11-26T11:00:00Z', ''].map(due), [
    false,
    true,
    true,
    true,
  ]);
});

test('what Shopify refuses is a fault of a kind, in words that hold nothing of what it sent', async () => {
  const cost = { requestedQueryCost: 500, throttleStatus: { currentlyAvailable: 100, restoreRate: 100 } };
  const error = (code: string) => ({
    errors: [{ message: 'secret words', extensions: { code } }],
    extensions: { cost },
  });
  const cases: [unknown, Partial<ShopFault>][] = [
    [error('THROTTLED'), { kind: 'busy', retryAfterSeconds: 4 }],
    [
      { ...error('THROTTLED'), extensions: {} },
      { kind: 'busy', retryAfterSeconds: 60 },
    ],
    [error('ACCESS_DENIED'), { kind: 'refused' }],
    [error('INTERNAL_SERVER_ERROR'), { kind: 'away' }],
    [error('undefinedField'), { kind: 'broken' }],
    [{ errors: 'secret words' }, { kind: 'broken' }],
    [{ data: null }, { kind: 'broken' }],
    [[], { kind: 'broken' }],
  ];
  for (const [json, expected] of cases) {
    const call = async () => ({ status: 200, headers: new Headers(), json });
    await assert.rejects(ask({ call }, 'query { shop }'), (fault: unknown) => {
      assert.ok(fault instanceof ShopFault);
      assert.equal(fault.kind, expected.kind, JSON.stringify(json));
      assert.equal(fault.retryAfterSeconds, expected.retryAfterSeconds);
      assert.equal(fault.message.includes('secret words'), false);
      return true;
    });
  }
});
