import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ReportedParcel } from '../port.ts';
import { type OpenLine, orderPartsOf } from './parts.ts';
import { fulfilledBy, type KnownFulfilment, type Written } from './reported-parcels.ts';
import { begunWith } from './written-parcels.ts';

const parcel = (id: string, number: string, ...items: [line: string, quantity: number][]): ReportedParcel => ({
  ...{ id, carrier: 'Royal Mail', number, url: null },
  items: items.map(([shopItemId, quantity]) => ({ shopItemId, title: 'Tee', quantity })),
});
const known = (id: string, numbers: string[], items?: Record<string, number>): KnownFulfilment => ({
  ...{ id, numbers },
  ...(items === undefined ? {} : { items: new Map(Object.entries(items)) }),
});

describe('which fulfilments a parcel was reported as', () => {
  const one = [parcel('a', 'RM1', ['1', 1])];
  const both = [parcel('a', 'RM1', ['1', 1]), parcel('b', 'RM1', ['1', 1])];
  const blank = [parcel('a', '', ['1', 2])];
  const begunBlank = { a: { numbers: [''], others: ['f'] } };
  const cases: [
    name: string,
    parcels: ReportedParcel[],
    fulfilments: KnownFulfilment[],
    written: Partial<Written>,
    expected: Record<string, string[]>,
    left?: Record<string, number>,
  ][] = [
    ['none yet', one, [], {}, {}, { a: 1 }],
    [
      'as written',
      [parcel('a', 'RM2', ['1', 1])],
      [known('f', ['RM1'], { 1: 1 })],
      { made: { a: ['f'] } },
      { a: ['f'] },
    ],
    ['written, and cancelled in the shop', one, [], { made: { a: ['f'] } }, {}, { a: 1 }],
    [
      'written, and cancelled of one location',
      blank,
      [known('g', [], { 1: 1 })],
      { made: { a: ['f', 'g'] } },
      { a: ['g'] },
      { a: 1 },
    ],
    ['by its number', one, [known('f', ['RM1'], { 1: 1 })], {}, { a: ['f'] }],
    [
      'by its number in all locations',
      [parcel('a', 'RM1', ['1', 2], ['2', 1])],
      [known('f', ['RM1'], { 1: 2 }), known('g', ['RM1'], { 2: 1 })],
      {},
      { a: ['f', 'g'] },
    ],
    [
      'by its number as far as it was sent',
      [parcel('a', 'RM1', ['1', 2], ['2', 1])],
      [known('f', ['RM1'], { 1: 1 })],
      {},
      { a: ['f'] },
      { a: 2 },
    ],
    ['not by its number with no piece of it', one, [known('f', ['RM1'], { 2: 1 })], {}, {}, { a: 1 }],
    [
      'by a number under which it was begun',
      [parcel('a', 'RM2', ['1', 1])],
      [known('f', ['RM1'], { 1: 1 })],
      { begun: { a: { numbers: ['RM1'], others: [] } } },
      { a: ['f'] },
    ],
    [
      'of two with one number each its own',
      both,
      [known('f', ['RM1'], { 1: 1 }), known('g', ['RM1'], { 1: 1 })],
      {},
      { a: ['f'], b: ['g'] },
    ],
    [
      'what another has is no one else’s',
      both,
      [known('f', ['RM1'], { 1: 1 })],
      { made: { a: ['f'] } },
      { a: ['f'] },
      { b: 1 },
    ],
    [
      'what a parcel of an addition has is none of the order’s',
      one,
      [known('f', ['RM1'], { 1: 1 })],
      { made: { z: ['f'] } },
      {},
      { a: 1 },
    ],
    ['without a number by its pieces', blank, [known('f', [], { 1: 2 })], {}, { a: ['f'] }],
    ['not by other pieces', blank, [known('f', [], { 1: 1 })], {}, {}, { a: 2 }],
    ['not by more pieces', blank, [known('f', [], { 1: 2, 2: 1 })], {}, {}, { a: 2 }],
    ['not by pieces with a number', [parcel('a', 'RM1', ['1', 2])], [known('f', [], { 1: 2 })], {}, {}, { a: 2 }],
    [
      'begun without a number, by some pieces that were not sent before',
      blank,
      [known('f', [], { 1: 1 }), known('g', [], { 1: 1 })],
      { begun: begunBlank },
      { a: ['g'] },
      { a: 1 },
    ],
    [
      'begun without a number, and not by more pieces',
      blank,
      [known('g', [], { 1: 3 })],
      { begun: begunBlank },
      {},
      { a: 2 },
    ],
  ];
  for (const [name, parcels, fulfilments, { made = {}, begun = {} }, expected, left = {}] of cases) {
    test(name, () => {
      const news = new Set(parcels.map(({ id }) => id));
      const found = [...fulfilledBy(parcels, fulfilments, { written: { made, begun }, news })];
      const ids = found.flatMap(([id, reported]) => (reported.ids.length === 0 ? [] : [[id, reported.ids] as const]));
      assert.deepEqual(Object.fromEntries(ids), expected);
      const open = found.flatMap(([id, { left: items }]) =>
        items.length === 0 ? [] : [[id, items.reduce((sum, { quantity }) => sum + quantity, 0)] as const],
      );
      assert.deepEqual(Object.fromEntries(open), left);
    });
  }

  test('what is written of a parcel that is no news is the whole of it', () => {
    const fulfilments = [known('f', ['RM1']), known('g', ['RM1'], { 1: 1 })];
    const written = { made: { a: ['f'] }, begun: {} };
    const found = fulfilledBy(both, fulfilments, { written, news: new Set(['b']) });
    assert.deepEqual(
      [...found.values()].map(({ ids, left }) => [ids, left]),
      [
        [['f'], []],
        [['g'], []],
      ],
    );
  });
});

