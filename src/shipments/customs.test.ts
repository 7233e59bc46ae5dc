import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { BaseProductEntry } from '../catalogue/document.ts';
import { newId } from '../lib/ids.ts';
import { pence, timesQuantity } from '../lib/money.ts';
import { customsView } from '../orders/customs.ts';
import { type CustomsInput, declareParcel, type ValuedLine } from './customs.ts';

const TEE = { title: 'Tee', hs_code: '610910', origin_country: 'BD', material: 'Cotton', shipping_class: 'flat' };
const MUG = { title: 'Mug', hs_code: '691200', origin_country: 'CN', material: 'Ceramic', shipping_class: 'boxed' };
const SELLER = { name: 'Acme Tees', eori_number: 'GB123456789000', ioss_number: 'IM0360000001' };
const GRAMS: Readonly<Record<string, number>> = { TEE: 180, MUG: 340 };

function line(sku: string, quantity: number, unitPence: number, changes: Partial<ValuedLine> = {}): ValuedLine {
  const valuedUnitPence = pence(unitPence);
  return {
    id: newId(),
    sku,
    name: `My ${sku}`,
    quantity,
    shippedBefore: 0,
    valuedUnitPence,
    isDeclared: false,
    linePricePence: timesQuantity(valuedUnitPence, quantity),
    jobs: [],
    ...changes,
  };
}

function declare(lines: readonly ValuedLine[], quantities: readonly number[], changes: Partial<CustomsInput> = {}) {
  return declareParcel({
    place: { countryCode: 'US', postcode: '10001' },
    isDutyPaid: false,
    seller: SELLER,
    lines,
    setups: [],
    shipped: new Map(
      lines.flatMap(({ id }, index) => ((quantities[index] ?? 0) > 0 ? [[id, quantities[index] ?? 0]] : [])),
    ),
    packagingGrams: { flat: 20, boxed: 150, tube: 90 },
    blankOf: (sku) => {
      const entry = sku === 'TEE' ? TEE : sku === 'MUG' ? MUG : undefined;
      return entry && { entry: entry as BaseProductEntry, weightGrams: GRAMS[sku] ?? 0 };
    },
    ...changes,
  });
}

describe('which parcels are declared', () => {
  for (const [countryCode, postcode, isDeclared] of [
    ['GB', 'LS1 4DY', false],
    ['GB', 'BT1 1AA', false],
    ['IM', 'IM1 1AA', false],
    ['GB', 'IM1 1AA', false],
    ['GB', 'JE2 3AB', true],
    ['JE', 'JE2 3AB', true],
    ['GG', 'GY1 1AA', true],
    ['FR', '75001', true],
    ['IE', 'D02 X285', true],
    ['ES', '35001', true],
    ['US', '10001', true],
  ] as const) {
    test(`${countryCode} ${postcode}: ${isDeclared ? 'leaves' : 'stays in'} the customs territory`, () => {
      const declared = declare([line('TEE', 1, 1_000)], [1], { place: { countryCode, postcode } });
      assert.equal(declared !== null, isDeclared);
    });
  }
});

describe('the seller of record is the customer, with the number of the one-stop shop where it counts', () => {
  for (const [countryCode, postcode, ioss] of [
    ['FR', '75001', 'IM0360000001'],
    ['IE', 'D02 X285', 'IM0360000001'],
    ['ES', '35001', ''],
    ['US', '10001', ''],
    ['JE', 'JE2 3AB', ''],
  ] as const) {
    test(`${countryCode} ${postcode}: ${ioss === '' ? 'it is left out' : 'it is declared'}`, () => {
      const declared = declare([line('TEE', 1, 1_000)], [1], { place: { countryCode, postcode } });
      assert.deepEqual(declared?.seller, { ...SELLER, ioss_number: ioss });
    });
  }
});

