import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { parseId } from '../../../../src/lib/ids.ts';
import type { CreatedOrder, Estimate, PlaceOrderBody } from '../../../../src/orders/schema.ts';
import { type Answer, type Customer, startTestService, type TestService } from '../../../harness/service.ts';
import { addProduct, basket, HOME, newReference, servePicture, teeItem, unsigned } from '../../../harness/shop.ts';
import { everythingWritten, rows } from '../../../harness/written.ts';

type Warning = CreatedOrder['warnings'][number];

const CODE = 'replayed_with_different_body';
const FRONT = { area: 'front', method: 'dtg' };
const BACK = { area: 'back', method: 'dtf' };

let service: TestService;
let customer: Customer;
let plain: string;
let art: string;
let other: string;
before(async () => {
  // No worker: what is counted stands still.
  service = await startTestService({ role: 'api' });
  ({ customer } = service);
  plain = await addProduct(service, customer, 'TEE-CLASSIC');
  art = await servePicture(service, '/art.png', { colour: '#112233' });
  other = await servePicture(service, '/other.png', { colour: '#332211' });
});
after(() => service.stop());

async function post(body: object): Promise<Answer<CreatedOrder>> {
  return customer.request<CreatedOrder>('POST', '/orders', body);
}

function differenceIn(answer: Answer<{ warnings: Warning[] }>): Warning | undefined {
  const found = answer.body.warnings.filter(({ code }) => code === CODE);
  assert.ok(found.length <= 1);
  return found[0];
}

/** Places an order and repeats its reference with other members. Changes nothing: the same order, and no charge. */
async function repeated(first: object, later: object): Promise<Warning | undefined> {
  const reference = { external_reference: newReference() };
  const placed = await post({ ...basket(service), ...first, ...reference });
  assert.equal(placed.status, 201, placed.text);
  const written = await everythingWritten(service);
  const repeat = await post({ ...basket(service), ...later, ...reference });
  assert.deepEqual([repeat.status, repeat.headers.get('idempotent-replayed')], [200, 'true'], repeat.text);
  const warnings = repeat.body.warnings.filter(({ code }) => code !== CODE);
  assert.deepEqual(unsigned({ ...repeat.body, warnings }), unsigned(placed.body));
  assert.deepEqual(await everythingWritten(service), written);
  return differenceIn(repeat);
}

function items(...changes: object[]): object {
  return { items: changes.map((change) => teeItem(service, change)) };
}

function area(artworkUrl: string, changes: object = {}): object {
  return { print_area: 'front', method: 'dtg', artwork_url: artworkUrl, ...changes };
}

function decorated(...areas: object[]): object {
  return items({ product_id: plain, print_jobs: undefined, decoration: { areas } });
}

function personalised(inputs: object): object {
  const item = { product_id: service.demo.products.personalised, variant_sku: 'TEE-ORGANIC-BLK-M', quantity: 1 };
  return { items: [{ ...item, decoration: { personalisation: { inputs } } }] };
}

function to(changes: object): object {
  return { shipping_address: { ...HOME, ...changes } };
}

