import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import sharp from 'sharp';
import type { UploadValidation } from '../../../../src/artwork/schema.ts';
import { ERRORS, type ErrorCode } from '../../../../src/lib/error-catalogue.ts';
import { newId, publicId } from '../../../../src/lib/ids.ts';
import type { Page } from '../../../../src/lib/paging.ts';
import type { CreatedOrder, Estimate, Order, PlaceOrderBody } from '../../../../src/orders/schema.ts';
import { verify } from '../../../../src/verify/verify.ts';
import { flat } from '../../../harness/pictures.ts';
import { without } from '../../../harness/refusals.ts';
import { type Customer, startTestService, type TestService } from '../../../harness/service.ts';
import {
  addProduct,
  basket,
  HOME,
  problemsOf,
  servePicture,
  teeItem,
  unsigned,
  withoutRequestId,
} from '../../../harness/shop.ts';
import { balancePence, everythingWritten, rows } from '../../../harness/written.ts';

let service: TestService;
let customer: Customer;
before(async () => {
  // No worker: what is counted stands still.
  service = await startTestService({ role: 'api' });
  ({ customer } = service);
});
after(() => service.stop());

async function place(body: PlaceOrderBody, by = customer): Promise<CreatedOrder> {
  const answer = await by.request<CreatedOrder>('POST', '/orders', body);
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

describe('a required field that is left out is named, and nothing is written (4.1 items, 4.1 product_id, 4.1 variant_sku, 4.1 quantity, 4.1 shipping_address)', () => {
  const fields = ['items', 'shipping_address', 'items[0].product_id', 'items[0].variant_sku', 'items[0].quantity'];
  for (const path of fields) {
    test(path, async () => {
      const before = await everythingWritten(service);
      const name = path.split('.').at(-1) ?? path;
      const [item] = basket(service).items;
      const body = path.startsWith('items[0]')
        ? { ...basket(service), items: [without(item ?? {}, name)] }
        : without(basket(service), name);
      const refused = await customer.request('POST', '/orders', body);
      assert.deepEqual([refused.status, problemsOf(refused)], [422, [`${path} required`]]);
      assert.deepEqual(await everythingWritten(service), before);
    });
  }

  test('and so are the fields of a decorated area and of a print job (4.2 print_area, 4.2 method, 4.2 artwork_url, 4.1 print_jobs)', async () => {
    const refused = await customer.request('POST', '/orders', {
      ...basket(service),
      items: [
        { ...teeItem(service), decoration: { areas: [{}] } },
        { ...teeItem(service), print_jobs: [{}] },
        { ...teeItem(service), decoration: { personalisation: {} } },
      ],
    });
    assert.deepEqual([...problemsOf(refused)].toSorted(), [
      'items[0].decoration.areas[0].artwork_url required',
      'items[0].decoration.areas[0].method required',
      'items[0].decoration.areas[0].print_area required',
      'items[1].print_jobs[0].area required',
      'items[1].print_jobs[0].method required',
      'items[2].decoration.personalisation.inputs required',
    ]);
  });
});

test('2.4 required, 2.4 optional: an address of the five required fields is enough, and every optional one is kept', async () => {
  const optional = {
    company_name: 'Byron & Co',
    line2: 'Unit 3',
    county: 'West Yorkshire',
    phone: '0113 496 0000',
    email: 'ada@byron.example',
  };
  const least = await place(basket(service));
  assert.deepEqual(least.items.shippingAddress, {
    ...HOME,
    company_name: '',
    line2: '',
    county: '',
    phone: '',
    email: '',
  });
  const most = await place(basket(service, { shipping_address: { ...HOME, ...optional } }));
  assert.deepEqual(most.items.shippingAddress, { ...HOME, ...optional });
});

test('4.2 unknown product: a decorated line of a product that is not the account’s is 404, and its address is not asked', async () => {
  const url = await servePicture(service, '/for-nobody.png', { widthPx: 400, heightPx: 400, colour: '#ff00ff' });
  const areas = [{ print_area: 'front', method: 'dtg', artwork_url: url }];
  const other = await service.openCustomer();
  const theirs = await addProduct(service, other, 'TEE-CLASSIC');
  const before = service.stranger.hits.length;
  const answers = [];
  for (const product_id of [theirs, publicId('prod', newId())]) {
    for (const decoration of [{ areas }, { personalisation: { inputs: {} } }]) {
      const items = [{ ...teeItem(service, { product_id }), decoration }];
      answers.push(await customer.request('POST', '/orders', { ...basket(service), items }));
    }
  }
  for (const answer of answers) {
    assert.deepEqual([answer.status, answer.body.code], [404, 'not_found']);
    assert.equal(withoutRequestId(answer), withoutRequestId(answers[0] ?? answer));
  }
  assert.equal(service.stranger.hits.length, before);
});

describe('4.1 estimate body: the estimate takes every body that placing takes (4.1 estimate result, 4.1 estimate total, 9.4 estimate)', () => {
  const bodies: readonly (readonly [what: string, body: () => PlaceOrderBody])[] = [
    ['the least', () => basket(service)],
    ['a sample', () => basket(service, { type: 'sample' })],
    ['a blank garment', () => basket(service, { items: [teeItem(service, { print_jobs: [] })] })],
    ['labels', () => basket(service, { items: [teeItem(service, { name: 'n', colour: 'c', size: 's' })] })],
    ['two addresses', () => basket(service, { billing_address: { ...HOME, contact_name: 'Charles' } })],
    ['notes and a reference', () => basket(service, { notes: 'Careful', external_reference: `both-${newId()}` })],
    ['abroad', () => basket(service, { shipping_address: { ...HOME, country_code: 'FR', postcode: '75001' } })],
  ];
  for (const [what, body] of bodies) {
    test(what, async () => {
      const sent = body();
      const written = await everythingWritten(service);
      const estimated = await customer.request<Estimate>('POST', '/orders/estimate', sent);
      assert.equal(estimated.status, 200, estimated.text);
      assert.deepEqual(await everythingWritten(service), written, 'an estimate writes nothing');
      const before = await balancePence(service, customer);
      const placed = await place(sent);
      assert.equal(estimated.body.total, placed.charged.total);
      assert.equal(before - (await balancePence(service, customer)), Math.round(placed.charged.total * 100));
    });
  }
});

test('4.1 created: the generated reference leads to the order, and the 201 is what list and fetch go on to show', async () => {
  const placed = await place(basket(service, { notes: 'as said', type: 'sample' }));
  const fetched = await customer.request<Order>('GET', `/orders/${placed.reference}`);
  const same = ['id', 'reference', 'type', 'status', 'notes', 'created_at', 'updated_at'] as const;
  for (const name of same) assert.equal(fetched.body[name], placed[name], name);
  const listed = await customer.request<Page<Order>>('GET', '/orders?limit=1');
  assert.deepEqual(unsigned(listed.body.data[0]), unsigned(fetched.body));
});

test('2.2 items: a line of list and fetch has the SKU and the number of pieces as the specification names them', async () => {
  const placed = await place(basket(service, { items: [teeItem(service, { quantity: 4 }), teeItem(service)] }));
  const { body } = await customer.request<Order>('GET', `/orders/${placed.id}`);
  assert.ok(Array.isArray(body.items));
  assert.deepEqual(
    body.items.map(({ blank_variant_sku, qty }) => [blank_variant_sku, qty]),
    placed.items.lineItems.map(({ variant_sku, quantity }) => [variant_sku, quantity]),
  );
});

describe('7 retry: the status tells whether a repeat can help', () => {
  const again: readonly ErrorCode[] = [
    'request_timeout',
    'rate_limited',
    'internal_error',
    'refund_failed',
    'unavailable',
  ];
  for (const code of Object.keys(ERRORS) as ErrorCode[]) {
    const { status } = ERRORS[code];
    const helps = status === 408 || status === 429 || (status >= 500 && status !== 501);
    test(`${code}, ${status}: ${helps ? 'it can' : 'it cannot'}`, () => assert.equal(again.includes(code), helps));
  }

  test('a refusal repeated is the same refusal, and the same body mended is accepted', async () => {
    const bad = basket(service, { notes: 'n'.repeat(1_001), external_reference: 'mended-1' });
    const [first, second] = [
      await customer.request('POST', '/orders', bad),
      await customer.request('POST', '/orders', bad),
    ];
    assert.equal(withoutRequestId(second), withoutRequestId(first));
    assert.deepEqual([first.headers.get('retry-after'), second.headers.get('retry-after')], [null, null]);
    await place({ ...bad, notes: 'short' });
  });
});

test('7 upload codes: each named code of the specification comes from an address that earns it', async () => {
  service.stranger.serve('/not-a-picture', { body: 'text' });
  service.stranger.serve('/too-large', { body: 'x', contentLength: 52_428_801 });
  const urls = [
    'http://art.example.test/a.png',
    'https://169.254.169.254/latest',
    service.stranger.url('/not-a-picture'),
    service.stranger.url('/too-large'),
    service.stranger.url('/nothing-here'),
  ];
  const { status, body } = await customer.request<{ valid: boolean; results: { code: string; message: string }[] }>(
    'POST',
    '/uploads/validate',
    { urls },
  );
  assert.deepEqual([status, body.valid], [200, false]);
  assert.deepEqual(
    body.results.map(({ code }) => code),
    ['scheme', 'ssrf', 'format', 'size', 'fetch'],
  );
  assert.ok(body.results.every(({ message }) => /^[A-Z].+\.$/.test(message)));
});

test('2.7 success: an animated picture is valid, with the warning that its first frame is used, and a still one has none', async () => {
  const frames = await Promise.all(['red', 'blue'].map((colour) => flat(40, 30, colour).png().toBuffer()));
  const animated = await sharp(frames, { join: { animated: true } })
    .webp({ loop: 0, delay: 100 })
    .toBuffer();
  service.stranger.serve('/animated.webp', { body: animated });
  const still = await servePicture(service, '/still.png', { widthPx: 40, heightPx: 30, colour: '#ff0000' });
  const { body } = await customer.request<UploadValidation>('POST', '/uploads/validate', {
    urls: [service.stranger.url('/animated.webp'), still],
  });
  assert.equal(body.valid, true);
  assert.deepEqual(
    body.results.map(({ mime, width, height, warnings }) => [mime, width, height, warnings?.map(({ code }) => code)]),
    [
      ['image/webp', 40, 30, ['animated_first_frame']],
      ['image/png', 40, 30, []],
    ],
  );
});

test('9.4 fixes: an area that the product lacks is refused though the garment has it, and its own areas are shown', async () => {
  const { body } = await customer.request<{ print_areas: { print_area: string }[] }>(
    'GET',
    `/products/${service.demo.products.fixed}`,
  );
  const own = body.print_areas.map((each) => each.print_area);
  const refused = await customer.request(
    'POST',
    '/orders',
    basket(service, { items: [teeItem(service, { print_jobs: [{ area: 'right_sleeve', method: 'dtf' }] })] }),
  );
  assert.deepEqual(problemsOf(refused), ['items[0].print_jobs[0].area unknown_print_area']);
  assert.deepEqual(refused.body.errors?.[0]?.valid_values, own);
});

test('D58 amounts, currency and status that come along with an order or an estimate change nothing', async () => {
  const plain = await customer.request<Estimate>('POST', '/orders/estimate', basket(service));
  const extras = { total: 0, subtotal: 0, vat_amount: 0, shipping_cost: 0, currency: 'USD', payment_status: 'paid' };
  const items = [{ ...teeItem(service), unit_price: 0, line_price: -5, price: '1.00' }];
  const meddled = { ...basket(service), ...extras, items };
  const estimated = await customer.request<Estimate>('POST', '/orders/estimate', meddled);
  const { warnings: _told, ...amounts } = estimated.body;
  const { warnings: _none, ...expected } = plain.body;
  assert.deepEqual(amounts, expected);
  const placed = await customer.request<CreatedOrder>('POST', '/orders', meddled);
  assert.equal(placed.body.charged.total, plain.body.total);
});

test('E72 E73 print_jobs of every area are billed each: a blank is cheaper than one area, one cheaper than two', async () => {
  const front = { area: 'front', method: 'dtg' };
  const unit = async (print_jobs: { area: string; method: string }[]): Promise<number> => {
    const items = [teeItem(service, { print_jobs })];
    const { body } = await customer.request<Estimate>('POST', '/orders/estimate', basket(service, { items }));
    return body.lines[0]?.unit_price ?? Number.NaN;
  };
  const [none, one, two] = [await unit([]), await unit([front]), await unit([front, { area: 'back', method: 'dtg' }])];
  assert.ok(none < one && one < two, `${none} ${one} ${two}`);
});

test('C48 orders of the same microsecond are paged in one stable order', async () => {
  const other = await service.openCustomer({ balancePence: 100_000 });
  const tote = await addProduct(service, other, 'TOTE-COTTON');
  const items = [{ product_id: tote, variant_sku: 'TOTE-COTTON-NAT', quantity: 1, print_jobs: [] }];
  const ids: string[] = [];
  for (let count = 0; count < 9; count += 1) ids.unshift((await place({ items, shipping_address: HOME }, other)).id);
  await rows(service, "update orders set created_at = '2026-01-01T00:00:00.000001Z' where account_id = $1", [
    other.accountId,
  ]);
  for (const limit of [1, 2, 4]) {
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const { body }: { body: Page<Order> } = await other.request<Page<Order>>('GET', `/orders?limit=${limit}${query}`);
      seen.push(...body.data.map(({ id }) => id));
      cursor = body.next_cursor;
    }
    assert.deepEqual(seen, ids);
  }
});

