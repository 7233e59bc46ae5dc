import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ShopItem } from '../shop-order.ts';
import { enteredNames } from './entered-names.ts';

const item = (properties: readonly (readonly [string, string])[], more: Partial<ShopItem> = {}): ShopItem => ({
  ...{ id: '1', title: 'Fern tee', quantity: 1 },
  properties: properties.map(([name, value]) => ({ name, value })),
  ...more,
});

test('what a buyer entered is named once each, without bookkeeping of the shop, what is empty and what was chosen', () => {
  const entered = [
    ['Engrave', 'Anna'],
    ['Engrave', 'for Ben'],
    ['_bundle', '7'],
    ['Gift note', '  '],
    ['Gift wrap', 'Yes'],
  ] as const;
  assert.deepEqual(enteredNames(item(entered)), ['Engrave', 'Gift wrap']);
  assert.deepEqual(enteredNames(item([['size', 'm']], { title: 'Fern tee - White, M' })), []);
  assert.deepEqual(enteredNames(item([['size', 'M']], { options: 'White / M' })), []);
  assert.deepEqual(enteredNames(item([['Engrave', 'M']], { title: 'Mug for M. and N.' })), ['Engrave']);
  assert.deepEqual(enteredNames({ id: '1', title: 'Fern tee', quantity: 1 }), []);
});