describe('a repeat that orders something else says so, and changes nothing (decisions, "Same reference, another body")', () => {
  type Row = readonly [what: string, first: () => object, later: () => object, path: string, parts: string];
  const differing: readonly Row[] = [
    ['the quantity', () => items({}), () => items({ quantity: 2 }), 'items[0].quantity', 'quantity'],
    [
      'the quantity of a later line',
      () => items({}, {}),
      () => items({}, { quantity: 2 }),
      'items[1].quantity',
      'quantity',
    ],
    [
      'the value declared for customs',
      () => items({ declared_unit_price: 20 }),
      () => items({}),
      'items[0].declared_unit_price',
      'declared value',
    ],
    ['one more line', () => items({}), () => items({}, {}), 'items', 'number of lines'],
    [
      'the variant',
      () => items({}),
      () => items({ variant_sku: 'TEE-CLASSIC-WHT-L' }),
      'items[0].variant_sku',
      'variant',
    ],
    ['the product', () => items({}), () => items({ product_id: 'prod_unknown' }), 'items[0].product_id', 'product'],
    [
      'the areas',
      () => items({ print_jobs: [FRONT] }),
      () => items({ print_jobs: [FRONT, BACK] }),
      'items[0].print_jobs',
      'what is printed',
    ],
    [
      'no areas in place of one',
      () => items({ print_jobs: [FRONT] }),
      () => items({ print_jobs: undefined }),
      'items[0].print_jobs',
      'what is printed',
    ],
    ['the artwork', () => decorated(area(art)), () => decorated(area(other)), 'items[0].decoration', 'what is printed'],
    [
      'the artwork, which its address names in the query',
      () => decorated(area(`${art}?design=1&signature=a`)),
      () => decorated(area(`${art}?design=2&signature=a`)),
      'items[0].decoration',
      'what is printed',
    ],
    [
      'a text of a personalised product',
      () => personalised({ line: 'Ada' }),
      () => personalised({ line: 'Eve' }),
      'items[0].decoration',
      'what is printed',
    ],
    ['the city', () => ({}), () => to({ city: 'York' }), 'shipping_address.city', 'shipping address'],
    ['a second address line', () => ({}), () => to({ line2: 'Flat 2' }), 'shipping_address.line2', 'shipping address'],
    [
      'the billing address',
      () => ({}),
      () => ({ billing_address: { ...HOME, city: 'York' } }),
      'billing_address',
      'billing address',
    ],
    [
      'no billing address in place of one',
      () => ({ billing_address: { ...HOME, city: 'York' } }),
      () => ({}),
      'billing_address',
      'billing address',
    ],
    ['the type', () => ({}), () => ({ type: 'sample' }), 'type', 'type'],
    [
      'a number for customs',
      () => ({ customs: { eori_number: 'GB123456789000', ioss_number: 'IM0360000001' } }),
      () => ({ customs: { eori_number: 'GB123456789000', ioss_number: null } }),
      'customs.ioss_number',
      'number for customs',
    ],
    [
      'the shipping service',
      () => ({}),
      () => ({ shipping_service: 'Tracked 24' }),
      'shipping_service',
      'shipping service',
    ],
    [
      'no shipping service in place of one',
      () => ({ shipping_service: 'Tracked 24' }),
      () => ({}),
      'shipping_service',
      'shipping service',
    ],
  ];
  for (const [what, first, later, path, parts] of differing) {
    test(`${what}: at ${path}`, async () => {
      const warning = await repeated(first(), later());
      assert.equal(warning?.path, path);
      assert.match(warning?.message ?? '', new RegExp(` in: ${parts} \\(`));
    });
  }

  test('all parts that differ are listed, each once', async () => {
    const warning = await repeated(items({}, {}), {
      ...items({ quantity: 2 }, { quantity: 3 }),
      ...to({ postcode: 'LS1 4DZ' }),
      shipping_service: 'Tracked 24',
    });
    const parts =
      'quantity (items[0].quantity), shipping address (shipping_address.postcode), shipping service (shipping_service).';
    assert.equal(warning?.path, 'items[0].quantity');
    assert.ok(warning.message.includes(` in: ${parts} `), warning.message);
    assert.doesNotMatch(warning.message, /LS1|Leeds|Byron/);
  });
});

describe('a repeat that orders the same has no warning of it', () => {
  const same: readonly (readonly [what: string, first: () => object, later: () => object])[] = [
    ['the same body', () => ({}), () => ({})],
    [
      'notes, metadata, labels and members that are not known',
      () => ({}),
      () => ({ ...items({ name: 'Other', colour: 'Snow', size: 'M' }), notes: 'soon', metadata: { try: '2' }, try: 2 }),
    ],
    [
      'the defaults, written out',
      () => ({}),
      () => ({
        type: 'bulk',
        billing_address: HOME,
        shipping_service: 'Tracked 48',
        ...to({ line2: '', county: '', company_name: '', phone: '' }),
      }),
    ],
    [
      'the defaults, left out',
      () => ({ type: 'bulk', billing_address: HOME, shipping_service: 'gb_mainland_tracked_48' }),
      () => ({}),
    ],
    [
      'the numbers for customs, left out',
      () => ({ customs: { eori_number: 'GB123456789000', ioss_number: null } }),
      () => ({}),
    ],
    [
      'a service by its id in place of its name',
      () => ({ shipping_service: 'Tracked 24' }),
      () => ({ shipping_service: 'gb_mainland_tracked_24' }),
    ],
    [
      'members of the address in another order',
      () => ({}),
      () => ({ shipping_address: Object.fromEntries(Object.entries(HOME).toReversed()) }),
    ],
    [
      'the area that is printed without print_jobs',
      () => items({ print_jobs: undefined }),
      () => items({ print_jobs: [FRONT] }),
    ],
    ['areas in another order', () => items({ print_jobs: [FRONT, BACK] }), () => items({ print_jobs: [BACK, FRONT] })],
    [
      'the same file by another signature, with another mock, and print_jobs that are ignored',
      () => decorated(area(`${art}?design=1&Expires=1&X-Amz-Signature=a`)),
      () => ({
        items: [
          teeItem(service, {
            product_id: plain,
            print_jobs: [BACK],
            decoration: {
              areas: [area(`${art}?Expires=2&design=1&X-Amz-Signature=b#page`, { mock_url: other })],
            } as never,
          }),
        ],
      }),
    ],
    [
      'an empty layer as null, inputs in another order, and pictures by another signature',
      () => personalised({ line: 'Ada', portrait: null, photos: JSON.stringify([`${art}?s=1`, `${other}?s=1`]) }),
      () => personalised({ photos: JSON.stringify([`${art}?s=2`, `${other}#2`]), line: 'Ada' }),
    ],
  ];
  for (const [what, first, later] of same) {
    test(what, async () => {
      assert.equal(await repeated(first(), later()), undefined);
    });
  }
});

