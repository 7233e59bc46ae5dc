import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { medusaAddress, readKey } from './key.ts';
import { readMedusaOrder } from './orders.ts';

/** An order as a Medusa of version 2.21.2 answers it, with what is asked for and some of what comes with it. */
const ANSWER = {
  id: 'order_01M8CBWCXPN03FWPDDNSCJMFAW',
  display_id: 7,
  status: 'pending',
  created_at: '2026-11-26T16:44:08.002Z',
  updated_at: '2026-11-26T16:44:09.285Z',
  email: 'ada@buyer.example',
  summary: { current_order_total: 64, paid_total: 64 },
  version: 1,
  items: [
    {
      id: 'ordli_01M8CBWCXTX2DPS2WQ57ADSYZ0',
      title: 'Fern tee',
      variant_id: 'variant_01M8CBW9VQ1FGMHFRK5A6W3KGZ',
      variant_sku: 'prod_1/TEE-CLASSIC-WHT-M',
      variant_title: 'White / M',
      requires_shipping: true,
      metadata: { 'Their name': 'Ada', _internal: 'x', gift: true, parts: { a: 1 } },
      quantity: 2,
      detail: { quantity: 2, fulfilled_quantity: 0 },
    },
  ],
  shipping_methods: [{ id: 'ordsm_1', name: 'Standard' }],
  shipping_address: {
    company: null,
    first_name: 'Ada',
    last_name: 'Byron',
    address_1: '12 Mill Lane',
    address_2: null,
    city: 'Leeds',
    country_code: 'gb',
    province: null,
    postal_code: 'LS1 4DY',
    phone: null,
  },
  billing_address: null,
  payment_collections: [
    {
      updated_at: '2026-11-26T16:44:10.655Z',
      payments: [{ provider_id: 'pp_stripe_stripe', captured_at: null, canceled_at: null }],
    },
  ],
  fulfillments: [],
  payment_status: 'authorized',
  fulfillment_status: 'not_fulfilled',
} as const;

const LINE = ANSWER.items[0];

function read(changes: object = {}) {
  const answer = readMedusaOrder({ ...ANSWER, ...changes });
  assert.equal(answer?.kind, 'order', JSON.stringify(answer));
  return answer.order;
}

/** The flags of an order that are set. */
function flagsOf(changes: object): string[] {
  const { test: isTest, cancelled, fulfilled, unpaid, on_hold: held } = read(changes);
  return Object.entries({ isTest, cancelled, fulfilled, unpaid, held }).flatMap(([name, is]) => (is ? [name] : []));
}

/** The line of the order of which some pieces are packed. */
const packed = (fulfilled: number, quantity = 2) => ({
  items: [{ ...LINE, detail: { quantity, fulfilled_quantity: fulfilled } }],
});

const ours = (quantity: number, changes: object = {}) => ({
  id: 'ful_1',
  canceled_at: null,
  metadata: { platen_parcel: 'shp_1', platen_pieces: { [LINE.id]: quantity } },
  ...changes,
});

