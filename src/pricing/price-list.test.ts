import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TEST_NOW, testReference } from '../../test/harness/price-book.ts';
import { priceListOf } from './price-list.ts';

test('a price list says what an order would pay: blanks with their surcharges, prints and setups of the product’s methods', () => {
  const list = priceListOf(testReference, 'TEE', TEST_NOW);
  const units = list?.blanks.map(({ sku, breaks }) => [sku, ...breaks.map(({ unitPence }) => unitPence)]);
  assert.deepEqual(units, [
    ['TEE-WHT-M', 500, 450, 400],
    ['TEE-BLK-M', 520, 470, 420],
    ['TEE-WHT-2XL', 600, 550, 500],
    ['TEE-BLK-2XL', 623, 573, 523],
  ]);
  assert.deepEqual(
    list?.prints.map(({ printArea, method, breaks }) => [printArea, method, breaks[0]?.unitPence]),
    [
      ['front', 'dtg', 300],
      ['front', 'embroidery', 600],
      ['back', 'dtg', 300],
    ],
  );
  assert.deepEqual(list?.setups, [{ method: 'embroidery', pence: 1_500 }]);
});

test('setups of methods that a product does not offer are not listed', () => {
  assert.deepEqual(priceListOf(testReference, 'MUG', TEST_NOW)?.setups, []);
});

test('a product without a price has no list', () => {
  assert.equal(priceListOf(testReference, 'NOSUCH', TEST_NOW), undefined);
});
