import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import type { ShopItem, ShopOrder } from '../shop-order.ts';
import { byPresentKey, isMadeTheSame, orderParts, type Parts } from './parts.ts';
import { keptItems } from './request-of.ts';
import { isStillApproved } from './still-approved.ts';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
const at = '2026-11-29T00:00:00.000Z';
const order = (changes: Partial<ShopItem>): ShopOrder => ({
  ...{ id: '1', ordered_at: at, updated_at: at, shipping_address: {} },
  items: [{ id: '7', title: 'Fern tee', quantity: 1, ...changes }],
});
const partsOf = (changes: Partial<ShopItem>): Parts => orderParts(digest, order(changes));

const BOTH = { variant_id: '77', sku: 'TEE' };
const CASES: readonly [name: string, before: Partial<ShopItem>, now: Partial<ShopItem>, isSame: boolean][] = [
  ['as it was', BOTH, BOTH, true],
  ['another SKU of the variant', BOTH, { ...BOTH, sku: 'TEE-2' }, true],
  ['the variant deleted', BOTH, { sku: 'TEE' }, true],
  ['a variant without a SKU deleted', { variant_id: '77' }, {}, true],
  ['the variant deleted, and another SKU', BOTH, { sku: 'MUG' }, false],
  ['another variant of the SKU', BOTH, { ...BOTH, variant_id: '78' }, false],
  ['the variant deleted, and another entry', BOTH, { sku: 'TEE', properties: [{ name: 'Name', value: 'Ada' }] }, false],
  ['a variant where there was none', { sku: 'TEE' }, BOTH, false],
];

for (const [name, before, now, isSame] of CASES) {
  test(`${name}: an item is ${isSame ? 'the same' : 'another'}, and so is what a person has approved`, () => {
    assert.equal(isMadeTheSame(partsOf(before), partsOf(now), '7'), isSame);
    const had = { content: order(before), parts: partsOf(before), items: keptItems(order(before).items) };
    const later = { content: order(now), parts: partsOf(now), items: keptItems(order(now).items) };
    const received = {
      digest: digest(''),
      changedAt: new Date(at),
      orderedAt: new Date(at),
      weight: 1,
      now: new Date(at),
      earlier: [],
    };
    assert.equal(isStillApproved(had, { ...received, ...later }), isSame);
  });
}

test('the parts of a row of before, without the items as they are without their variants, are read as they are', () => {
  const { bare: _later, ...before } = partsOf(BOTH);
  assert.equal(isMadeTheSame(before, partsOf(BOTH), '7'), true);
  assert.equal(isMadeTheSame(before, partsOf({ sku: 'TEE' }), '7'), false);
});

test('what is kept by a former key is compared by the present one, also of a variant that is gone', () => {
  const former = (text: string): Buffer => digest(`former ${text}`);
  const kept = orderParts(former, order(BOTH));
  for (const [now, isSame] of [
    [{ sku: 'TEE' }, true],
    [BOTH, true],
    [{ sku: 'MUG' }, false],
  ] as const) {
    const every = [digest, former].map((keyed) => orderParts(keyed, order(now)));
    const known = byPresentKey(kept, partsOf(now), every);
    assert.deepEqual([isMadeTheSame(known, partsOf(now), '7'), known.rest === partsOf(now).rest], [isSame, true]);
  }
});
