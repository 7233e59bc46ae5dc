import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from '../../../../src/lib/paging.ts';
import { daysAfter, sellerDay } from '../../../../src/lib/seller-day.ts';
import type { CreatedOrder, Estimate, Order } from '../../../../src/orders/schema.ts';
import { type Customer, startTestService, type TestService } from '../../../harness/service.ts';
import { addProduct, basket, HOME, TEE_WHITE_M, teeItem, unsigned } from '../../../harness/shop.ts';
import { balancePence, rows } from '../../../harness/written.ts';

let service: TestService;
let customer: Customer;
before(async () => {
  service = await startTestService({ role: 'api' });
  ({ customer } = service);
});
after(() => service.stop());

async function place(body: unknown, by = customer): Promise<CreatedOrder> {
  const answer = await by.request<CreatedOrder>('POST', '/orders', body);
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

async function estimate(body: unknown, by = customer): Promise<Estimate> {
  const answer = await by.request<Estimate>('POST', '/orders/estimate', body);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

function warningsOf(order: CreatedOrder): string[] {
  return order.warnings.map(({ code, path }) => `${code} ${path}`);
}

const FRONT_AND_SLEEVE = [
  { area: 'front', method: 'dtg' },
  { area: 'left_sleeve', method: 'embroidery' },
];

test('4.1 created: the 201 shows every field of the order by value, and its amounts are those of the estimate (2.2 created, 2.4 optional, 2.5 lines, 4.1 colour, 4.1 name)', async () => {
  const body = basket(service, {
    items: [
      teeItem(service, {
        quantity: 3,
        name: 'Summer tee',
        colour: 'Snow',
        size: 'Medium',
        print_jobs: FRONT_AND_SLEEVE,
        declared_unit_price: 24.99,
      }),
    ],
    shipping_address: {
      ...HOME,
      company_name: 'Byron & Co',
      line2: 'Unit 3',
      county: 'West Yorkshire',
      phone: '0113',
      email: 'ada@example.com',
    },
    external_reference: 'road-1',
    notes: 'Fold <b>twice</b>.\r\nThank you \u202e\u{1f9f5}',
    metadata: { channel: 'web' },
    customs: { eori_number: 'GB123456789000', ioss_number: 'IM0360000001' },
  });
  const estimated = await estimate(body);
  const order = await place(body);
  const { estimate: isEstimate, notice, shipping_options: options, warnings, ...planned } = estimated;
  const amounts = { ...planned, lines: planned.lines.map(({ artwork: _artwork, ...line }) => line) };
  assert.equal(isEstimate, true);
  assert.notEqual(notice, '');
  assert.deepEqual(warnings, []);
  assert.deepEqual(
    options.map(({ service: name, amount }) => [name, amount]),
    [
      ['Standard Letter', 2.45],
      ['Tracked 24', 4.29],
      ['Tracked Express', 7.95],
    ],
  );
  assert.deepEqual(order.charged, amounts);
  const { timeZone } = service.ctx.config.seller;
  const placedOn = sellerDay({ timeZone, from: new Date(0) }, new Date(order.created_at));
  assert.deepEqual(amounts, {
    currency: 'GBP',
    lines: [
      { variant_sku: TEE_WHITE_M, quantity: 3, unit_price: 15.75, line_price: 47.25, print_jobs: FRONT_AND_SLEEVE },
    ],
    subtotal: 47.25,
    setup_total: 18,
    setups: [{ method: 'embroidery', lines: [0], areas: ['left_sleeve'], amount: 18, already_paid: false }],
    shipping_cost: 3.39,
    shipping_service: 'Tracked 48',
    shipping_option: {
      id: 'gb_mainland_tracked_48',
      service: 'Tracked 48',
      carrier: 'Post',
      amount: 3.39,
      currency: 'GBP',
      eta_days: { min: 2, max: 3 },
      tracked: true,
      expected_delivery: { earliest: daysAfter(placedOn, 2), latest: daysAfter(placedOn, 3) },
    },
    vat_amount: 13.73,
    duty_amount: 0,
    total: 82.37,
  });

  const [line] = order.items.lineItems;
  const fields =
    'id,reference,type,status,items,notes,brand,external_reference,payment_status,charged,cancellable_until,customs,metadata,warnings';
  assert.deepEqual(Object.keys(order), [...fields.split(','), 'created_at', 'updated_at']);
  assert.match(order.id, /^ord_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
  assert.match(order.reference, /^PF-[2-9A-HJKMNP-TV-Z]{8}$/);
  assert.match(line?.id ?? '', /^line_/);
  assert.match(line?.mock_url ?? '', /\/files\/[0-9a-f]{64}\?expires=\d+&signature=/);
  assert.equal(Date.parse(order.cancellable_until) - Date.parse(order.created_at), 3_600_000);
  assert.deepEqual(order, {
    ...order,
    type: 'bulk',
    status: 'pending',
    items: {
      lineItems: [
        {
          ...line,
          product_id: service.demo.products.fixed,
          variant_sku: TEE_WHITE_M,
          quantity: 3,
          name: 'Summer tee',
          colour: 'Snow',
          size: 'Medium',
          print_jobs: FRONT_AND_SLEEVE,
          unit_price: 15.75,
          line_price: 47.25,
          artwork_ready: false,
          declared_unit_price: 24.99,
        },
      ],
      shippingAddress: {
        contact_name: 'Ada Byron',
        company_name: 'Byron & Co',
        line1: '12 Mill Lane',
        line2: 'Unit 3',
        city: 'Leeds',
        county: 'West Yorkshire',
        postcode: 'LS1 4DY',
        country_code: 'GB',
        phone: '0113',
        email: 'ada@example.com',
      },
    },
    notes: 'Fold <b>twice</b>.\r\nThank you \u202e\u{1f9f5}',
    external_reference: 'road-1',
    payment_status: 'paid',
    customs: { eori_number: 'GB123456789000', ioss_number: 'IM0360000001' },
    metadata: { channel: 'web' },
    warnings: [],
    updated_at: order.created_at,
  });
});

test('2.2 fields: an order is in the list and fetched by id or reference in any case right after its 201 (2.2 items, 2.1 reference, 4.1 id, 4.1 fetch, 9.4 reference, C51, E84)', async () => {
  const placed = await place(basket(service, { items: [teeItem(service), teeItem(service, { print_jobs: [] })] }));
  const byId = await customer.request<Order>('GET', `/orders/${placed.id}`);
  const byReference = await customer.request<Order>('GET', `/orders/${placed.reference}`);
  const byLowerCase = await customer.request<Order>('GET', `/orders/${placed.reference.toLowerCase()}`);
  const list = await customer.request<Page<Order>>('GET', '/orders?limit=1');
  assert.equal(byId.status, 200);
  for (const { body } of [byReference, byLowerCase]) assert.deepEqual(unsigned(body), unsigned(byId.body));
  assert.deepEqual(unsigned(list.body.data), unsigned([byId.body]));
  assert.deepEqual(
    byId.body.items.map((line) => [line.blank_variant_sku, line.qty, line.status, line.artwork_ready]),
    [
      [TEE_WHITE_M, 1, 'queued', false],
      [TEE_WHITE_M, 1, 'queued', true],
    ],
  );
  assert.deepEqual(byId.body, {
    ...byId.body,
    id: placed.id,
    reference: placed.reference,
    type: 'bulk',
    status: 'pending',
    notes: '',
    external_reference: '',
    payment_status: 'paid',
    total: placed.charged.total,
    currency: 'GBP',
    shipping_address: placed.items.shippingAddress,
    cancellation_request: null,
    shipments: [],
    customs: { eori_number: '', ioss_number: '' },
    version: 1,
    cancellable_until: placed.cancellable_until,
    created_at: placed.created_at,
    updated_at: placed.updated_at,
  });
});

test('3.1 placing charges the balance once, in double entries that sum to the total, and is announced as confirmed (3.1 order.created, 6.1 order.created, 6.3 order.created, K176)', async () => {
  const before = await balancePence(service, customer);
  const order = await place(basket(service, { external_reference: 'road-2' }));
  const total = Math.round(order.charged.total * 100);
  assert.equal(await balancePence(service, customer), before - total);
  const id = [order.reference];
  const postings = await rows(
    service,
    `select p.kind, p.debit_account, p.credit_account, p.amount_pence from posting p join orders o on o.id = p.order_id
     where o.reference = $1 order by p.id`,
    id,
  );
  assert.deepEqual(postings, [
    { kind: 'charge', debit_account: 'customer_balance', credit_account: 'order_deposits', amount_pence: total },
    { kind: 'sale', debit_account: 'order_deposits', credit_account: 'sales', amount_pence: 885 },
    { kind: 'sale', debit_account: 'order_deposits', credit_account: 'shipping_income', amount_pence: 339 },
    { kind: 'sale', debit_account: 'order_deposits', credit_account: 'vat:2000', amount_pence: 245 },
  ]);
  assert.equal(total, 885 + 339 + 245);
  const events = await rows(
    service,
    'select e.event, e.sequence, e.data from event e join orders o on o.id = e.order_id where o.reference = $1',
    id,
  );
  const data = {
    order_id: order.id,
    reference: order.reference,
    external_reference: 'road-2',
    status: 'confirmed',
    total: 14.69,
    currency: 'GBP',
    item_count: 1,
  };
  assert.deepEqual(events, [{ event: 'order.created', sequence: 1, data }]);
  const history = await rows(
    service,
    `select h.action, h.from_state, h.to_state, h.actor from order_history h join orders o on o.id = h.order_id
     where o.reference = $1`,
    id,
  );
  assert.deepEqual(history, [{ action: 'place', from_state: null, to_state: 'placed', actor: 'customer' }]);
});

test('4.1 type: what is left out has its default: bulk, the product name, no labels, billing as shipping, no notes (4.1 name, 4.1 billing_address, 2.4 optional)', async () => {
  const order = await place(basket(service, { items: [teeItem(service, { name: '  ' })] }));
  const [line] = order.items.lineItems;
  assert.deepEqual(
    [order.type, order.notes, order.external_reference, order.metadata, line?.name, line?.colour, line?.size],
    ['bulk', '', '', {}, 'Fern and Tide tee', '', ''],
  );
  const [stored] = await rows<{ same: boolean }>(
    service,
    'select billing_address = shipping_address as same from orders where reference = $1',
    [order.reference],
  );
  assert.deepEqual(stored, { same: true });
});

test('4.1 type: a sample order pays the price of one piece where a bulk order of the same size reaches a break', async () => {
  const items = [teeItem(service, { quantity: 60 })];
  const bulk = await place(basket(service, { items }));
  const sample = await place(basket(service, { type: 'sample', items }));
  assert.deepEqual([bulk.type, bulk.charged.lines[0]?.unit_price], ['bulk', 6.71]);
  assert.deepEqual([sample.type, sample.charged.lines[0]?.unit_price], ['sample', 8.85]);
});

test('4.1.2 print_jobs [] is a deliberately blank garment: nothing printed, nothing billed for it, ready at once (4.1 print_jobs, E73)', async () => {
  const order = await place(basket(service, { items: [teeItem(service, { print_jobs: [] })] }));
  const [line] = order.items.lineItems;
  assert.deepEqual([line?.print_jobs, line?.unit_price, line?.artwork_ready], [[], 3.25, true]);
  assert.deepEqual(warningsOf(order), ['blank_garment items[0].print_jobs']);
});

test('4.1.2 print_jobs left out bills and prints a single area, the first, and says which are left out (E73)', async () => {
  const { print_jobs: _leftOut, ...item } = teeItem(service);
  const body = basket(service, { items: [item] });
  const order = await place(body);
  assert.deepEqual(order.items.lineItems[0]?.print_jobs, [{ area: 'front', method: 'dtg' }]);
  assert.deepEqual(warningsOf(order), ['single_area_billed items[0].print_jobs']);
  assert.match(order.warnings[0]?.message ?? '', /back, left_sleeve/);
  assert.deepEqual((await estimate(body)).warnings, order.warnings);
});

test('4.1.2 print_jobs left out on a product without designs is a blank garment', async () => {
  const plain = await addProduct(service, customer, 'TOTE-COTTON');
  const order = await place(
    basket(service, { items: [{ product_id: plain, variant_sku: 'TOTE-COTTON-NAT', quantity: 1 }] }),
  );
  assert.deepEqual(order.items.lineItems[0]?.print_jobs, []);
  assert.deepEqual(warningsOf(order), ['blank_garment items[0].print_jobs']);
});

test('9.2 fields that the service does not know change nothing, and are named in a warning (A23, D58)', async () => {
  const plain = basket(service);
  const meddled = { ...plain, total: 0.01, currency: 'USD', status: 'dispatched', account_id: 'acct_x', price: 1 };
  const items = plain.items.map((item) => ({ ...item, unit_price: 0.01 }));
  const order = await place({ ...meddled, items });
  assert.deepEqual(order.charged, (await place(plain)).charged);
  assert.equal(order.status, 'pending');
  assert.deepEqual(warningsOf(order).toSorted(), [
    'unknown_field account_id',
    'unknown_field currency',
    'unknown_field items[0].unit_price',
    'unknown_field price',
    'unknown_field status',
    'unknown_field total',
  ]);
});

test('a draft product may be ordered, and an address that carriers will ask about is accepted: each with a warning', async () => {
  const draft = await addProduct(service, customer, 'TOTE-COTTON', { status: 'draft' });
  const items = [{ product_id: draft, variant_sku: 'TOTE-COTTON-NAT', quantity: 1, print_jobs: [] }];
  const us = { ...HOME, city: 'Boston', postcode: '02108', country_code: 'US' };
  const order = await place(basket(service, { items, shipping_address: us }));
  assert.deepEqual(
    warningsOf(order).filter((warning) => !warning.startsWith('duties_on_delivery')),
    [
      'draft_product items[0].product_id',
      'blank_garment items[0].print_jobs',
      'state_missing shipping_address.county',
      'phone_recommended shipping_address.phone',
    ],
  );
});

test('shipping_service picks another of the shipping options, and the total follows (2.5 shipping_options)', async () => {
  const body = basket(service, { shipping_service: 'Tracked Express' });
  const order = await place(body);
  assert.deepEqual([order.charged.shipping_service, order.charged.shipping_cost], ['Tracked Express', 7.95]);
  const estimated = await estimate(body);
  assert.equal(estimated.total, order.charged.total);
  assert.deepEqual(
    estimated.shipping_options.map((option) => option.service),
    ['Standard Letter', 'Tracked 48', 'Tracked 24'],
  );
});

test('shipping_service takes the id of an option as well as its name, and the answer names the chosen one', async () => {
  const options = (await estimate(basket(service))).shipping_options;
  const express = options.find(({ service: name }) => name === 'Tracked Express');
  assert.equal(express?.id, 'gb_mainland_express');
  for (const picked of [express.id, express.service]) {
    const body = basket(service, { shipping_service: picked });
    const estimated = await estimate(body);
    const { charged } = await place(body);
    assert.deepEqual(
      [estimated.shipping_option, charged.shipping_option, charged.shipping_service],
      [express, express, 'Tracked Express'],
    );
    assert.ok(!estimated.shipping_options.some(({ id }) => id === express.id), 'the others stay the others');
  }
});
