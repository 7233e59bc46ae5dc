import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PlaceOrderBody } from '../../orders/schema.ts';
import { CreateProductBody } from '../../products/schema.ts';
import {
  MISPLACED_IN_ORDER,
  MISPLACED_IN_PRODUCT,
  type MisplacedFields,
  misplacedProblems,
} from './misplaced-fields.ts';

const ARTWORK =
  'areas artwork artworkUrl artworkUrls artwork_url artwork_urls artworks asset assetUrl asset_url assets ' +
  'design designUrl design_url designs file fileUrl file_url files graphic graphicUrl graphic_url ' +
  'image imageUrl image_url images picture pictureUrl picture_url ' +
  'printFile printFileUrl printFiles printUrl print_file print_file_url print_files print_url';
const PERSONALISATION = 'customisation customization personalisation personalization';

/** The closed list of v1: a name that is added refuses what is accepted today. */
const FROZEN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  order: {
    '': `${ARTWORK} ${PERSONALISATION} decoration externalId externalRef externalReference external_id external_ref idempotencyKey idempotency_key`,
    'items[]': `${ARTWORK} ${PERSONALISATION} qty sku url`,
    'items[].print_jobs[]': `${ARTWORK} url`,
  },
  product: { '': `${ARTWORK} ${PERSONALISATION}` },
};

function namesOf(fields: MisplacedFields): Record<string, string[]> {
  return Object.fromEntries(Object.entries(fields).map(([place, names]) => [place, Object.keys(names).toSorted()]));
}

test('9.2 the list of misplaced members is closed: nothing is added to it or removed from it in v1', () => {
  const found = { order: namesOf(MISPLACED_IN_ORDER), product: namesOf(MISPLACED_IN_PRODUCT) };
  const frozen = Object.fromEntries(
    Object.entries(FROZEN).map(([body, places]) => [
      body,
      Object.fromEntries(Object.entries(places).map(([place, names]) => [place, names.split(' ').toSorted()])),
    ]),
  );
  assert.deepEqual(found, frozen);
});

test('no member of a request is on the list at its own place', () => {
  const item = PlaceOrderBody.properties.items.items;
  const places: readonly (readonly [known: object, refused: Readonly<Record<string, string>> | undefined])[] = [
    [PlaceOrderBody.properties, MISPLACED_IN_ORDER['']],
    [item.properties, MISPLACED_IN_ORDER['items[]']],
    [item.properties.print_jobs.items.properties, MISPLACED_IN_ORDER['items[].print_jobs[]']],
    [CreateProductBody.properties, MISPLACED_IN_PRODUCT['']],
  ];
  for (const [known, refused = {}] of places) {
    assert.ok(Object.keys(known).length > 0 && Object.keys(refused).length > 0);
    assert.deepEqual(
      Object.keys(known).filter((name) => Object.hasOwn(refused, name)),
      [],
    );
  }
});

test('a misplaced member is named with its path and with what was meant', () => {
  const body = {
    externalRef: 'A-1',
    items: [
      { quantity: 1, decoration: { areas: [{ artwork_url: 'https://a.example/a.png' }] } },
      { qty: 2, print_jobs: [{ area: 'front' }, { artwork_url: 'https://a.example/a.png' }] },
    ],
  };
  assert.deepEqual(
    misplacedProblems(MISPLACED_IN_ORDER, body).map(({ path, code, message }) => `${path} ${code}: ${message}`),
    [
      'externalRef misplaced_field: externalRef is not taken here. Did you mean `external_reference`?',
      'items[1].qty misplaced_field: qty is not taken here. Did you mean `quantity`?',
      'items[1].print_jobs[1].artwork_url misplaced_field: artwork_url is not taken here. Send artwork as `decoration.areas[].artwork_url` of the item.',
    ],
  );
});

test('what says nothing, stands elsewhere or is no object passes', () => {
  const harmless: readonly unknown[] = [
    { artwork_url: null, idempotency_key: '', items: [{ qty: null, artwork: '' }] },
    { files: [], decoration: {}, items: [{ images: [], personalisation: {}, print_jobs: [{ design: {} }] }] },
    { shipping_address: { url: 'x' }, metadata: { qty: '1', artwork_url: 'x' }, items: 'artwork_url' },
    { items: { qty: 1 } },
    { items: [[{ qty: 1 }], null, 'qty', { print_jobs: { url: 1 } }] },
    undefined,
    null,
    'artwork_url',
    ['artwork_url'],
  ];
  for (const body of harmless) assert.deepEqual(misplacedProblems(MISPLACED_IN_ORDER, body), []);
});

test('a hopeless body has a hundred problems at most', () => {
  const body = { items: Array.from({ length: 1_000 }, () => ({ qty: 1, sku: 'A' })) };
  assert.equal(misplacedProblems(MISPLACED_IN_ORDER, body).length, 100);
});
