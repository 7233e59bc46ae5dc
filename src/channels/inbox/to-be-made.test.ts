import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ShopOrder } from '../shop-order.ts';
import { toBeMade } from './to-be-made.ts';

const order = (items: ShopOrder['items']): ShopOrder => ({
  ...{ id: '1', ordered_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-01T00:00:00.000Z', shipping_address: {} },
  items,
});

test('pieces that were sent are left out, whatever text a shop calls its lines by', () => {
  for (const id of ['1', 'constructor', 'toString', '__proto__']) {
    const line = { id, title: 'Tee', quantity: 3, sent_quantity: 1 };
    const { order: first, sent } = toBeMade(order([line]));
    assert.deepEqual(
      first.items.map(({ quantity }) => quantity),
      [2],
    );
    assert.deepEqual(Object.entries(sent), [[id, 1]]);
    // It was kept with its order, and comes back from the database.
    const { order: later } = toBeMade(order([{ ...line, sent_quantity: 2 }]), JSON.parse(JSON.stringify(sent)));
    assert.deepEqual(
      later.items.map(({ quantity }) => quantity),
      [2],
    );
  }
});