describe('what is written of a parcel before it is reported', () => {
  const fulfilments = [known('f', [], { 1: 1 }), known('g', ['RM9'], { 1: 1 })];
  test('has each number that it is reported under, and what of others has none', () => {
    const made = { z: ['y'] };
    const before = { made, begun: { a: { numbers: ['RM1'], others: [] }, z: { numbers: ['RM7'], others: [] } } };
    const parcels = [parcel('a', 'RM2', ['1', 1]), parcel('b', '', ['1', 1])];
    assert.deepEqual(begunWith(before, parcels, fulfilments), {
      ...{ a: { numbers: ['RM1', 'RM2'], others: [] }, z: { numbers: ['RM7'], others: [] } },
      b: { numbers: [''], others: ['f'] },
    });
  });
});

describe('what is sent of a parcel', () => {
  const line = (id: string, lineId: string, orderId: string, locationId: string, left: number): OpenLine => ({
    ...{ id, lineId: `gid://shopify/LineItem/${lineId}`, orderId, locationId, left },
  });

  test('is taken from each fulfilment order as far as it goes, and split by location', () => {
    const lines = [line('x', '1', 'o1', 'here', 1), line('y', '1', 'o2', 'here', 5), line('z', '2', 'o3', 'there', 1)];
    assert.deepEqual(orderPartsOf(parcel('a', 'RM1', ['1', 3], ['2', 1]), lines), [
      [
        { fulfillmentOrderId: 'o1', fulfillmentOrderLineItems: [{ id: 'x', quantity: 1 }] },
        { fulfillmentOrderId: 'o2', fulfillmentOrderLineItems: [{ id: 'y', quantity: 2 }] },
      ],
      [{ fulfillmentOrderId: 'o3', fulfillmentOrderLineItems: [{ id: 'z', quantity: 1 }] }],
    ]);
    assert.deepEqual(
      lines.map(({ left }) => left),
      [0, 3, 0],
    );
  });

  test('is nothing of what the shop has sent itself', () => {
    assert.deepEqual(orderPartsOf(parcel('a', 'RM1', ['1', 3]), [line('x', '1', 'o1', 'here', 0)]), []);
  });
});