test('a declaration has tariff code, origin, material, weight and what was charged, of the pieces of the parcel alone', () => {
  const lines = [line('TEE', 10, 1_234), line('MUG', 2, 899), line('TEE', 1, 5)];
  assert.deepEqual(declare(lines, [3, 2]), {
    incoterm: 'DAP',
    declared_pence: 3 * 1_234 + 2 * 899,
    net_weight_grams: 3 * 180 + 2 * 340,
    gross_weight_grams: 3 * 180 + 2 * 340 + 150,
    seller: { ...SELLER, ioss_number: '' },
    items: [
      {
        line_id: lines[0]?.id,
        sku: 'TEE',
        description: 'Tee',
        material: 'Cotton',
        hs_code: '610910',
        origin_country: 'BD',
        quantity: 3,
        value_pence: 3_702,
        weight_grams: 540,
      },
      {
        line_id: lines[1]?.id,
        sku: 'MUG',
        description: 'Mug',
        material: 'Ceramic',
        hs_code: '691200',
        origin_country: 'CN',
        quantity: 2,
        value_pence: 1_798,
        weight_grams: 680,
      },
    ],
  });
  assert.equal(declare(lines, [1], { isDutyPaid: true })?.incoterm, 'DDP');
});

test('setup fees are shared over the lines that they are for and over the parcels, and sum to the penny', () => {
  const jobs = [{ design_hash: 'aa', method: 'embroidery' }];
  const setups = [{ design_hash: 'aa', method: 'embroidery', amount_pence: 1_000 }];
  const lines = [line('TEE', 3, 1_000, { jobs }), line('MUG', 4, 500, { jobs }), line('TEE', 5, 700)];
  let declared = 0;
  const before = [0, 0, 0];
  for (const parcel of [
    [1, 0, 2],
    [1, 3, 0],
    [0, 1, 3],
    [1, 0, 0],
  ]) {
    const now = lines.map((one, index) => ({ ...one, shippedBefore: before[index] ?? 0 }));
    declared += declare(now, parcel, { setups })?.declared_pence ?? Number.NaN;
    parcel.forEach((quantity, index) => {
      before[index] = (before[index] ?? 0) + quantity;
    });
  }
  assert.equal(declared, 3 * 1_000 + 4 * 500 + 5 * 700 + 1_000);
});

test('pieces with a price that the consumer paid are declared at it, and setups are part of it', () => {
  const jobs = [{ design_hash: 'aa', method: 'embroidery' }];
  const setups = [{ design_hash: 'aa', method: 'embroidery', amount_pence: 1_000 }];
  const sold = line('TEE', 2, 1_000, { jobs, valuedUnitPence: pence(2_500), isDeclared: true });
  const plain = line('TEE', 2, 1_000, { jobs });
  const declared = declare([sold, plain], [1, 2], { setups });
  assert.deepEqual(
    declared?.items.map(({ value_pence: value }) => value),
    [2_500, 2_000 + 500],
  );
});

test('a setup whose pieces are of no line any more, or a variant that the catalogue has lost, stops no parcel', () => {
  const setups = [{ design_hash: 'gone', method: 'embroidery', amount_pence: 1_000 }];
  const declared = declare([line('LOST', 1, 900)], [1], { setups });
  assert.deepEqual(
    [
      declared?.declared_pence,
      declared?.items[0]?.description,
      declared?.items[0]?.hs_code,
      declared?.net_weight_grams,
    ],
    [900, 'My LOST', '', 0],
  );
});

describe('the form', () => {
  for (const [quantity, unitPence, form] of [
    [1, 27_000, 'CN22'],
    [1, 27_001, 'CN23'],
    [11, 100, 'CN22'],
    [12, 100, 'CN23'],
  ] as const) {
    test(`${quantity} tees at ${unitPence} pence take ${form}`, () => {
      const declared = declare([line('TEE', quantity, unitPence)], [quantity]);
      assert.equal(declared && customsView(declared).form, form);
    });
  }
});
