import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newId, publicId } from '../../../../src/lib/ids.ts';
import { allProducts, baseProductId, create, read, refuseChange, teeBody } from '../../../harness/products.ts';
import { type Customer, startTestService, type TestService } from '../../../harness/service.ts';
import { addProduct, problemsOf, withoutRequestId } from '../../../harness/shop.ts';

let service: TestService;
let customer: Customer;
let product: string;
let archived: string;
let untouched: unknown;
before(async () => {
  service = await startTestService({ role: 'api' });
  customer = await service.openCustomer();
  product = (await create(customer, await teeBody(service))).id;
  archived = (await create(customer, await teeBody(service))).id;
  await customer.request('DELETE', `/products/${archived}`);
  untouched = await allProducts(service);
});
after(() => service.stop());

const NEVER_ASKED = 'https://art.example.test/never-asked.png';
const SKU = 'TEE-CLASSIC-WHT-M';
const FRONT = { print_area: 'front', method: 'dtg', artwork_url: NEVER_ASKED };
const AREAS = ['front', 'back', 'left_sleeve', 'right_sleeve', 'neck_label'];

/** Areas of a decoration that differ from a good one by this. */
const area = (changes: object) => ({ decoration: { areas: [{ ...FRONT, ...changes }] } });
const position = (changes: object) => area({ position: changes });
const POSITION = 'decoration.areas[0].position';

/** Members that are wrong by their shape, in POST and PATCH alike, with `path code` of every problem. */
const SHAPES: readonly (readonly [what: string, changes: object, problems: readonly string[]])[] = [
  ['a name that is null', { name: null }, ['name type']],
  ['a name that is empty', { name: '' }, ['name out_of_bounds']],
  ['a name that is blank', { name: ' \t\u00a0' }, ['name pattern']],
  ['a name of 201 code points (4.4 name, 8 product name)', { name: '👕'.repeat(201) }, ['name out_of_bounds']],
  ['a name with U+0000', { name: 'a\0b' }, ['name invalid_character']],
  ['a name with half a surrogate pair', { name: 'a\ud83d' }, ['name invalid_character']],
  ['a description that is null', { description: null }, ['description type']],
  [
    'a description of 5,001 (4.4 description, 8 product description)',
    { description: 'x'.repeat(5_001) },
    ['description out_of_bounds'],
  ],
  ['31 tags (4.4 tags, 8 product tags)', { tags: Array(31).fill('t') }, ['tags out_of_bounds']],
  ['tags that are a string', { tags: 'a,b' }, ['tags type']],
  ['tags that are null', { tags: null }, ['tags type']],
  ['a tag that is none', { tags: ['ok', 7, ''] }, ['tags[1] type', 'tags[2] out_of_bounds']],
  ['a blank tag, and one of 101', { tags: [' ', 'x'.repeat(101)] }, ['tags[0] pattern', 'tags[1] out_of_bounds']],
  ['D61 a price that is text (4.4 retail_price)', { retail_price: '12.50' }, ['retail_price type']],
  ['D61 a price below zero', { retail_price: -0.01 }, ['retail_price out_of_bounds']],
  ['D61 a price of parts of a penny', { retail_price: 1.005 }, ['retail_price decimals']],
  ['a price of a millionth', { retail_price: 1e-7 }, ['retail_price decimals']],
  ['a price without bounds', { retail_price: 1e21 }, ['retail_price out_of_bounds']],
  ['no variants', { variant_skus: [] }, ['variant_skus out_of_bounds']],
  ['variants that are null', { variant_skus: null }, ['variant_skus type']],
  ['1,001 variants', { variant_skus: Array(1_001).fill(SKU) }, ['variant_skus out_of_bounds']],
  ['a variant that is no text', { variant_skus: [SKU, { sku: SKU }] }, ['variant_skus[1] type']],
  ['J156 the status archived (4.4 status)', { status: 'archived' }, ['status unknown_value']],
  ['J156 a status in capitals', { status: 'ACTIVE' }, ['status unknown_value']],
  ['a status that is null', { status: null }, ['status unknown_value']],
  ['a mockup that is no text', { mockup_url: 7 }, ['mockup_url type']],
  ['a mockup that is empty', { mockup_url: '' }, ['mockup_url out_of_bounds']],
  ['a mockup address of 10 kB', { mockup_url: `https://a.test/${'x'.repeat(10_240)}` }, ['mockup_url out_of_bounds']],
  ['a decoration that is null', { decoration: null }, ['decoration type']],
  ['a decoration without areas', { decoration: {} }, ['decoration.areas required']],
  ['areas that are null', { decoration: { areas: null } }, ['decoration.areas type']],
  ['areas that are an object', { decoration: { areas: { front: FRONT } } }, ['decoration.areas type']],
  [
    'J151 eleven areas (4.4 decoration.areas, 8 product areas)',
    { decoration: { areas: Array(11).fill(FRONT) } },
    ['decoration.areas out_of_bounds'],
  ],
  [
    '4.4.5 personalisation',
    { decoration: { areas: [], personalisation: { layers: [] } } },
    ['decoration.personalisation not_available'],
  ],
  [
    'an area without anything',
    { decoration: { areas: [{}] } },
    ['print_area', 'method', 'artwork_url'].map((name) => `decoration.areas[0].${name} required`),
  ],
  ['an area that is null', { decoration: { areas: [null] } }, ['decoration.areas[0] type']],
  ['a print area that is no text', area({ print_area: 3 }), ['decoration.areas[0].print_area type']],
  ['an artwork address that is null', area({ artwork_url: null }), ['decoration.areas[0].artwork_url type']],
  ['J155 a position that is null', area({ position: null }), [`${POSITION} type`]],
  ['J155 a position that is a list', area({ position: [0.5, 0.5] }), [`${POSITION} type`]],
  ['J155 x and y that are text', position({ x: '0.5', y: 'NaN' }), [`${POSITION}.x type`, `${POSITION}.y type`]],
  ['J155 x that is null', position({ x: null }), [`${POSITION}.x type`]],
  [
    'J155 x in pixels',
    position({ x: 1_000, y: -10.5 }),
    [`${POSITION}.x out_of_bounds`, `${POSITION}.y out_of_bounds`],
  ],
  ['J155 x of 1e308', position({ x: 1e308 }), [`${POSITION}.x out_of_bounds`]],
  ['J155 a scale of zero', position({ scale: 0 }), [`${POSITION}.scale out_of_bounds`]],
  ['J155 a scale below zero', position({ scale: -1 }), [`${POSITION}.scale out_of_bounds`]],
  ['J155 a scale of 1e308', position({ scale: 1e308 }), [`${POSITION}.scale out_of_bounds`]],
  ['J155 a rotation that is text', position({ rotation: '90' }), [`${POSITION}.rotation type`]],
  ['J155 a rotation that is true', position({ rotation: true }), [`${POSITION}.rotation type`]],
  [
    'everything at once',
    { name: ' ', tags: [1], status: 'gone', ...position({ scale: 0, x: 'left' }) },
    ['name pattern', 'tags[0] type', `${POSITION}.x type`, `${POSITION}.scale out_of_bounds`, 'status unknown_value'],
  ],
];

