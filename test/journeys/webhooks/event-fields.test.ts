import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { verifyWebhook } from '../../../sdk/src/index.ts';
import { createSubscription } from '../../../src/webhooks/create-subscription.ts';
import { EVENT_DATA } from '../../../src/webhooks/event-schema.ts';
import { EVENT_NAMES } from '../../../src/webhooks/events.ts';
import { eventually } from '../../harness/context.ts';
import { type Customer, startTestService, type TestService } from '../../harness/service.ts';
import { addProduct, HOME } from '../../harness/shop.ts';

let service: TestService;
let customer: Customer;
let tote: string;
before(async () => {
  service = await startTestService();
  customer = await service.openCustomer({ balancePence: 100_000 });
  tote = await addProduct(service, customer, 'TOTE-COTTON');
  service.stranger.serve('/hook', { status: 200 });
});
after(() => service.stop());

type Event = {
  id: string;
  event: string;
  created_at: string;
  data: { order_id: string; reference: string; status: string };
};

function delivered(): readonly Event[] {
  const hits = service.stranger.hits.filter(({ path }) => path === '/hook');
  return hits.map((hit) => JSON.parse(hit.body.toString()) as Event);
}

/** The fields of spec 6.3, of an object and of what it holds. */
const FIELDS: readonly (readonly [what: string, name: keyof typeof EVENT_DATA, fields: readonly string[]])[] = [
  [
    '6.3 order.created',
    'order.created',
    ['order_id', 'reference', 'external_reference', 'status', 'total', 'currency', 'item_count'],
  ],
  ['6.3 order.shipment_created', 'order.shipment_created', ['reference', 'status', 'shipment']],
  ['6.3 order.dispatched', 'order.dispatched', ['reference', 'status', 'carrier', 'tracking_numbers']],
  ['6.3 order.cancelled', 'order.cancelled', ['order_id', 'reference', 'status', 'refunded_gbp', 'cancelled_by']],
  [
    '6.3 order.payment_failed',
    'order.payment_failed',
    ['order_id', 'reference', 'amount_gbp', 'paid_gbp', 'remaining_gbp', 'failed_method', 'reason'],
  ],
  ['6.3 order.on_hold', 'order.on_hold', ['reference', 'status', 'reason']],
  ['6.3 order.in_production', 'order.in_production', ['order_id', 'reference', 'status']],
];
for (const [what, name, fields] of FIELDS) {
  test(`${what} has these fields, all of them always, and no others: ${fields.join(', ')}`, () => {
    assert.deepEqual(Object.keys(EVENT_DATA[name].properties), fields);
    assert.deepEqual(EVENT_DATA[name].required, fields);
  });
}

describe('6.3 order.shipment_created: a shipment tells its tracking and each item as SKU, name and quantity', () => {
  const { shipment } = EVENT_DATA['order.shipment_created'].properties;
  test('the shipment', () => {
    assert.deepEqual(shipment.required, ['tracking_number', 'carrier', 'tracking_url', 'items']);
  });
  test('its items', () => {
    assert.deepEqual(shipment.properties.items.items.required, ['variant_sku', 'name', 'quantity']);
  });
});

test('6.2 data.reference: every event carries the reference of its order', () => {
  for (const name of EVENT_NAMES) assert.ok('reference' in EVENT_DATA[name].properties, name);
});

test('6.6 ordering: whatever order deliveries come in, each tells the condition of its order, and created_at the latest (6.2 created_at, 6.2 data.status)', async () => {
  const caller = { accountId: customer.accountId, limitedAs: customer.accountId, scopes: new Set<never>() };
  await createSubscription(service.ctx, caller, { body: { url: service.stranger.url('/hook') }, unknownFields: [] });
  const ids: string[] = [];
  for (let count = 0; count < 5; count += 1) {
    const items = [{ product_id: tote, variant_sku: 'TOTE-COTTON-NAT', quantity: 1, print_jobs: [] }];
    const placed = await customer.request<{ id: string }>('POST', '/orders', { items, shipping_address: HOME });
    ids.push(placed.body.id);
    assert.equal((await customer.request('POST', `/orders/${placed.body.id}/cancel`)).status, 200);
  }
  const events = await eventually('two events of each order', () => delivered().length >= 10 && delivered());
  for (const id of ids) {
    const own = events.filter(({ data }) => data.order_id === id);
    // A receiver that takes them in any order, and believes the latest.
    for (const received of [own, own.toReversed()]) {
      const latest = received.reduce((one, other) => (one.created_at > other.created_at ? one : other));
      assert.deepEqual([latest.event, latest.data.status], ['order.cancelled', 'cancelled']);
    }
    assert.deepEqual(own.map(({ event, data }) => `${event} ${data.status}`).toSorted(), [
      'order.cancelled cancelled',
      'order.created confirmed',
    ]);
    assert.equal(new Set(own.map((event) => event.id)).size, own.length);
  }
});

test('6.5.4 the published client leaves the comparing to WebCrypto, which takes the same time wherever signatures differ', async (context) => {
  const compared = context.mock.method(crypto.subtle, 'verify');
  const secrets = ['whsec_b25l', 'whsec_dHdv', 'whsec_dGhyZWU='];
  const rawBody = '{"id":"evt_1"}';
  const now = new Date('2026-11-21T09:30:00.000Z');
  const timestamp = String(now.getTime() / 1_000);
  const right = createHmac('sha256', secrets[0] ?? '')
    .update(`${timestamp}.${rawBody}`)
    .digest('hex');
  const given = [right, flipped(right, 0), flipped(right, 63), '0'.repeat(64)];
  for (const signature of given) {
    compared.mock.resetCalls();
    const headers = { 'svc-timestamp': timestamp, 'svc-signature': signature };
    await verifyWebhook({ secret: secrets, headers, rawBody, now }).catch(() => undefined);
    // Each secret is tried, also after one has fitted: the time does not tell which it was.
    assert.equal(compared.mock.callCount(), secrets.length);
    for (const { arguments: args } of compared.mock.calls) {
      assert.equal(Buffer.from(args[2] as Uint8Array).toString('hex'), signature, 'all of it is compared');
    }
  }
});

function flipped(hex: string, at: number): string {
  return `${hex.slice(0, at)}${hex[at] === '0' ? '1' : '0'}${hex.slice(at + 1)}`;
}