test('C50 an id is never taken for a reference, nor a reference for an id', async () => {
  const placed = await place(basket(service));
  for (const path of [placed.id.replace('ord_', 'PF-'), placed.reference.replace('PF-', 'ord_'), placed.id.slice(4)]) {
    assert.equal((await customer.request('GET', `/orders/${path}`)).status, 404, path);
  }
});

test('K178 the service itself is no webhook target, by its name, its address or its port, trusted or not', async () => {
  const own = await startTestService({
    role: 'api',
    env: {
      BASE_URL: 'https://print.example.test',
      TRUSTED_PRIVATE_HOSTS: 'print.example.test:443,PRINT.example.test:8443',
    },
  });
  try {
    for (const url of [
      'https://print.example.test/api/v1/orders',
      'https://PRINT.example.test:443/hook',
      'https://print.example.test./hook',
      'https://127.0.0.1/hook',
      `https://127.0.0.1:${new URL(own.url).port}/hook`,
      `https://localhost:${new URL(own.url).port}/hook`,
    ]) {
      const refused = await own.customer.request('POST', '/webhooks', { url });
      assert.deepEqual([refused.status, problemsOf(refused).length], [422, 1], url);
      assert.match(problemsOf(refused)[0] ?? '', /^url (ssrf|url)$/);
    }
    assert.deepEqual(await rows(own, 'select id from webhook_subscription'), []);
  } finally {
    await own.stop();
  }
});

test('the books are in order after all of it', async () => {
  const { checks } = await verify(service.ctx);
  assert.deepEqual(
    checks.filter(({ violations }) => violations.length > 0),
    [],
  );
});
