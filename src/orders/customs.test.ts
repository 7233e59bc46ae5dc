import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId, publicId } from '../lib/ids.ts';
import { type CustomsDeclaration, customsView } from './customs.ts';

const declaration = (changes: Partial<CustomsDeclaration> = {}): CustomsDeclaration => ({
  incoterm: 'DDP',
  declared_pence: 1_598,
  net_weight_grams: 180,
  gross_weight_grams: 210,
  items: [],
  ...changes,
});

const FORMS: readonly (readonly [what: string, declaredPence: number, grossGrams: number, form: string])[] = [
  ['a tee', 1_598, 210, 'CN22'],
  ['exactly 270.00', 27_000, 210, 'CN22'],
  ['a penny more', 27_001, 210, 'CN23'],
  ['exactly 2 kg', 1_598, 2_000, 'CN22'],
  ['a gram more', 1_598, 2_001, 'CN23'],
  ['both at their limits', 27_000, 2_000, 'CN22'],
  ['both above', 27_001, 2_001, 'CN23'],
];
for (const [what, declared_pence, gross_weight_grams, form] of FORMS) {
  test(`a parcel takes the form ${form}: ${what}`, () => {
    assert.equal(customsView(declaration({ declared_pence, gross_weight_grams })).form, form);
  });
}

test('the net weight does not decide the form', () => {
  assert.equal(customsView(declaration({ net_weight_grams: 5_000, gross_weight_grams: 2_000 })).form, 'CN22');
});

test('what was declared is shown in pounds, with the public id of each line', () => {
  const line_id = newId();
  const item = {
    line_id,
    sku: 'TEE-WHT-M',
    description: 'T-shirt',
    material: 'cotton',
    hs_code: '61091000',
    origin_country: 'BD',
    quantity: 2,
    value_pence: 1_598,
    weight_grams: 180,
  };
  assert.deepEqual(customsView(declaration({ incoterm: 'DAP', items: [item] })), {
    form: 'CN22',
    incoterm: 'DAP',
    currency: 'GBP',
    declared_value: 15.98,
    net_weight_grams: 180,
    gross_weight_grams: 210,
    seller: null,
    items: [
      {
        line_id: publicId('line', line_id),
        variant_sku: 'TEE-WHT-M',
        description: 'T-shirt',
        material: 'cotton',
        hs_code: '61091000',
        origin_country: 'BD',
        quantity: 2,
        value: 15.98,
        weight_grams: 180,
      },
    ],
  });
});