describe('an order of Medusa', () => {
  test('is read with its number, its address, and what its buyer entered', () => {
    assert.deepEqual(read(), {
      id: ANSWER.id,
      number: '#7',
      ordered_at: '2026-11-26T16:44:08.002Z',
      updated_at: '2026-11-26T16:44:10.655Z',
      shipping_method: 'Standard',
      shipping_address: {
        contact_name: 'Ada Byron',
        line1: '12 Mill Lane',
        city: 'Leeds',
        postcode: 'LS1 4DY',
        country_code: 'GB',
        email: 'ada@buyer.example',
      },
      items: [
        {
          id: LINE.id,
          variant_id: LINE.variant_id,
          sku: 'prod_1/TEE-CLASSIC-WHT-M',
          title: 'Fern tee',
          options: 'White / M',
          quantity: 2,
          properties: [
            { name: 'Their name', value: 'Ada' },
            { name: 'gift', value: 'true' },
          ],
        },
      ],
    });
  });

  test('waits for money, unless a bank has promised it', () => {
    const bySystem = [{ payments: [{ provider_id: 'pp_system_default', captured_at: null, canceled_at: null }] }];
    assert.deepEqual(flagsOf({}), []);
    assert.deepEqual(flagsOf({ payment_collections: bySystem }), ['unpaid'], 'a new shop approves of every payment');
    assert.deepEqual(flagsOf({ payment_collections: bySystem, payment_status: 'captured' }), []);
    assert.deepEqual(flagsOf({ payment_status: 'captured' }), []);
    assert.deepEqual(flagsOf({ payment_status: 'partially_refunded' }), []);
    for (const status of ['not_paid', 'awaiting', 'requires_action', 'canceled', 'partially_captured']) {
      assert.deepEqual(flagsOf({ payment_status: status }), ['unpaid'], status);
    }
    assert.deepEqual(flagsOf({ payment_status: 'refunded' }), ['held']);
    assert.deepEqual(flagsOf({ payment_status: 'of_a_plug_in' }), ['held']);
    const free = { summary: { current_order_total: 0 }, payment_status: 'not_paid', payment_collections: [] };
    assert.deepEqual(flagsOf(free), [], 'what costs nothing is paid');
  });

  test('is over where the shop says so', () => {
    assert.deepEqual(flagsOf({ status: 'canceled', payment_status: 'canceled' }), ['cancelled']);
    assert.deepEqual(flagsOf({ status: 'requires_action' }), ['held']);
    assert.deepEqual(flagsOf({ status: 'archived' }), ['fulfilled']);
    assert.deepEqual(flagsOf({ status: 'completed', ...packed(2), fulfillments: [ours(2)] }), []);
    assert.deepEqual(flagsOf(packed(0, 0)), ['cancelled'], 'all of its pieces were taken out');
    assert.equal(readMedusaOrder({ ...ANSWER, status: 'draft' }), undefined);
  });

  test('has of each line what the shop has not packed itself; what we sent stays', () => {
    assert.equal(read(packed(1)).items[0]?.quantity, 1);
    assert.deepEqual(flagsOf(packed(2)), ['fulfilled']);
    const sent = read({ ...packed(2), fulfillments: [ours(2)] });
    assert.deepEqual({ ...sent, updated_at: '' }, { ...read(), updated_at: '' }, 'our own parcel is no change');
    assert.equal(read({ ...packed(2), fulfillments: [ours(1)] }).items[0]?.quantity, 1);
    assert.equal(
      read({ ...packed(0), fulfillments: [ours(2, { canceled_at: '2026-11-27T10:00:00.000Z' })] }).items[0]?.quantity,
      2,
    );
  });

  test('is read alike in whatever order Medusa answers its lines and its ways of shipping', () => {
    const lines = [LINE, { ...LINE, id: 'ordli_01M8CBWCXWF9BNCG4QKHZTJSFS', variant_id: 'variant_2' }];
    const methods = [
      { id: 'ordsm_1', name: 'Standard' },
      { id: 'ordsm_2', name: 'Express' },
    ];
    assert.deepEqual(
      read({ items: lines, shipping_methods: methods }),
      read({ items: lines.toReversed(), shipping_methods: methods.toReversed() }),
    );
  });

  test('that a plug-in has broken is unreadable, and names itself', () => {
    assert.equal(readMedusaOrder('an order')?.kind, 'unreadable');
    const without = readMedusaOrder({ ...ANSWER, created_at: null });
    assert.deepEqual([without?.kind, without?.kind === 'unreadable' && without.id], ['unreadable', ANSWER.id]);
    assert.equal(readMedusaOrder({ ...ANSWER, items: null })?.kind, 'unreadable');
  });
});

describe('the way into a shop of Medusa', () => {
  test('is the address of its server, whatever page was copied', () => {
    for (const typed of [
      'shop.example.com',
      'https://shop.example.com/',
      'https://shop.example.com/app/orders?q=1',
      'https://shop.example.com/admin',
    ]) {
      assert.equal(medusaAddress(typed), 'https://shop.example.com', typed);
    }
    assert.equal(medusaAddress('https://shop.example.com/api/app'), 'https://shop.example.com/api');
    for (const typed of ['http://shop.example.com', 'https://a:b@shop.example.com', 'ftp://shop.example.com', '']) {
      assert.equal(medusaAddress(typed), undefined, typed);
    }
  });

  test('is a secret key, and no publishable one', () => {
    const key = `sk_${'a1'.repeat(32)}`;
    assert.deepEqual(readKey(` ${key}\n`), { key });
    for (const typed of [`pk_${'a1'.repeat(32)}`, 'sk_short', `${key} ${key}`, ''])
      assert.equal(readKey(typed), undefined);
  });
});
