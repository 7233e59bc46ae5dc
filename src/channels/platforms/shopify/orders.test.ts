import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ShopOrder } from '../../shop-order.ts';
import { type AssignedLine, assignedOf, dependsOnLines } from './fulfillment-orders.ts';
import { readShopifyOrder } from './orders.ts';

const OURS = { handle: 'platen', locationId: 'gid://shopify/Location/2' };
const READ = { ours: OURS, assigned: [] };
const at = (locationId: string, isFulfillmentService: boolean) => ({
  assignedLocation: { location: { id: locationId, isFulfillmentService } },
});
const own = { ...at('gid://shopify/Location/2', true), status: 'OPEN', requestStatus: 'UNSUBMITTED' };
const merchants = { ...at('gid://shopify/Location/1', false), status: 'OPEN', requestStatus: 'UNSUBMITTED' };
const others = { ...at('gid://shopify/Location/9', true), status: 'OPEN', requestStatus: 'SUBMITTED' };

const LINE = {
  id: 'gid://shopify/LineItem/11',
  title: 'Fern tee',
  sku: 'A-1',
  variantTitle: 'White / M',
  currentQuantity: 2,
  requiresShipping: true,
  variant: { id: 'gid://shopify/ProductVariant/21' },
  customAttributes: [
    { key: 'Name', value: 'Ada' },
    { key: '_hidden', value: 'x' },
    { key: 'Empty', value: '' },
  ],
  fulfillmentService: null,
};
const ORDER = {
  id: 'gid://shopify/Order/1',
  name: '#1001',
  createdAt: '2026-11-02T10:00:00Z',
  processedAt: '2026-11-02T10:00:00Z',
  updatedAt: '2026-11-02T06:00:00-05:00',
  cancelledAt: null,
  test: false,
  email: 'ada@byron.example',
  phone: '0113',
  note: 'Wrap it',
  displayFinancialStatus: 'PAID',
  displayFulfillmentStatus: 'UNFULFILLED',
  risk: { recommendation: 'ACCEPT' },
  shippingLine: { title: 'Standard' },
  shippingAddress: {
    firstName: 'Ada',
    lastName: 'Byron',
    company: null,
    address1: '12 Mill Lane',
    city: 'Leeds',
    provinceCode: 'ENG',
    zip: 'LS1 4DY',
    countryCodeV2: 'GB',
  },
  fulfillmentOrders: { nodes: [own] },
};

type Node = { readonly lines?: readonly AssignedLine[] };

/** Pieces of a line of the order, as a fulfilment order has them. */
const of = (left: number, { line = '11', total = left } = {}): Node => ({
  lines: [{ id: `of ${line}`, line, total, left, of: {} }],
});

/** Fulfilment orders have the lines that they are given where an order depends on them, and else none. */
function read(changes: object = {}, lines: readonly object[] = [LINE]): ShopOrder {
  const order = { ...ORDER, ...changes };
  const nodes = (order.fulfillmentOrders.nodes as readonly Node[]).map(
    ({ lines: own = of(2).lines ?? [], ...node }) => ({
      ...assignedOf(node, OURS),
      lines: own,
    }),
  );
  const bare = nodes.map(({ lines: _lines, ...node }) => node);
  const assigned = dependsOnLines(bare) ? nodes : bare;
  const result = readShopifyOrder(
    order,
    lines.map((line) => ({ ...line })),
    { ours: OURS, assigned },
  );
  assert.equal(result.kind, 'order');
  return result.kind === 'order' ? result.order : assert.fail();
}

test('an order is read with the shop’s number, its address, and what the buyer entered', () => {
  assert.deepEqual(read(), {
    id: '1',
    number: '#1001',
    ordered_at: '2026-11-02T10:00:00.000Z',
    updated_at: '2026-11-02T11:00:00.000Z',
    shipping_method: 'Standard',
    note: 'Wrap it',
    shipping_address: {
      contact_name: 'Ada Byron',
      line1: '12 Mill Lane',
      city: 'Leeds',
      county: 'ENG',
      postcode: 'LS1 4DY',
      country_code: 'GB',
      phone: '0113',
      email: 'ada@byron.example',
    },
    items: [
      {
        id: '11',
        variant_id: '21',
        sku: 'A-1',
        title: 'Fern tee',
        options: 'White / M',
        quantity: 2,
        properties: [{ name: 'Name', value: 'Ada' }],
      },
    ],
  });
});