for (const [what, changes, problems] of SHAPES) {
  test(`4.4 ${what} is refused by POST and PATCH with all problems, before anything is looked up`, async () => {
    const created = await customer.request('POST', '/products', { ...(await teeBody(service)), ...changes });
    const unknown = publicId('prod', newId());
    const answers = [created];
    for (const id of [product, archived, unknown]) answers.push(await refuseChange(customer, id, changes));
    for (const answer of answers) {
      assert.deepEqual([answer.status, answer.body.code], [422, 'validation_failed'], answer.text);
      assert.deepEqual(problemsOf(answer).toSorted(), problems.toSorted());
    }
  });
}

test('J159 the base product of a product cannot be changed: 422, also beside other problems and on an archived one', async () => {
  const base_product_id = await baseProductId(service);
  for (const id of [product, archived]) {
    const refused = await refuseChange(customer, id, { base_product_id, retail_price: 0.001 });
    assert.deepEqual(
      [refused.status, problemsOf(refused)],
      [422, ['base_product_id not_changeable', 'retail_price decimals']],
    );
  }
});

test('POST needs base product, name and variants (4.4 base_product_id, 4.4 name, 4.4 variant_skus)', async () => {
  const refused = await customer.request('POST', '/products', {});
  assert.deepEqual(
    [refused.status, problemsOf(refused)],
    [422, ['base_product_id required', 'name required', 'variant_skus required']],
  );
});

/** What a body asks for that its base product does not have, in POST and PATCH alike; nothing is fetched. */
const MEANINGS: readonly (readonly [
  what: string,
  changes: object,
  problems: readonly string[],
  valid?: readonly string[],
])[] = [
  ['an unknown SKU', { variant_skus: [SKU, 'NOPE'] }, ['variant_skus[1] unknown_variant']],
  ['a SKU of another base product', { variant_skus: ['TOTE-COTTON-NAT'] }, ['variant_skus[0] unknown_variant']],
  ['a SKU in another case', { variant_skus: [SKU.toLowerCase()] }, ['variant_skus[0] unknown_variant']],
  ['a SKU with a space', { variant_skus: [`${SKU} `] }, ['variant_skus[0] unknown_variant']],
  ['a SKU twice', { variant_skus: [SKU, 'TEE-CLASSIC-WHT-S', SKU] }, ['variant_skus[2] duplicate']],
  ['an unknown print area', area({ print_area: 'hem' }), ['decoration.areas[0].print_area unknown_print_area'], AREAS],
  [
    'a print area in capitals',
    area({ print_area: 'Front' }),
    ['decoration.areas[0].print_area unknown_print_area'],
    AREAS,
  ],
  [
    'an area named like a member of every object',
    area({ print_area: 'constructor' }),
    ['decoration.areas[0].print_area unknown_print_area'],
  ],
  [
    'an unknown method',
    area({ method: 'laser' }),
    ['decoration.areas[0].method unknown_method'],
    ['dtg', 'dtf', 'screen_print'],
  ],
  ['a method of another area', area({ method: 'embroidery' }), ['decoration.areas[0].method unknown_method']],
  [
    'an area twice',
    { decoration: { areas: [FRONT, { ...FRONT, print_area: 'back' }, { ...FRONT, method: 'dtf' }] } },
    ['decoration.areas[2].print_area duplicate'],
  ],
  [
    'all of it, beside addresses that would fail',
    {
      variant_skus: ['NOPE', 'NOPE'],
      mockup_url: 'http://10.0.0.1/',
      decoration: {
        areas: [
          { ...FRONT, print_area: 'hem' },
          { ...FRONT, print_area: 'back', method: 'laser' },
        ],
      },
    },
    [
      'variant_skus[0] unknown_variant',
      'variant_skus[1] unknown_variant',
      'variant_skus[1] duplicate',
      'decoration.areas[0].print_area unknown_print_area',
      'decoration.areas[1].method unknown_method',
    ],
  ],
];

