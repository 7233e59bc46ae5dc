import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { LineAgain, OrderAgain } from '../../../src/checkout/again/again-schema.ts';
import type { CreatedOrder, PlaceOrderItem } from '../../../src/orders/schema.ts';
import { runErasures } from '../../../src/privacy/erase/worker.ts';
import { placeOrder } from '../../harness/floor.ts';
import { openRole, type PortalClient } from '../../harness/portal.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { addProduct, basket, HOME, servePicture, TEE_WHITE_M, teeItem } from '../../harness/shop.ts';
import { assertSound, rows } from '../../harness/written.ts';

let service: TestService;
let person: PortalClient;
before(async () => {
  service = await startTestService({ role: 'api' });
  person = await openRole(service, 'orders');
});
after(async () => {
  try {
    await assertSound(service);
  } finally {
    await service.stop();
  }
});

async function again(order: { reference: string }, by = person): Promise<OrderAgain> {
  const answer = await by.request<OrderAgain>('GET', `/orders/${order.reference}/again`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

const codesOf = ({ notes }: LineAgain): string[] => notes.map(({ code }) => code);
const lineOf = async (order: { reference: string }): Promise<LineAgain> =>
  (await again(order)).lines[0] ?? assert.fail('no line');

/** The line of an order that the form makes of one. */
function itemOf(line: LineAgain): PlaceOrderItem {
  const { product_id, variant_sku, quantity, name, colour, size, declared_unit_price: declared, print_jobs } = line;
  const item = {
    ...{ product_id, variant_sku, quantity, colour, size },
    ...(name === '' ? {} : { name }),
    ...(declared === null ? {} : { declared_unit_price: declared }),
  };
  if (line.artwork === 'inputs') return { ...item, decoration: { personalisation: { inputs: line.inputs } } };
  if (line.artwork !== 'own') return { ...item, print_jobs };
  const areas = line.areas.map(({ print_area, method, artwork_url, mock_url, position }) => ({
    ...{ print_area, method, position, artwork_url: artwork_url ?? assert.fail('not kept') },
    ...(mock_url === null ? {} : { mock_url }),
  }));
  return { ...item, decoration: { areas } };
}

/** What the lines of an order are, and what is printed on each: equal keys are equal prints. */
const written = ({ reference }: { reference: string }) =>
  rows(
    service,
    `select l.ordinal, l.product_id, l.sku, l.quantity, l.name, l.colour, l.size, l.declared_unit_pence,
       encode(l.mock_hash, 'hex') as mock, j.print_area, j.method, encode(j.print_file_key, 'hex') as file
     from orders o join order_line l on l.order_id = o.id left join print_job j on j.order_id = o.id and j.line_id = l.id
     where o.reference = $1 order by l.ordinal, j.ordinal`,
    [reference],
  );

const album = (inputs: Record<string, string>): PlaceOrderItem => ({
  product_id: service.demo.products.personalised,
  variant_sku: 'TEE-ORGANIC-ECR-M',
  quantity: 2,
  decoration: { personalisation: { inputs } },
});

async function pictures(...colours: readonly string[]): Promise<string[]> {
  return Promise.all(colours.map((colour) => servePicture(service, `/${colour}.png`, { colour })));
}

describe('an order is placed again as it was', () => {
  test('every kind of line comes back whole, and the second order has the same prints by the same files', async () => {
    const [teal = '', navy = '', gold = '', plum = ''] = await pictures('teal', 'navy', 'gold', 'plum');
    const own: PlaceOrderItem = teeItem(service, {
      quantity: 3,
      name: 'Club tee',
      colour: 'Snow',
      size: 'Medium',
      declared_unit_price: 12.5,
      decoration: {
        areas: [
          {
            print_area: 'front',
            method: 'screen_print',
            artwork_url: teal,
            mock_url: plum,
            position: { scale: 0.6, x: 0.4 },
          },
          { print_area: 'back', method: 'dtg', artwork_url: navy },
        ],
      },
    });
    const items = [
      own,
      teeItem(service),
      teeItem(service, { print_jobs: [] }),
      album({
        line: 'Zoë & Ada',
        'line#font': 'Pacifico',
        'line#color': '#aa2200',
        photos: JSON.stringify([teal, gold]),
        portrait: navy,
        motif: 'heart',
      }),
      album({ line: 'Plain' }),
    ];
    const first = await placeOrder(service, { items });
    const { lines } = await again(first);
    assert.deepEqual(
      lines.map(({ artwork }) => artwork),
      ['own', 'stored', 'none', 'inputs', 'inputs'],
    );
    assert.deepEqual(lines.flatMap(codesOf), []);
    const { photos = '[]', portrait, ...typed } = lines[3]?.inputs ?? {};
    assert.deepEqual(typed, {
      line: 'Zoë & Ada',
      'line#font': 'Pacifico',
      'line#color': '#aa2200',
      motif: 'heart',
    });
    assert.deepEqual([(JSON.parse(photos) as string[]).length, portrait !== undefined], [2, true]);
    const picture = await fetch((lines[0]?.areas[0]?.picture_url ?? '').replace(/^https?:\/\/[^/]+/, service.url));
    assert.equal(picture.status, 200);
    const proof = await person.api<{ proof_url: string }>(
      'POST',
      `/products/${service.demo.products.personalised}/personalisation/preview`,
      { body: { inputs: lines[3]?.inputs } },
    );
    assert.equal(proof.status, 200, proof.text);
    const body = basket(service, { items: lines.map(itemOf), shipping_address: HOME });
    const second = await person.api<CreatedOrder>('POST', '/orders', { body });
    assert.equal(second.status, 201, second.text);
    assert.deepEqual(await written(second.body), await written(first));
  });

  test('a product whose design was changed or moved since gives the artwork that was printed, where it was', async () => {
    const [first = '', other = ''] = await pictures('olive', 'orange');
    const product = await service.customer.request<{ id: string }>('POST', '/products', {
      base_product_id: (
        await service.customer.request<{ base_product: { id: string } }>(
          'GET',
          `/products/${service.demo.products.fixed}`,
        )
      ).body.base_product.id,
      name: 'Changing tee',
      variant_skus: [TEE_WHITE_M],
      decoration: { areas: [{ print_area: 'front', method: 'dtg', artwork_url: first, position: { scale: 0.5 } }] },
    });
    assert.equal(product.status, 201, product.text);
    const order = await placeOrder(service, { items: [teeItem(service, { product_id: product.body.id })] });
    assert.equal((await lineOf(order)).artwork, 'stored');
    const redecorate = (artwork_url: string, scale: number) =>
      service.customer.request('PATCH', `/products/${product.body.id}`, {
        decoration: { areas: [{ print_area: 'front', method: 'dtg', artwork_url, position: { scale } }] },
      });
    for (const [url, scale] of [
      [first, 0.7],
      [other, 0.5],
    ] as const) {
      assert.equal((await redecorate(url, scale)).status, 200);
      const line = await lineOf(order);
      assert.deepEqual([line.artwork, line.areas[0]?.position.scale], ['own', 0.5]);
      const second = await placeOrder(service, { items: [itemOf(line)] });
      assert.deepEqual(await written(second), await written(order));
    }
  });

  test('what failed is ordered again with its inputs, which can be changed', async () => {
    const order = await placeOrder(service, { items: [album({ line: 'Ada', motif: 'heart' })] });
    await rows(
      service,
      `update print_file f set state = 'failed', failure = 'It ends in the middle.' from print_job j, orders o
       where f.key = j.print_file_key and o.id = j.order_id and o.reference = $1`,
      [order.reference],
    );
    assert.deepEqual((await lineOf(order)).inputs, { line: 'Ada', motif: 'heart' });
  });
});

describe('what is not as it was is said at its line', () => {
  test('an archived product, and a variant that was dropped', async () => {
    const { customer } = service;
    const productId = await addProduct(service, customer, 'TEE-CLASSIC', { name: 'Short-lived tee' });
    const item = { product_id: productId, variant_sku: TEE_WHITE_M, quantity: 1 };
    const order = await placeOrder(service, { items: [item] });
    const changed = await customer.request('PATCH', `/products/${productId}`, { variant_skus: ['TEE-CLASSIC-WHT-L'] });
    assert.equal(changed.status, 200, changed.text);
    const dropped = await lineOf(order);
    assert.deepEqual([codesOf(dropped), dropped.can_be_ordered], [['variant_dropped'], true]);
    assert.equal((await customer.request('DELETE', `/products/${productId}`)).status, 204);
    const archived = await lineOf(order);
    assert.deepEqual([codesOf(archived), archived.can_be_ordered], [['not_orderable'], false]);
  });

  test('an area that the product lacks by now is left out; artwork whose bytes are gone is to be supplied', async () => {
    const [front = '', back = ''] = await pictures('crimson', 'indigo');
    const productId = await addProduct(service, service.customer, 'TEE-CLASSIC', { name: 'Two-sided tee' });
    const areas = [
      { print_area: 'front', method: 'dtg', artwork_url: front },
      { print_area: 'back', method: 'dtg', artwork_url: back },
    ];
    const item = { product_id: productId, variant_sku: TEE_WHITE_M, quantity: 1, decoration: { areas } };
    const order = await placeOrder(service, { items: [item] });
    await rows(
      service,
      `update blob set deleting = true where hash = (
         select j.design_hash from print_job j join orders o on o.id = j.order_id
         where o.reference = $1 and j.print_area = 'back')`,
      [order.reference],
    );
    const gone = await lineOf(order);
    assert.deepEqual(codesOf(gone), ['artwork_gone']);
    assert.deepEqual(
      gone.areas.map(({ print_area: area, artwork_url: url }) => `${area} ${url !== null}`),
      ['front true', 'back false'],
    );
    await rows(service, 'update blob set deleting = false where deleting');
    const narrowed = await service.customer.request('PATCH', `/products/${productId}`, {
      decoration: { areas: [{ print_area: 'front', method: 'dtg', artwork_url: back }] },
    });
    assert.equal(narrowed.status, 200, narrowed.text);
    const dropped = await lineOf(order);
    assert.deepEqual(
      [codesOf(dropped), dropped.areas.map(({ print_area: area }) => area)],
      [['area_dropped'], ['front']],
    );
  });

  test('inputs end with the print file, and a photo with its bytes', async () => {
    const [photo = ''] = await pictures('coral');
    const order = await placeOrder(service, { items: [album({ line: 'Coral', portrait: photo })] });
    const ofOrder = `select j.print_file_key from print_job j join orders o on o.id = j.order_id where o.reference = $1`;
    await rows(
      service,
      `update blob set deleting = true where encode(hash, 'hex') in (
         select d ->> 'designHash' from print_file f, jsonb_array_elements(f.recipe -> 'drawings') as d
         where f.key in (${ofOrder}))`,
      [order.reference],
    );
    const lost = await lineOf(order);
    assert.deepEqual([codesOf(lost), lost.inputs], [['artwork_gone'], { line: 'Coral' }]);
    await rows(service, 'update blob set deleting = false where deleting');
    await rows(service, `delete from print_file where key in (${ofOrder})`, [order.reference]);
    const ended = await lineOf(order);
    assert.deepEqual([codesOf(ended), ended.inputs], [['inputs_gone'], {}]);
    // Cancelled, as nothing of it can be made.
    await rows(
      service,
      "delete from job where kind = 'normalise_artwork' and key not in (select encode(key, 'hex') from print_file)",
    );
    assert.equal((await service.customer.request('POST', `/orders/${order.id}/cancel`)).status, 200);
  });

  test('of an erased order nothing personal comes back, also where another order keeps the file', async () => {
    const [photo = ''] = await pictures('salmon');
    const decoration = { areas: [{ print_area: 'front', method: 'dtg', artwork_url: photo }] };
    const items = [album({ line: 'Grace Hopper', portrait: photo }), teeItem(service, { decoration })];
    const order = await placeOrder(service, { items });
    const other = await placeOrder(service, { items });
    assert.deepEqual((await again(order)).lines.map(codesOf), [[], []]);
    assert.equal((await service.customer.request('POST', `/orders/${order.id}/cancel`)).status, 200);
    const admin = await service.openOperator('admin');
    const erased = await admin.request('POST', `/accounts/${service.demo.account_id}/erase`, {
      order: order.reference,
      reason: 'They asked.',
    });
    assert.equal(erased.status, 200, erased.text);
    await runErasures(service.ctx);
    const answer = await again(order);
    assert.deepEqual(answer.lines.map(codesOf), [['erased'], ['erased']]);
    assert.ok(!JSON.stringify(answer).includes('Grace'));
    assert.deepEqual([answer.lines[0]?.inputs, answer.lines[1]?.areas[0]?.artwork_url], [{}, null]);
    assert.deepEqual((await again(other)).lines.map(codesOf), [[], []]);
  });
});

test('another account’s order and an unknown one are the same 404; a reader may not order, so they may not ask', async () => {
  const order = await placeOrder(service, { items: [album({ line: 'Private' })] });
  const stranger = await openRole(service, 'owner', (await service.openCustomer()).accountId);
  const theirs = await stranger.request('GET', `/orders/${order.reference}/again`);
  const byId = await stranger.request('GET', `/orders/${order.id}/again`);
  const unknown = await stranger.request('GET', '/orders/PF-22222222/again');
  assert.deepEqual([theirs.status, byId.status, unknown.status], [404, 404, 404]);
  const anonymous = ({ text }: { text: string }): string => text.replace(/req_\w+/g, '');
  assert.deepEqual([anonymous(theirs), anonymous(byId)], [anonymous(unknown), anonymous(unknown)]);
  const reader = await openRole(service, 'reader');
  assert.equal((await reader.request('GET', `/orders/${order.reference}/again`)).status, 403);
});