describe('what an order waits for', () => {
  const flag = (changes: object): Partial<ShopOrder> => {
    const {
      test: isTest,
      cancelled,
      fulfilled,
      unpaid,
      on_hold,
      high_risk,
      risk_pending,
      scheduled_for,
    } = read(changes);
    const flags = { test: isTest, cancelled, fulfilled, unpaid, on_hold, high_risk, risk_pending, scheduled_for };
    return Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined));
  };
  const orders = (...nodes: object[]) => ({ fulfillmentOrders: { nodes } });
  const cases: [string, object, Partial<ShopOrder>][] = [
    ['nothing', {}, {}],
    ['a test', { test: true }, { test: true }],
    ['cancelled', { cancelledAt: '2026-11-02T10:30:00Z' }, { cancelled: true }],
    ['sent', { displayFulfillmentStatus: 'FULFILLED' }, { fulfilled: true }],
    ...['PENDING', 'AUTHORIZED', 'PARTIALLY_PAID', 'REFUNDED', 'VOIDED', 'EXPIRED', null].map(
      (status): [string, object, Partial<ShopOrder>] => [
        `paid: ${status}`,
        { displayFinancialStatus: status },
        { unpaid: true },
      ],
    ),
    ['partly refunded', { displayFinancialStatus: 'PARTIALLY_REFUNDED' }, {}],
    ['to be cancelled', { risk: { recommendation: 'CANCEL' } }, { high_risk: true }],
    ['to be looked into', { risk: { recommendation: 'INVESTIGATE' } }, { high_risk: true }],
    [
      'looked at for fraud',
      { risk: { recommendation: 'NONE', assessments: [{ riskLevel: 'PENDING' }] } },
      { risk_pending: true },
    ],
    [
      'suspected, and looked at by another',
      { risk: { recommendation: 'CANCEL', assessments: [{ riskLevel: 'HIGH' }, { riskLevel: 'PENDING' }] } },
      { high_risk: true },
    ],
    ['of no known risk', { risk: { recommendation: 'NONE' } }, {}],
    ['held', orders({ ...own, status: 'ON_HOLD' }), { on_hold: true }],
    ['held at the shop’s own location', orders({ ...merchants, status: 'ON_HOLD' }), { on_hold: true }],
    ['held at another service', orders(own, { ...others, status: 'ON_HOLD' }), {}],
    ['held, and ended', orders(own, { ...own, status: 'CLOSED', requestStatus: 'CLOSED' }), {}],
    [
      'of a later day',
      orders({ ...own, status: 'SCHEDULED', fulfillAt: '2026-12-01T00:00:00Z' }),
      { scheduled_for: '2026-12-01T00:00:00.000Z' },
    ],
    ['a day that has come', orders({ ...own, fulfillAt: '2026-11-01T00:00:00Z' }), {}],
    ['taken back', orders({ ...own, requestStatus: 'CANCELLATION_REQUESTED' }), { cancelled: true }],
    [
      'taken back, and open again for no one',
      orders({ ...own, status: 'CLOSED', requestStatus: 'CANCELLATION_ACCEPTED' }, own),
      { cancelled: true },
    ],
    [
      'taken back, and asked for again',
      orders(
        { ...own, status: 'CLOSED', requestStatus: 'CANCELLATION_ACCEPTED' },
        { ...own, requestStatus: 'SUBMITTED' },
      ),
      {},
    ],
    [
      'taken back, beside what the shop sends itself',
      orders({ ...own, requestStatus: 'CANCELLATION_REQUESTED' }, { ...merchants, ...of(1, { line: '12' }) }),
      { cancelled: true },
    ],
    [
      'taken back in part',
      orders(
        { ...own, ...of(1), requestStatus: 'CANCELLATION_REQUESTED' },
        { ...own, ...of(1), requestStatus: 'ACCEPTED' },
      ),
      {},
    ],
    ['refused its cancel', orders({ ...own, requestStatus: 'CANCELLATION_REJECTED' }), {}],
  ];
  for (const [name, changes, expected] of cases) test(name, () => assert.deepEqual(flag(changes), expected));
});

describe('of a line that is at several fulfilment orders', () => {
  const granted = { ...own, status: 'CLOSED', requestStatus: 'CANCELLATION_ACCEPTED' };
  const asked = { ...own, status: 'IN_PROGRESS', requestStatus: 'CANCELLATION_REQUESTED' };
  const taken = { ...own, status: 'IN_PROGRESS', requestStatus: 'ACCEPTED' };
  const sentByShop = { ...merchants, status: 'CLOSED' };
  const cases: [string, object[], number, number | undefined][] = [
    ['nothing is taken back', [taken, merchants], 2, undefined],
    [
      'one is taken back',
      [
        { ...asked, ...of(1) },
        { ...taken, ...of(1) },
      ],
      1,
      undefined,
    ],
    [
      'one was, and none is asked for again',
      [
        { ...granted, ...of(1) },
        { ...own, ...of(1) },
        { ...taken, ...of(1) },
      ],
      1,
      undefined,
    ],
    [
      'one was, and the shop has moved it',
      [
        { ...granted, ...of(0) },
        { ...merchants, ...of(1) },
        { ...taken, ...of(1) },
      ],
      1,
      undefined,
    ],
    [
      'one was, and is asked for again',
      [
        { ...granted, ...of(1) },
        { ...taken, ...of(2) },
      ],
      2,
      undefined,
    ],
    [
      'one was, of what has no lines any more',
      [
        { ...granted, lines: [] },
        { ...own, ...of(1) },
        { ...taken, ...of(1) },
      ],
      1,
      undefined,
    ],
    [
      'one was, and the shop has sent it',
      [
        { ...granted, ...of(0) },
        { ...sentByShop, ...of(0, { total: 1 }) },
        { ...taken, ...of(1) },
      ],
      1,
      1,
    ],
    ['one of another line was', [{ ...asked, ...of(1, { line: '12' }) }, taken], 2, undefined],
  ];
  for (const [name, nodes, quantity, unfulfilledQuantity] of cases) {
    test(name, () => {
      const order = read({ fulfillmentOrders: { nodes } }, [{ ...LINE, unfulfilledQuantity }]);
      assert.deepEqual(
        order.items.map((item) => [item.quantity, item.sent_quantity]),
        [[quantity, undefined]],
      );
    });
  }

  test('what was sent is said beside what was taken back', () => {
    const nodes = [{ ...asked, ...of(1) }];
    const [item] = read({ fulfillmentOrders: { nodes } }, [
      { ...LINE, currentQuantity: 3, unfulfilledQuantity: 2 },
    ]).items;
    assert.deepEqual([item?.quantity, item?.sent_quantity], [2, 1]);
  });
});