for (const [what, changes, problems, valid] of MEANINGS) {
  test(`4.4.2 J152 J154 ${what} is refused by POST and PATCH with all problems, and no address is asked (4.4 variant_skus, 4.4 decoration.areas)`, async () => {
    const created = await customer.request('POST', '/products', { ...(await teeBody(service)), ...changes });
    for (const answer of [created, await refuseChange(customer, product, changes)]) {
      assert.deepEqual([answer.status, answer.body.code], [422, 'validation_failed'], answer.text);
      assert.deepEqual(problemsOf(answer), problems);
      if (valid !== undefined) assert.deepEqual(answer.body.errors?.[0]?.valid_values, valid);
    }
  });
}

test('an unknown SKU is answered with those that the base product offers', async () => {
  const refused = await refuseChange(customer, product, { variant_skus: ['NOPE'] });
  const valid = refused.body.errors?.[0]?.valid_values ?? [];
  assert.deepEqual([valid.length, valid.includes(SKU)], [72, true]);
});

test('J153 a base product that is unknown, or no id at all, is a 422 at its field with what else can be told (4.4 base_product_id)', async () => {
  const tee = await baseProductId(service);
  const unknown = [publicId('bprod', newId()), 'bprod_x', 'TEE-CLASSIC', product, tee.toUpperCase(), `${tee} `];
  for (const base_product_id of unknown) {
    const body = { ...(await teeBody(service)), base_product_id, variant_skus: [SKU, SKU] };
    const refused = await customer.request('POST', '/products', body);
    assert.deepEqual(
      [refused.status, problemsOf(refused)],
      [422, ['base_product_id unknown_base_product', 'variant_skus[1] duplicate']],
    );
  }
});

test('J160 404 comes before 409, 409 before the meaning of a body, and that before its addresses (7 conflict, 4.4 PATCH.3)', async () => {
  const wrong = { variant_skus: ['NOPE'], mockup_url: 'http://10.0.0.1/' };
  const answers = [
    await refuseChange(customer, publicId('prod', newId()), wrong),
    await refuseChange(customer, archived, wrong),
    await refuseChange(customer, product, wrong),
    await refuseChange(customer, product, { mockup_url: 'http://10.0.0.1/' }),
  ];
  assert.deepEqual(
    answers.map((answer) => [answer.status, answer.body.code, problemsOf(answer)]),
    [
      [404, 'not_found', []],
      [409, 'conflict', []],
      [422, 'validation_failed', ['variant_skus[0] unknown_variant']],
      [422, 'validation_failed', ['mockup_url scheme']],
    ],
  );
});

test("1.7 5.5 J163 another account's product and none at all are the same 404 for every method, byte for byte", async () => {
  const other = await service.openCustomer();
  const theirs = await addProduct(service, other, 'TOTE-COTTON');
  const before = await allProducts(service);
  const unknown = [theirs, publicId('prod', newId()), product.toUpperCase(), product.replace('prod', 'ord'), 'prod_1'];
  const refusals: string[] = [];
  for (const id of unknown) {
    for (const [method, path, body] of [
      ['PATCH', `/products/${id}`, { name: 'Mine now' }],
      ['PATCH', `/products/${id}`, {}],
      ['DELETE', `/products/${id}`, undefined],
      ['GET', `/products/${id}`, undefined],
      ['GET', `/products/${id}/personalisation`, undefined],
    ] as const) {
      const answer = await customer.request(method, path, body);
      assert.equal(answer.status, 404, `${method} ${path}`);
      refusals.push(withoutRequestId(answer));
    }
  }
  assert.equal(new Set(refusals).size, 1);
  assert.deepEqual(await allProducts(service), before);
  assert.equal((await read(other, theirs)).status, 'active');
  // So that the last check speaks of the refusals alone.
  untouched = before;
});

test('nothing of all these refusals was written, and no stranger was asked', async () => {
  assert.deepEqual(await allProducts(service), untouched);
  assert.equal(service.stranger.connections().accepted, 0);
});
