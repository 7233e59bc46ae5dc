import assert from 'node:assert/strict';
import { test } from 'node:test';
import { didYouMean, nearestName } from './nearest-name.ts';

const ITEM = [
  'product_id',
  'variant_sku',
  'quantity',
  'name',
  'colour',
  'size',
  'print_jobs',
  'decoration',
  'declared_unit_price',
];
const ADDRESS = ['contact_name', 'line1', 'city', 'postcode', 'country_code', 'company_name', 'line2', 'county'];
const ORDER = ['type', 'items', 'shipping_address', 'billing_address', 'external_reference', 'notes', 'metadata'];
const SHIPMENT = ['carrier', 'tracking_number', 'tracking_url', 'items'];
const CANCEL = ['reason', 'items', 'lines', 'line_ids', 'refund'];
const ORDERS = ['limit', 'cursor', 'state', 'account', 'reference', 'needs', 'tracking_number', 'postcode', 'sort'];

const ROWS: readonly (readonly [what: string, given: string, known: readonly string[], meant: string | undefined])[] = [
  ['camelCase', 'variantSku', ITEM, 'variant_sku'],
  ['capitals', 'QUANTITY', ITEM, 'quantity'],
  ['hyphens', 'print-jobs', ITEM, 'print_jobs'],
  ['a missing letter', 'quantty', ITEM, 'quantity'],
  ['a swapped pair of letters', 'quantiyt', ITEM, 'quantity'],
  ['American spelling', 'color', ITEM, 'colour'],
  ['a plural', 'names', ITEM, 'name'],
  ['an abbreviation', 'qty', ITEM, 'quantity'],
  ['a shorter word', 'sku', ITEM, 'variant_sku'],
  ['a part of one name', 'country', ADDRESS, 'country_code'],
  ['more words than the name', 'order_notes', ORDER, 'notes'],
  ['a word of the trade elsewhere', 'zip', ADDRESS, 'postcode'],
  ['a synonym of which only one is known', 'lines', ['carrier', 'items'], 'items'],
  ['another name in an order', 'external_ref', ORDER, 'external_reference'],
  ['a status', 'status', ORDERS, 'state'],
  ['a query parameter', 'limt', ORDERS, 'limit'],
  ['a name with the word id', 'account_id', ORDERS, 'account'],
  ['a part of two names, of which one is usual', 'tracking', SHIPMENT, 'tracking_number'],
  ['an id where there is one kind', 'id', ['line_id', 'quantity'], 'line_id'],
  ['a part of two names', 'address', ORDER, undefined],
  ['as near to two names', 'line3', ADDRESS, undefined],
  ['a word that says nothing', 'id', ITEM, undefined],
  ['the price of something else', 'unit_price', ITEM, undefined],
  ['the price of something else', 'price', ITEM, undefined],
  ['a usual word of customs', 'customsValue', ITEM, 'declared_unit_price'],
  ['a name of the same length', 'weight', ITEM, undefined],
  ['a short word', 'at', CANCEL, undefined],
  ['nothing', '', ITEM, undefined],
  ['no letters', '_', ITEM, undefined],
  ['names that JavaScript treats specially', '__proto__', ITEM, undefined],
  ['names that JavaScript treats specially', 'constructor', ITEM, undefined],
  ['a very long name', 'quantity'.repeat(20), ITEM, undefined],
];

for (const [what, given, known, meant] of ROWS) {
  test(`${what}: ${given.slice(0, 20)} stands for ${meant ?? 'nothing that is known'}`, () => {
    assert.equal(nearestName(given, known), meant);
  });
}

test('a name is suggested as a question, and none as nothing', () => {
  assert.equal(didYouMean('items'), ' Did you mean `items`?');
  assert.equal(didYouMean(undefined), '');
});
