import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { PlaceOrderBody } from '../../sdk/src/generated.ts';
import { createClient, type Placement, PlatenConnectionError, PlatenError } from '../../sdk/src/index.ts';
import { refused, type Step, scriptedFetch } from './scripted-fetch.ts';

const BODY: PlaceOrderBody = {
  items: [{ product_id: 'prod_1', variant_sku: 'TEE', quantity: 1 }],
  shipping_address: {
    contact_name: 'Ada',
    line1: '1 Mill Lane',
    city: 'Leeds',
    postcode: 'LS1 4DY',
    country_code: 'GB',
  },
};

function open(...steps: [Step, ...Step[]]) {
  const { fetch, sent } = scriptedFetch(...steps);
  const client = createClient({ token: 'pat_live_sample', baseUrl: 'https://print.example', fetch });
  return { client, references: () => sent.map(({ body }) => (body as PlaceOrderBody).external_reference), sent };
}

function placed(order: { status?: string; payment_status?: string }, headers: Record<string, string> = {}): Step {
  return { status: 201, headers, body: { id: 'ord_1', reference: 'PF-1', status: 'pending', ...order } };
}

describe('a 201 is not a payment: what came of it is told by kind, and only a paid order is called order', () => {
  const rows: [status: string, paymentStatus: string, kind: Placement['kind'], member: string][] = [
    ['pending', 'paid', 'paid', 'order'],
    ['pending', 'processing', 'processing', 'waitingOrder'],
    ['pending', 'failed', 'awaiting_payment', 'waitingOrder'],
    ['dispatched', 'part_refunded', 'paid', 'order'],
    ['confirmed', 'refunded', 'paid', 'order'],
    ['cancelled', 'refunded', 'cancelled', 'cancelledOrder'],
    ['cancelled', 'failed', 'cancelled', 'cancelledOrder'],
    ['pending', 'in_escrow', 'unknown', 'waitingOrder'],
    ['teleported', 'paid', 'paid', 'order'],
  ];
  for (const [status, paymentStatus, kind, member] of rows) {
    test(`${status}, ${paymentStatus}: ${kind}`, async () => {
      const { client } = open(placed({ status, payment_status: paymentStatus }));
      const placement = await client.orders.place(BODY);
      assert.deepEqual([placement.kind, placement.id, placement.reference], [kind, 'ord_1', 'PF-1']);
      const orders = Object.keys(placement).filter((name) => name === 'order' || name.endsWith('Order'));
      assert.deepEqual(orders, [member]);
    });
  }

  test('the compiler asks for a look at kind', async () => {
    const { client } = open(placed({ payment_status: 'failed' }));
    const placement = await client.orders.place(BODY);
    // The type of an order that has not been looked at is no order: this line is about what compiles.
    const seen: 'order' extends keyof Placement ? 'careless' : 'careful' = 'careful';
    assert.equal(seen, 'careful');
    switch (placement.kind) {
      case 'paid':
        assert.fail(placement.order.id);
        break;
      case 'processing':
      case 'awaiting_payment':
      case 'unknown':
        assert.equal(placement.waitingOrder.payment_status, 'failed');
        break;
      case 'cancelled':
        assert.fail(placement.cancelledOrder.id);
    }
  });
});

describe('F103 an order is always sent with a reference, so that sending it again makes no second one', () => {
  test('the reference of the caller is sent as it is, each time', async () => {
    const { client, references } = open(
      'lost',
      refused(503, 'unavailable', { headers: { 'retry-after': '0' } }),
      placed({}),
    );
    const placement = await client.orders.place({ ...BODY, external_reference: 'shop-1042' });
    assert.deepEqual(references(), ['shop-1042', 'shop-1042', 'shop-1042']);
    assert.equal(placement.externalReference, 'shop-1042');
  });

  test('without one the client makes one, the same for every attempt of a call and new for the next', async () => {
    const { client, references } = open('lost', placed({ payment_status: 'paid' }));
    const first = await client.orders.place(BODY);
    const second = await client.orders.place(BODY);
    const [one, again, other] = references();
    assert.match(String(one), /^sdk_[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.equal(again, one);
    assert.notEqual(other, one);
    assert.deepEqual([first.externalReference, second.externalReference], [one, other]);
    assert.equal(BODY.external_reference, undefined);
  });

  test('an error carries the reference, whichever way the call failed', async () => {
    const lost = open('lost');
    await assert.rejects(lost.client.orders.place(BODY, { retries: 0 }), (error) => {
      return error instanceof PlatenConnectionError && error.externalReference === lost.references()[0];
    });
    const out = open(refused(409, 'out_of_stock', { members: { oversold: [] } }));
    await assert.rejects(out.client.orders.place({ ...BODY, external_reference: 'shop-7' }), (error) => {
      return error instanceof PlatenError && error.externalReference === 'shop-7';
    });
  });

  test('an empty reference is left to the service to refuse', async () => {
    const { client, references } = open(refused(422, 'validation_failed'));
    await assert.rejects(client.orders.place({ ...BODY, external_reference: '' }), PlatenError);
    assert.deepEqual(references(), ['']);
  });
});

describe('replayed', () => {
  const replay = { 'idempotent-replayed': 'true' };
  test('is true when the service had the order of this reference already', async () => {
    const { client } = open({ ...(placed({}, replay) as object), status: 200 });
    assert.equal((await client.orders.place({ ...BODY, external_reference: 'shop-1042' })).replayed, true);
  });

  test('is false for a new order, and for one that an attempt of this very call had placed under a made reference', async () => {
    const fresh = open(placed({}));
    assert.equal((await fresh.client.orders.place({ ...BODY, external_reference: 'shop-1' })).replayed, false);
    const retried = open('lost', { ...(placed({}, replay) as object), status: 200 });
    assert.equal((await retried.client.orders.place(BODY)).replayed, false);
  });
});