test('a hold or a day of some fulfilment orders is that of their lines', () => {
  const held = { ...merchants, status: 'ON_HOLD', ...of(1, { line: '12' }) };
  const later = { ...merchants, status: 'SCHEDULED', fulfillAt: '2026-12-01T00:00:00Z', ...of(1, { line: '13' }) };
  const lines = ['11', '12', '13'].map((number) => ({ ...LINE, id: `gid://shopify/LineItem/${number}` }));
  const order = read({ fulfillmentOrders: { nodes: [own, held, later] } }, lines);
  assert.deepEqual(
    [order, ...order.items].map((one) => [one.on_hold, one.scheduled_for]),
    [
      [undefined, undefined],
      [undefined, undefined],
      [true, undefined],
      [undefined, '2026-12-01T00:00:00.000Z'],
    ],
  );
});

describe('pieces that were refunded', () => {
  const cases = [
    // ordered, current, open, sent; pieces that stay, and those of them that were sent
    ['one of two, after it was sent', [2, 1, 1, 1], [2, 1]],
    ['one of two, before it was sent, beside one that was', [2, 1, 0, 1], [1, 1]],
    ['one of two, while nothing is sent', [2, 1, 1, 0], [1, undefined]],
    ['one that was sent and one that was not, of three', [3, 1, 1, 1], [2, 1]],
    ['all, of which one was sent', [2, 0, 0, 1], [1, 1]],
    ['none, of which one was sent', [2, 2, 1, 1], [2, 1]],
    ['fewer than the parcels have, by an odd count', [2, 1, 1, 3], [2, 1]],
  ] as const;
  for (const [name, [quantity, currentQuantity, unfulfilledQuantity, sent], expected] of cases) {
    test(name, () => {
      const line = { ...LINE, quantity, currentQuantity, unfulfilledQuantity };
      const read = readShopifyOrder(ORDER, [line], { ...READ, sent: new Map([['11', sent]]) });
      assert.ok(read.kind === 'order');
      assert.deepEqual(
        read.order.items.map((item) => [item.quantity, item.sent_quantity]),
        [expected],
      );
      assert.equal(read.order.cancelled, undefined);
    });
  }
});

test('lines that were removed are gone; an order of nothing else is cancelled', () => {
  const removed = { ...LINE, id: 'gid://shopify/LineItem/12', currentQuantity: 0 };
  assert.deepEqual(
    read({}, [LINE, removed]).items.map(({ id }) => id),
    ['11'],
  );
  const none = read({}, [removed]);
  assert.deepEqual([none.cancelled, none.items.length], [true, 1]);
});

test('lines of other services and what is not sent are others’; ours and the shop’s own are not', () => {
  const service = (handle: string, type: string) => ({ ...LINE, fulfillmentService: { handle, type } });
  const lines = [service('another', 'THIRD_PARTY'), service('platen', 'THIRD_PARTY'), service('manual', 'MANUAL')];
  const { items } = read({}, [...lines, { ...LINE, requiresShipping: false }]);
  assert.deepEqual(
    items.map((item) => item.made_by_others ?? false),
    [true, false, false, true],
  );
});

test('an order that was taken over counts from when it was made; a default title is no option', () => {
  const order = read({ processedAt: '2025-01-01T00:00:00Z' }, [{ ...LINE, variantTitle: 'Default Title' }]);
  assert.equal(order.ordered_at, '2025-01-01T00:00:00.000Z');
  assert.equal(order.items[0]?.options, undefined);
});

test('what is no order of the form is named, and nothing of it is guessed', () => {
  const kinds = [
    readShopifyOrder({}, [], READ),
    readShopifyOrder({ ...ORDER, updatedAt: 'yesterday' }, [LINE], READ),
    readShopifyOrder(ORDER, [], READ),
    readShopifyOrder(
      ORDER,
      Array.from({ length: 1_001 }, () => LINE),
      READ,
    ),
  ].map(({ kind }) => kind);
  assert.deepEqual(kinds, ['unreadable', 'unreadable', 'unreadable', 'unreadable']);
});
