import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Field, guessColumns, type KnownHeadings, missingFields } from './columns.ts';

const SHOPIFY = [
  ...['Name', 'Email', 'Financial Status', 'Lineitem quantity', 'Lineitem name', 'Lineitem price', 'Lineitem sku'],
  ...['Billing Name', 'Billing City', 'Shipping Name', 'Shipping Street', 'Shipping Address1', 'Shipping Address2'],
  ...['Shipping Company', 'Shipping City', 'Shipping Zip', 'Shipping Province', 'Shipping Country', 'Shipping Phone'],
  'Notes',
];
const ETSY = [
  ...['Sale Date', 'Item Name', 'Buyer', 'Quantity', 'Price', 'Ship Name', 'Ship Address1', 'Ship Address2'],
  ...['Ship City', 'Ship State', 'Ship Zipcode', 'Ship Country', 'Order ID', 'Variations', 'SKU'],
];
const WOO = [
  ...['Order Number', 'Order Status', 'First Name (Shipping)', 'Last Name (Shipping)', 'Address 1&2 (Shipping)'],
  ...['City (Shipping)', 'State Code (Shipping)', 'Postcode (Shipping)', 'Country Code (Shipping)', 'Email (Billing)'],
  ...['Phone (Billing)', 'SKU', 'Item Name', 'Quantity (- Refund)'],
];
const OURS = ['external_reference', 'product_id', 'variant_sku', 'quantity', 'print_areas', 'contact_name', 'line1'];

/** The headings of the columns that were guessed. */
function guessed(headings: readonly string[], known: KnownHeadings = {}): Partial<Record<Field, string>> {
  const pairs = Object.entries(guessColumns(headings, known)).map(([field, at]) => [field, headings[at]] as const);
  return Object.fromEntries(pairs);
}

const CASES: readonly (readonly [
  what: string,
  headings: readonly string[],
  expected: Partial<Record<Field, string>>,
])[] = [
  [
    'Shopify',
    SHOPIFY,
    {
      number: 'Name',
      product: 'Lineitem name',
      variant_sku: 'Lineitem sku',
      line1: 'Shipping Address1',
      city: 'Shipping City',
    },
  ],
  [
    'Shopify, the rest',
    SHOPIFY,
    { contact_name: 'Shipping Name', postcode: 'Shipping Zip', country_code: 'Shipping Country' },
  ],
  [
    'Etsy',
    ETSY,
    { number: 'Order ID', product: 'Item Name', quantity: 'Quantity', contact_name: 'Ship Name', county: 'Ship State' },
  ],
  [
    'WooCommerce',
    WOO,
    { number: 'Order Number', contact_name: 'First Name (Shipping)', last_name: 'Last Name (Shipping)' },
  ],
  [
    'WooCommerce, the rest',
    WOO,
    { line1: 'Address 1&2 (Shipping)', quantity: 'Quantity (- Refund)', product: 'Item Name' },
  ],
  ['our own', OURS, { number: 'external_reference', product: 'product_id', print_areas: 'print_areas' }],
];

for (const [what, headings, expected] of CASES) {
  test(`the columns of ${what} are known by their headings`, () => {
    const found = guessed(headings);
    assert.deepEqual(
      Object.fromEntries(Object.keys(expected).map((field) => [field, found[field as Field]])),
      expected,
    );
  });
}

test('whole exports lack nothing, and what is lacking is named', () => {
  for (const headings of [SHOPIFY, ETSY, WOO]) assert.deepEqual(missingFields(guessColumns(headings, {})), []);
  assert.deepEqual(missingFields(guessColumns(OURS, {})), ['city', 'postcode', 'country_code']);
});

test('what the account chose before comes first, and no column stands for two fields', () => {
  assert.equal(guessed(SHOPIFY, { contact_name: 'Billing Name' }).contact_name, 'Billing Name');
  const twice = guessColumns(['Order', 'SKU', 'SKU'], {});
  assert.deepEqual(twice, { number: 0, variant_sku: 1 });
});
