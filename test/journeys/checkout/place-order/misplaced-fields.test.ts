import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { CreatedOrder, Estimate } from '../../../../src/orders/schema.ts';
import { orderOf, type Refusal, testRefusals } from '../../../harness/refusals.ts';
import { startTestService, type TestService } from '../../../harness/service.ts';
import { basket, HOME, servePicture, teeItem } from '../../../harness/shop.ts';
import { everythingWritten } from '../../../harness/written.ts';

let service: TestService;
let art: string;
let writtenBefore: Record<string, number>;
before(async () => {
  // No worker: what a refusal leaves behind could otherwise be cleared away in the background.
  service = await startTestService({ role: 'api' });
  art = await servePicture(service, '/art.png', { widthPx: 800, heightPx: 800, colour: '#123456' });
  writtenBefore = await everythingWritten(service);
});
after(() => service.stop());

const ofItem = (changes: object) => () => orderOf(service, changes);
const ofOrder = (changes: object) => () => ({ ...orderOf(service, {}), ...changes });
const FRONT = { area: 'front', method: 'dtg' };

const REFUSALS: readonly Refusal[] = [
  ...['artwork_url', 'artwork', 'image_url', 'design', 'fileUrl', 'print_url', 'url'].map((name) => ({
    what: `artwork beside the area to print, as ${name}`,
    body: () => orderOf(service, { print_jobs: [FRONT, { ...FRONT, area: 'back', [name]: art }] }),
    problems: [`items[0].print_jobs[1].${name} misplaced_field`],
  })),
  ...['artwork_url', 'artworkUrl', 'images', 'design_url', 'files', 'areas', 'url'].map((name) => ({
    what: `artwork on an item, as ${name}`,
    body: () => orderOf(service, { [name]: [art] }),
    problems: [`items[0].${name} misplaced_field`],
  })),
  ...['artwork', 'artwork_url', 'print_file', 'decoration'].map((name) => ({
    what: `artwork of the whole order, as ${name}`,
    body: () => ({ ...orderOf(service, {}), [name]: { url: art } }),
    problems: [`${name} misplaced_field`],
  })),
  ...['external_ref', 'externalReference', 'external_id', 'idempotency_key', 'idempotencyKey'].map((name) => ({
    what: `a reference, as ${name}`,
    body: ofOrder({ [name]: 'A-1' }),
    problems: [`${name} misplaced_field`],
  })),
  ...['personalisation', 'personalization', 'customisation'].flatMap((name) => [
    {
      what: `personalisation on an item, as ${name}`,
      body: ofItem({ [name]: { inputs: {} } }),
      problems: [`items[0].${name} misplaced_field`],
    },
    {
      what: `personalisation of the whole order, as ${name}`,
      body: ofOrder({ [name]: { inputs: {} } }),
      problems: [`${name} misplaced_field`],
    },
  ]),
  { what: 'qty beside quantity', body: ofItem({ qty: 5 }), problems: ['items[0].qty misplaced_field'] },
  { what: 'sku beside variant_sku', body: ofItem({ sku: 'A' }), problems: ['items[0].sku misplaced_field'] },
  {
    what: 'all of it at once, with what is wrong with the shape',
    body: () => ({
      items: [
        { ...teeItem(service), quantity: undefined, qty: 2 },
        { ...teeItem(service), artwork: art },
      ],
      shipping_address: { ...HOME, country_code: 'XX' },
      external_ref: 'A-1',
    }),
    problems: [
      'items[0].quantity required',
      'shipping_address.country_code unknown_country',
      'external_ref misplaced_field',
      'items[0].qty misplaced_field',
      'items[1].artwork misplaced_field',
    ],
  },
];

testRefusals(REFUSALS, () => service.customer);

test('the refusal says what was meant, comes before an order that exists, and writes nothing', async () => {
  assert.deepEqual(await everythingWritten(service), writtenBefore);
  const placed = await service.customer.request<CreatedOrder>('POST', '/orders', {
    ...basket(service),
    external_reference: 'misplaced-1',
  });
  assert.equal(placed.status, 201, placed.text);
  const items = [{ ...teeItem(service), print_jobs: [{ ...FRONT, artwork_url: art }] }];
  const body = { ...basket(service), items, external_reference: 'misplaced-1', externalRef: 'misplaced-1' };
  const answer = await service.customer.request('POST', '/orders', body);
  assert.deepEqual(
    [answer.status, answer.body.errors?.map(({ message }) => message)],
    [
      422,
      [
        'externalRef is not taken here. Did you mean `external_reference`?',
        'artwork_url is not taken here. Send artwork as `decoration.areas[].artwork_url` of the item.',
      ],
    ],
  );
});

test('9.2 any other unknown member is accepted and ignored, with a warning that has the nearest known name', async () => {
  const [item] = basket(service).items;
  const body = {
    ...basket(service),
    items: [{ ...item, colr: 'Snow', printJobs: [], gift_wrap: true }],
    order_notes: 'x',
    gift: true,
    url: 'https://shop.example/orders/1',
  };
  for (const [path, status] of [
    ['/orders/estimate', 200],
    ['/orders', 201],
  ] as const) {
    const answer = await service.customer.request<Estimate & CreatedOrder>('POST', path, body);
    assert.equal(answer.status, status, answer.text);
    assert.deepEqual(
      answer.body.warnings
        .filter(({ code }) => code === 'unknown_field')
        .map(
          (warning) =>
            `${warning.path}: ${warning.message.replace('This field is not known here and was ignored. ', '')}`,
        )
        .toSorted(),
      [
        'gift: Check its spelling.',
        'items[0].colr: Did you mean `colour`?',
        'items[0].gift_wrap: Check its spelling.',
        'items[0].printJobs: Did you mean `print_jobs`?',
        'order_notes: Did you mean `notes`?',
        'url: Check its spelling.',
      ],
    );
  }
});

test('a misplaced member that says nothing is ignored, and the same names elsewhere are nothing special', async () => {
  const [item] = basket(service).items;
  const decoration = { areas: [{ print_area: 'front', method: 'dtg', artwork_url: art, design: 'x' }] };
  const answer = await service.customer.request<CreatedOrder>('POST', '/orders', {
    ...basket(service),
    items: [{ ...item, decoration, artwork_url: null, qty: null, url: '' }],
    idempotency_key: null,
    metadata: { artwork_url: 'x', qty: '2', sku: 'A', idempotency_key: 'k' },
    shipping_address: { ...HOME, url: 'x', personalisation: 'x' },
  });
  assert.equal(answer.status, 201, answer.text);
  assert.deepEqual(
    answer.body.warnings
      .filter(({ code }) => code === 'unknown_field')
      .map(({ path }) => path)
      .toSorted(),
    [
      'idempotency_key',
      'items[0].artwork_url',
      'items[0].decoration.areas[0].design',
      'items[0].qty',
      'items[0].url',
      'shipping_address.personalisation',
      'shipping_address.url',
    ],
  );
});