test('an order whose address was changed since is compared with what was sent', async () => {
  const reference = { external_reference: newReference() };
  const { body: order } = await post({ ...basket(service), ...reference });
  const id = parseId('ord', order.id) ?? '';
  await rows(service, `update orders set shipping_address = shipping_address || '{"city": "York"}' where id = $1`, [
    id,
  ]);
  assert.equal(differenceIn(await post({ ...basket(service), ...reference })), undefined);
  const warning = differenceIn(await post({ ...basket(service), ...to({ city: 'York' }), ...reference }));
  assert.equal(warning?.path, 'shipping_address');
});

test('an order without a fingerprint, or with one by another SECRET_KEY, is compared with what it keeps', async () => {
  for (const fingerprint of ['null', "overlay(fingerprint placing '\\x00' from 1)"]) {
    const reference = { external_reference: newReference() };
    const first = { ...basket(service), ...reference, shipping_service: 'Tracked 24' };
    const { body: order } = await post(first);
    const change = `update orders set fingerprint = ${fingerprint} where id = $1`;
    await rows(service, change, [parseId('ord', order.id) ?? '']);
    const unseen = [{}, { shipping_service: undefined }, to({ city: 'York' }), items({ print_jobs: [FRONT, BACK] })];
    for (const changes of unseen) {
      const repeat = await post({ ...first, ...changes });
      assert.deepEqual([repeat.status, differenceIn(repeat)], [200, undefined], repeat.text);
    }
    const repeat = await post({ ...first, ...items({ quantity: 2 }), shipping_service: 'Tracked 48' });
    assert.equal(repeat.status, 200);
    assert.match(
      differenceIn(repeat)?.message ?? '',
      / in: quantity \(items\[0\]\.quantity\), shipping service \(shipping_service\)\./,
    );
  }
});

test('a fingerprint is kept only for an order that can be repeated, and two to one address do not look alike', async () => {
  const bodies = [
    basket(service),
    basket(service, { external_reference: newReference() }),
    basket(service, { external_reference: newReference() }),
  ];
  const found: (string | null)[] = [];
  for (const body of bodies) {
    const { body: order } = await post(body);
    const sql = "select encode(fingerprint, 'hex') as kept from orders where id = $1";
    const [row] = await rows<{ kept: string | null }>(service, sql, [parseId('ord', order.id) ?? '']);
    found.push(row?.kept ?? null);
  }
  const [none, one = '', two = ''] = found.map((kept) => kept ?? undefined);
  assert.deepEqual([none, one?.length, two?.length], [undefined, 58, 58], '29 bytes for one line');
  const halves = (kept: string): string[] => [kept.slice(10, 26), kept.slice(42)];
  const shared = halves(one).filter((digest) => halves(two).includes(digest));
  assert.deepEqual(shared, []);
});

test('who loses a race, or is refused after a twin has placed the order, is told as well', async () => {
  const reference = newReference();
  const bodies = Array.from({ length: 10 }, (_, index): PlaceOrderBody => {
    return basket(service, { external_reference: reference, items: [teeItem(service, { quantity: index + 1 })] });
  });
  const answers = await Promise.all(bodies.map(post));
  assert.equal(answers.filter(({ status }) => status === 201).length, 1);
  for (const answer of answers) {
    assert.equal(differenceIn(answer)?.path, answer.status === 201 ? undefined : 'items[0].quantity');
  }

  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  service.stranger.serve('/held.png', async (_hit, response) => {
    await held;
    response.writeHead(404).end();
  });
  const twin = { ...basket(service), external_reference: newReference() };
  const slow = post({ ...twin, ...decorated(area(service.stranger.url('/held.png'))) });
  const quick = await post({ ...twin, ...decorated(area(art)) });
  release();
  const answer = await slow;
  assert.deepEqual([quick.status, answer.status, differenceIn(answer)?.path], [201, 200, 'items[0].decoration']);
});

test('an estimate with a used reference of the caller tells what differs from its order', async () => {
  const body = basket(service, { external_reference: newReference() });
  const { body: order } = await post(body);
  const ask = async (changes: object) =>
    customer.request<Estimate>('POST', '/orders/estimate', { ...body, ...changes });
  assert.equal(differenceIn(await ask({})), undefined);
  const differing = await ask(items({ quantity: 2 }));
  assert.deepEqual(
    [differing.body.existing_order, differenceIn(differing)?.path],
    [{ id: order.id, reference: order.reference }, 'items[0].quantity'],
  );
});
