import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { VatClass } from '../catalogue/document.ts';
import { type Pence, pence } from '../lib/money.ts';
import { basisPoints, setupVatClass, type VatTable, vatKey, vatOf } from './vat.ts';

/** VAT in `gb` with these rates for standard goods and for young children's clothing. */
function vat(rates: readonly [number, number], nets: readonly [VatClass, number][], shippingPence: number) {
  const table: VatTable = new Map([
    [vatKey('standard', 'gb', 'standard'), { rateBasisPoints: basisPoints(rates[0]), note: '' }],
    [vatKey('standard', 'gb', 'young_children_zero'), { rateBasisPoints: basisPoints(rates[1]), note: '' }],
  ]);
  const rows = vatOf(table, {
    status: 'standard',
    territory: 'gb',
    nets: new Map(nets.map(([vatClass, net]) => [vatClass, pence(net)])),
    shippingPence: pence(shippingPence),
  });
  return rows.map(({ rateBasisPoints, netPence, vatPence }) => [rateBasisPoints, netPence, vatPence]);
}

describe('VAT is rounded half up to the penny, once a rate (D54)', () => {
  const cases: { net: number; rate: number; vatPence: number }[] = [
    { net: 2, rate: 2_000, vatPence: 0 },
    { net: 3, rate: 2_000, vatPence: 1 },
    { net: 10, rate: 500, vatPence: 1 },
    { net: 9, rate: 500, vatPence: 0 },
    { net: 402, rate: 2_500, vatPence: 101 },
    { net: 1_070, rate: 2_500, vatPence: 268 },
    { net: 0, rate: 2_000, vatPence: 0 },
    { net: 3_000_000_000_001, rate: 2_000, vatPence: 600_000_000_000 },
    { net: 3_000_000_000_003, rate: 2_000, vatPence: 600_000_000_001 },
  ];
  for (const { net, rate, vatPence } of cases) {
    test(`${rate / 100} % of ${net} pence are ${vatPence}`, () => {
      assert.deepEqual(vat([rate, 0], [['standard', net]], 0), [[rate, net, vatPence]]);
    });
  }
});

describe('shipping is apportioned over the classes by net value', () => {
  const mixed = (standard: number, zero: number): [VatClass, number][] => [
    ['young_children_zero', zero],
    ['standard', standard],
  ];
  const cases: { title: string; nets: [VatClass, number][]; shipping: number; rows: number[][] }[] = [
    {
      title: 'half and half',
      nets: mixed(500, 500),
      shipping: 301,
      rows: [
        [2_000, 651, 130],
        [0, 650, 0],
      ],
    },
    {
      title: 'two thirds',
      nets: mixed(200, 100),
      shipping: 100,
      rows: [
        [2_000, 267, 53],
        [0, 133, 0],
      ],
    },
    { title: 'all to the only class', nets: [['young_children_zero', 900]], shipping: 300, rows: [[0, 1_200, 0]] },
    {
      title: 'goods given away: all to the standard class',
      nets: mixed(0, 0),
      shipping: 300,
      rows: [
        [2_000, 300, 60],
        [0, 0, 0],
      ],
    },
  ];
  for (const { title, nets, shipping, rows } of cases) {
    test(title, () => assert.deepEqual(vat([2_000, 0], nets, shipping), rows));
  }

  test('classes of one rate are one row', () => {
    assert.deepEqual(vat([0, 0], mixed(500, 400), 100), [[0, 1_000, 0]]);
  });
});

test('a combination without a rate is a fault of ours, never a rate of nothing', () => {
  const supply = {
    status: 'standard',
    territory: 'je',
    nets: new Map<VatClass, Pence>([['standard', pence(1)]]),
    shippingPence: pence(0),
  } as const;
  assert.throws(() => vatOf(new Map(), supply), /no VAT rate for standard:je:standard/);
});

test('a setup fee has the class of its goods, standard when they differ', () => {
  assert.equal(setupVatClass(new Set(['young_children_zero'])), 'young_children_zero');
  assert.equal(setupVatClass(new Set(['standard'])), 'standard');
  assert.equal(setupVatClass(new Set(['young_children_zero', 'standard'])), 'standard');
});
