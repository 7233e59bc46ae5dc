import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ReportedParcel } from '../port.ts';
import { type OpenLine, orderPartsOf } from './parts.ts';
import { fulfilledBy, type KnownFulfilment } from './reported-parcels.ts';

const parcel = (id: string, number: string, ...items: [line: string, quantity: number][]): ReportedParcel => ({
  ...{ id, carrier: 'Royal Mail', number, url: null },
  items: items.map(([shopItemId, quantity]) => ({ shopItemId, title: 'Tee', quantity })),
});
const known = (id: string, numbers: string[], items?: Record<string, number>): KnownFulfilment => ({
  ...{ id, numbers },
  ...(items === undefined ? {} : { items: new Map(Object.entries(items)) }),
});

describe('which fulfilments a parcel was reported as', () => {
  const cases: [string, ReportedParcel[], KnownFulfilment[], Record<string, string[]>, Record<string, string[]>][] = [
    ['none yet', [parcel('a', 'RM1', ['1', 1])], [], {}, {}],
    ['as written', [parcel('a', 'RM2', ['1', 1])], [known('f', ['RM1'])], { a: ['f'] }, { a: ['f'] }],
    ['written, and cancelled in the shop', [parcel('a', 'RM1', ['1', 1])], [], { a: ['f'] }, {}],
    ['by its number', [parcel('a', 'RM1', ['1', 1])], [known('f', ['RM1'])], {}, { a: ['f'] }],
    [
      'of two with one number each its own',
      [parcel('a', 'RM1', ['1', 1]), parcel('b', 'RM1', ['1', 1])],
      [known('f', ['RM1']), known('g', ['RM1'])],
      {},
      { a: ['f'], b: ['g'] },
    ],
    [
      'what another has is no one else’s',
      [parcel('a', 'RM1', ['1', 1]), parcel('b', 'RM1', ['1', 1])],
      [known('f', ['RM1'])],
      { a: ['f'] },
      { a: ['f'] },
    ],
    ['without a number by its pieces', [parcel('a', '', ['1', 2])], [known('f', [], { 1: 2 })], {}, { a: ['f'] }],
    ['not by other pieces', [parcel('a', '', ['1', 2])], [known('f', [], { 1: 1 })], {}, {}],
    ['not by more pieces', [parcel('a', '', ['1', 2])], [known('f', [], { 1: 2, 2: 1 })], {}, {}],
    ['not by pieces with a number', [parcel('a', 'RM1', ['1', 2])], [known('f', [], { 1: 2 })], {}, {}],
  ];
  for (const [name, parcels, fulfilments, written, expected] of cases) {
    test(name, () => assert.deepEqual(Object.fromEntries(fulfilledBy(parcels, fulfilments, written)), expected));
  }
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
