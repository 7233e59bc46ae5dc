import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { line, order, TEST_NOW, testBook, testCatalogue, testReference, to } from '../../test/harness/price-book.ts';
import { pence } from '../lib/money.ts';
import { setupKey } from './price-lines.ts';
import { type Quote, type QuoteInput, quote } from './quote.ts';
import { compileReference } from './reference.ts';
import { pickOffer } from './shipping.ts';

function priced(input: QuoteInput): Quote {
  const result = quote(testReference, input);
  assert.equal(result.kind, 'priced', JSON.stringify(result));
  if (result.kind !== 'priced') throw new Error('unreachable');
  return result;
}

function problemsOf(input: QuoteInput) {
  const result = quote(testReference, input);
  return result.kind === 'refused' ? result.problems : [];
}

const unitPrices = (lines: QuoteInput['lines'], different: Partial<QuoteInput> = {}) =>
  priced(order(lines, different)).lines.map(({ unitPricePence }) => unitPricePence);

describe('goods', () => {
  const cases: { title: string; lines: QuoteInput['lines']; units: number[] }[] = [
    { title: 'one piece costs the first break', lines: [line('TEE-WHT-M', 1)], units: [500] },
    { title: 'nine pieces are below the break at ten', lines: [line('TEE-WHT-M', 9)], units: [500] },
    { title: 'ten pieces reach the break', lines: [line('TEE-WHT-M', 10)], units: [450] },
    { title: 'ninety-nine stay in it', lines: [line('TEE-WHT-M', 99)], units: [450] },
    { title: 'a hundred reach the last', lines: [line('TEE-WHT-M', 100)], units: [400] },
    {
      title: 'sizes and colours of one base product count together',
      lines: [line('TEE-WHT-M', 4), line('TEE-WHT-2XL', 6)],
      units: [450, 550],
    },
    { title: 'other base products do not count', lines: [line('TEE-WHT-M', 9), line('MUG-WHT', 9)], units: [500, 250] },
    {
      title: 'the same SKU on two lines counts together',
      lines: [line('TEE-WHT-M', 5), line('TEE-WHT-M', 5)],
      units: [450, 450],
    },
    {
      title: '2XL and a dyed colour cost their surcharges on every break',
      lines: [line('TEE-BLK-M', 1), line('TEE-BLK-2XL', 9)],
      units: [470, 573],
    },
    { title: 'a print is added to the blank', lines: [line('TEE-WHT-M', 1, 'a front dtg')], units: [800] },
    { title: 'two areas cost two prints', lines: [line('TEE-WHT-M', 1, 'a front dtg', 'a back dtg')], units: [1_100] },
    {
      title: 'ten of one design and area reach the print break, over lines and products',
      lines: [line('TEE-WHT-M', 9, 'a front dtg'), line('MUG-WHT', 1, 'a front dtg')],
      units: [750, 500],
    },
    {
      title: 'the same design on another area counts apart',
      lines: [line('TEE-WHT-M', 5, 'a front dtg'), line('TEE-WHT-M', 4, 'a back dtg')],
      units: [800, 800],
    },
    {
      title: 'another design counts apart',
      lines: [line('TEE-WHT-M', 5, 'a front dtg'), line('TEE-WHT-M', 5, 'b front dtg')],
      units: [750, 750],
    },
    { title: 'a deliberately blank garment costs the blank', lines: [line('TEE-WHT-M', 1)], units: [500] },
    {
      title: 'a product’s own print price wins over its size class',
      lines: [line('POSTER-WHT', 1, 'a front dtg')],
      units: [101],
    },
  ];
  for (const { title, lines, units } of cases) test(title, () => assert.deepEqual(unitPrices(lines), units));

  test('a sample order pays quantity-one prices however many it takes', () => {
    assert.deepEqual(unitPrices([line('TEE-WHT-M', 200, 'a front dtg')], { orderType: 'sample' }), [800]);
  });

  test('a line price is the unit price times the quantity, and the lines sum to the subtotal', () => {
    const { lines, subtotalPence } = priced(order([line('TEE-WHT-M', 10, 'a front dtg'), line('MUG-WHT', 3)]));
    assert.deepEqual(
      lines.map(({ linePricePence }) => linePricePence),
      [7_000, 750],
    );
    assert.equal(subtotalPence, 7_750);
    assert.deepEqual(lines[0]?.printJobs, [{ printArea: 'front', method: 'dtg', designKey: 'a', unitPence: 250 }]);
  });
});

describe('setup fees', () => {
  test('4.4.4 are charged once for a design and method, however many lines and areas use it', () => {
    const quoted = priced(
      order([line('TEE-WHT-M', 1, 'a front embroidery'), line('BABY-WHT', 2, 'a front embroidery')]),
    );
    assert.equal(quoted.setupPence, 1_500);
    assert.deepEqual(quoted.setups, [
      {
        designHash: 'a',
        method: 'embroidery',
        pence: 1_500,
        vatClass: 'standard',
        lineIndexes: [0, 1],
        printAreas: ['front'],
      },
    ]);
  });

  test('are charged for each design', () => {
    assert.equal(
      priced(order([line('TEE-WHT-M', 1, 'a front embroidery'), line('TEE-WHT-M', 1, 'b front embroidery')]))
        .setupPence,
      3_000,
    );
  });

  test('are not charged for what the account has paid before', () => {
    const ownedSetups = new Set([setupKey('a', 'embroidery')]);
    const quoted = priced(order([line('TEE-WHT-M', 1, 'a front embroidery')], { ownedSetups }));
    assert.deepEqual([quoted.setupPence, quoted.setups], [0, []]);
    assert.deepEqual(quoted.ownedSetups, [
      { designHash: 'a', method: 'embroidery', lineIndexes: [0], printAreas: ['front'] },
    ]);
  });

  test('are not charged for a method without one, nor for a personalised piece', () => {
    assert.equal(
      priced(order([line('TEE-WHT-M', 1, 'a front dtg'), line('TEE-WHT-M', 1, 'my1 front embroidery')])).setupPence,
      0,
    );
  });

  test('are charged on a sample order too', () => {
    assert.equal(
      priced(order([line('TEE-WHT-M', 1, 'a front embroidery')], { orderType: 'sample' })).setupPence,
      1_500,
    );
  });
});

describe('VAT by class and territory (D66, 2.1 vat_amount)', () => {
  // One tee at 5.00 or one bodysuit at 4.00, and the cheapest tracked service to each place.
  const places: [string, string, string, number, number][] = [
    ['gb', 'GB', 'EC1A 1BB', 160, 300],
    ['ni', 'GB', 'BT1 5GS', 190, 450],
    ['im', 'IM', 'IM1 1AA', 220, 600],
    ['im', 'GB', 'IM1 1AA', 220, 600],
    ['je', 'JE', 'JE2 3AB', 0, 550],
    ['je', 'GB', 'JE2 3AB', 0, 550],
    ['gg', 'GB', 'gy11wr', 0, 550],
    ['eu', 'FR', '75001', 0, 1_000],
    ['eu_outlying', 'ES', '35001', 0, 1_200],
    ['rest', 'US', '10001', 0, 1_500],
  ];
  for (const [territory, country, postcode, vatPence, shippingPence] of places) {
    test(`${territory}, written ${country} ${postcode}: standard goods ${vatPence} pence, young children’s clothing none`, () => {
      const standard = priced(order([line('TEE-WHT-M', 1)], { destination: to(country, postcode) }));
      assert.deepEqual(
        [standard.territory, standard.vatPence, standard.shippingPence],
        [territory, vatPence, shippingPence],
      );
      const baby = priced(order([line('BABY-WHT', 1)], { destination: to(country, postcode) }));
      assert.deepEqual([baby.vatPence, baby.vatBreakdown.map((row) => row.rateBasisPoints)], [0, [0]]);
    });
  }

  test('shipping follows the goods: apportioned over mixed classes, exact to the penny', () => {
    // 5.00 standard and 4.00 + 4.00 zero share 3.00 of shipping as 1.15 and 1.85; 20 % of 6.15 is 1.23.
    const quoted = priced(order([line('TEE-WHT-M', 1), line('BABY-WHT', 2)]));
    assert.deepEqual(quoted.vatBreakdown, [
      { rateBasisPoints: 2_000, netPence: 615, vatPence: 123 },
      { rateBasisPoints: 0, netPence: 985, vatPence: 0 },
    ]);
    assert.equal(quoted.totalPence, 500 + 800 + 300 + 123);
  });

  test('a setup fee is taxed with the goods it is for: zero for bodysuits alone, standard when a tee shares it', () => {
    const baby = priced(order([line('BABY-WHT', 1, 'a front embroidery')]));
    assert.deepEqual([baby.setupPence, baby.vatPence], [1_500, 0]);
    const shared = priced(
      order([line('BABY-WHT', 1, 'a front embroidery'), line('TEE-WHT-M', 1, 'a front embroidery')]),
    );
    // Standard: 11.00 + 15.00 of 36.00, so 2.17 of 3.00 shipping; 20 % of 28.17 is 5.634.
    assert.deepEqual(shared.vatBreakdown[0], { rateBasisPoints: 2_000, netPence: 2_817, vatPence: 563 });
  });

  test('a half penny of VAT is rounded up, once a rate and not once a line', () => {
    // Two posters at 1.01 and 3.00 shipping: 5.02 at 25 % are 1.255.
    const rates = testBook.vat_rates.map((rate) => ({ ...rate, rate_bp: rate.rate_bp === 0 ? 0 : 2_500 }));
    const reference = compileReference(testCatalogue, [{ ...testBook, vat_rates: rates }]);
    const result = quote(reference, order([line('POSTER-WHT', 1), line('POSTER-WHT', 1)]));
    assert.equal(result.kind === 'priced' && result.vatPence, 126);
  });
});

describe('a seller who is not registered for VAT charges none', () => {
  const lines = [line('TEE-WHT-M', 1, 'a front embroidery'), line('BABY-WHT', 2)];
  const day = { day: '2026-11-21', from: TEST_NOW };

  test('one row at no rate for goods, setups and shipping, with the reason; nothing else changes', () => {
    const registered = priced(order(lines));
    const unregistered = priced(order(lines, { vatRegistration: 'no' }));
    const netPence = registered.subtotalPence + registered.setupPence + registered.shippingPence;
    assert.ok(registered.vatPence > 0);
    assert.deepEqual(
      unregistered.vatBreakdown.map(({ note, ...row }) => [row, note?.includes('not registered')]),
      [[{ rateBasisPoints: 0, netPence, vatPence: 0, unregistered: true }, true]],
    );
    assert.deepEqual([unregistered.vatPence, unregistered.totalPence], [0, netPence]);
    assert.deepEqual(unregistered.lines, registered.lines);
  });

  test('before its day, and not from its first millisecond on', () => {
    const before = priced(order(lines, { vatRegistration: day, now: new Date(TEST_NOW.getTime() - 1) }));
    assert.equal(before.vatPence, 0);
    const after = priced(order(lines, { vatRegistration: day }));
    assert.deepEqual(after.vatBreakdown, priced(order(lines)).vatBreakdown);
    assert.deepEqual(priced(order(lines, { vatRegistration: undefined })).vatBreakdown, after.vatBreakdown);
  });

  test('abroad neither, whatever the customer is for VAT; duty stays', () => {
    for (const vatStatus of ['standard', 'reverse_charge_eu'] as const) {
      const destination = to('US', '10001');
      const abroad = priced(order(lines, { vatRegistration: 'no', vatStatus, destination }));
      assert.deepEqual(
        abroad.vatBreakdown.map(({ unregistered }) => unregistered),
        [true],
      );
      assert.equal(abroad.dutyPence, priced(order(lines, { vatStatus, destination })).dutyPence);
    }
  });
});

describe('shipping', () => {
  test('the cheapest tracked service is the default, and the others are listed cheapest first', () => {
    const quoted = priced(order([line('TEE-WHT-M', 1)]));
    assert.equal(quoted.shipping.service, 'Tracked');
    assert.deepEqual(
      quoted.shippingOptions.map(({ service, pence: price }) => [service, price]),
      [
        ['Letter', 100],
        ['Express', 700],
      ],
    );
  });

  test('without a tracked service the cheapest is the default', () => {
    assert.equal(priced(order([line('TEE-WHT-M', 1)], { destination: to('ES', '38001') })).shipping.service, 'Economy');
  });

  test('a service can be picked by its name', () => {
    const quoted = priced(order([line('TEE-WHT-M', 1)], { shippingService: 'Letter' }));
    assert.deepEqual([quoted.shipping.service, quoted.shippingPence, quoted.vatPence], ['Letter', 100, 120]);
  });

  test('a service can be picked by its id, of the services of the destination alone', () => {
    const chosen = priced(order([line('TEE-WHT-M', 1)], { shippingService: 'Letter' })).shipping;
    const quoted = priced(order([line('TEE-WHT-M', 1)], { shippingService: chosen.id }));
    assert.deepEqual(quoted.shipping, chosen);
    const [problem] = problemsOf(
      order([line('TEE-WHT-M', 1)], { shippingService: chosen.id, destination: to('FR', '75001') }),
    );
    assert.equal(problem?.code, 'unknown_shipping_service');
  });

  test('a text that is the name of one service and the id of another picks by the name', () => {
    const quoted = priced(order([line('TEE-WHT-M', 1)], { shippingService: 'Tracked' }));
    const offers = [{ ...quoted.shipping, id: 'Letter' }, ...quoted.shippingOptions];
    assert.equal(pickOffer(offers, 'Letter')?.service, 'Letter');
  });

  test('an unknown service is refused with those of the destination', () => {
    const [problem] = problemsOf(order([line('TEE-WHT-M', 1)], { shippingService: 'Pigeon' }));
    assert.deepEqual(
      [problem?.path, problem?.code, problem?.valid_values],
      ['shipping_service', 'unknown_shipping_service', ['Letter', 'Tracked', 'Express']],
    );
  });

  test('a service that cannot carry a box is not offered for a mug, and is refused when picked', () => {
    const [problem] = problemsOf(order([line('MUG-WHT', 1)], { shippingService: 'Letter' }));
    assert.deepEqual(problem?.valid_values, ['Tracked', 'Express']);
  });

  test('a country without a zone is refused at the country', () => {
    const [problem] = problemsOf(order([line('TEE-WHT-M', 1)], { destination: to('RU', '101000') }));
    assert.deepEqual([problem?.path, problem?.code], ['shipping_address.country_code', 'not_served']);
  });

  test('a service is refused beside what has no price, so that both are mended at once', () => {
    const problems = problemsOf(order([line('TEE-WHT-M', 1), line('NOSUCH', 1)], { shippingService: 'Pigeon' }));
    assert.deepEqual(
      problems.map(({ code }) => code),
      ['not_priced', 'unknown_shipping_service'],
    );
  });

  test('one line without a price refuses the whole basket, although all else of it could be sent', () => {
    const problems = problemsOf(order([line('TEE-WHT-M', 1), line('NOT-PRICED', 1)]));
    assert.deepEqual(
      problems.map(({ path, code }) => [path, code]),
      [['items[1].variant_sku', 'not_priced']],
    );
  });

  test('what the price book does not price is refused, together with the address', () => {
    const lines = [line('TEE-WHT-M', 1, 'a sleeve dtg'), line('NOSUCH', 1)];
    const problems = problemsOf(order(lines, { destination: to('RU', '1') }));
    assert.deepEqual(
      problems.map(({ path, code }) => [path, code]),
      [
        ['items[0]', 'not_priced'],
        ['items[1].variant_sku', 'not_priced'],
        ['shipping_address.country_code', 'not_served'],
      ],
    );
  });
});

describe('duty', () => {
  const cases: { title: string; lines: QuoteInput['lines']; country: string; dutyPence: number }[] = [
    // EU up to 130.00: 2.60 for each of the HS groups 6109, 6912.
    {
      title: 'a low-value parcel to the EU pays for each HS group',
      lines: [line('TEE-WHT-M', 2), line('TEE-BLK-M', 1), line('MUG-WHT', 1)],
      country: 'DE',
      dutyPence: 520,
    },
    // 29 mugs at 2.50 and 14 tees at 4.50 are 135.50: 12 % of 63.00 and 4 % of 72.50.
    {
      title: 'above the threshold each kind of goods pays its own rate',
      lines: [line('TEE-WHT-M', 14), line('MUG-WHT', 29)],
      country: 'DE',
      dutyPence: 756 + 290,
    },
    // 26 × 5.00 are exactly 130.00.
    {
      title: 'the upper end of a value band belongs to it',
      lines: [line('MUG-WHT', 52)],
      country: 'DE',
      dutyPence: 260,
    },
    {
      title: 'a penny above it does not',
      lines: [line('MUG-WHT', 52), line('POSTER-WHT', 1)],
      country: 'DE',
      dutyPence: 524,
    },
    // 35 % of 5.00; the rule of the Bangladeshi tee asks nothing for the parcel.
    {
      title: 'the rule for an origin wins over that for the goods',
      lines: [line('TEE-WHT-M', 1)],
      country: 'US',
      dutyPence: 175,
    },
    // 35 % of 5.00, 26.5 % of 4.00, and the dearest parcel charge once for the one parcel.
    {
      title: 'parcel charges are taken once a parcel',
      lines: [line('TEE-WHT-M', 1), line('BABY-WHT', 1)],
      country: 'US',
      dutyPence: 175 + 106 + 150,
    },
    // 10 mugs: 3,000 g in parcels of 1,900 g: two of them; 10 % of 25.00.
    { title: 'and for each parcel', lines: [line('MUG-WHT', 10)], country: 'US', dutyPence: 250 + 240 },
    // 5.00 + 6.00 of tee with 15.00 of setup: 35 % of 26.00.
    {
      title: 'a setup fee is part of the declared value',
      lines: [line('TEE-WHT-M', 1, 'a front embroidery')],
      country: 'US',
      dutyPence: 910,
    },
    { title: 'inside the country there is none', lines: [line('TEE-WHT-M', 50)], country: 'GB', dutyPence: 0 },
  ];
  for (const { title, lines, country, dutyPence } of cases) {
    test(title, () => assert.equal(priced(order(lines, { destination: to(country, '10001') })).dutyPence, dutyPence));
  }

  describe('what the consumer paid for a piece is its value', () => {
    const at = (pounds: number, one: QuoteInput['lines'][number]): QuoteInput['lines'][number] => ({
      ...one,
      declaredUnitPence: pence(pounds * 100),
    });
    const declared: { title: string; lines: QuoteInput['lines']; country: string; dutyPence: number }[] = [
      // 35 % of 20.00, not of 5.00.
      { title: 'above what was charged', lines: [at(20, line('TEE-WHT-M', 1))], country: 'US', dutyPence: 700 },
      { title: 'below it', lines: [at(2, line('TEE-WHT-M', 1))], country: 'US', dutyPence: 70 },
      // 35 % of 3 × 20.00.
      { title: 'of each piece', lines: [at(20, line('TEE-WHT-M', 3))], country: 'US', dutyPence: 2_100 },
      // 35 % of 20.00 and of 5.00 that was charged.
      {
        title: 'of its own line alone',
        lines: [at(20, line('TEE-WHT-M', 1)), line('TEE-WHT-M', 1)],
        country: 'US',
        dutyPence: 875,
      },
      // 35 % of 20.00: the setup of 15.00 is part of what the consumer paid.
      {
        title: 'and setups are part of it',
        lines: [at(20, line('TEE-WHT-M', 1, 'a front embroidery'))],
        country: 'US',
        dutyPence: 700,
      },
      // 35 % of 20.00, of 11.00, and of half of the setup of 15.00 that both lines use.
      {
        title: 'but not of another line, which is declared with its own share',
        lines: [at(20, line('TEE-WHT-M', 1, 'a front embroidery')), line('TEE-WHT-M', 1, 'a front embroidery')],
        country: 'US',
        dutyPence: 1_348,
      },
      // A mug at 131.00 is above the band in which it pays 2.60: 4 % of it.
      { title: 'and decides the value band', lines: [at(131, line('MUG-WHT', 1))], country: 'DE', dutyPence: 524 },
    ];
    for (const { title, lines, country, dutyPence } of declared) {
      test(title, () => {
        const destination = to(country, '10001');
        const quoted = priced(order(lines, { destination }));
        const plain = priced(
          order(
            lines.map(({ declaredUnitPence: _value, ...one }) => one),
            { destination },
          ),
        );
        assert.equal(quoted.dutyPence, dutyPence);
        assert.equal(quoted.totalPence - quoted.dutyPence, plain.totalPence - plain.dutyPence);
      });
    }
  });

  test('a rule holds from its first day', () => {
    const lines = [line('TEE-WHT-M', 1)];
    const destination = to('DE', '10115');
    assert.equal(priced(order(lines, { destination, now: new Date('2026-06-30T23:59:59.999Z') })).dutyPence, 0);
    assert.equal(priced(order(lines, { destination, now: new Date('2026-07-01T00:00:00.000Z') })).dutyPence, 260);
  });

  test('where the recipient pays, nothing is charged and the order says so', () => {
    const quoted = priced(order([line('TEE-WHT-M', 1)], { destination: to('CH', '8001', { phone: '+41 1' }) }));
    assert.equal(quoted.dutyPence, 0);
    assert.deepEqual(
      quoted.warnings.map(({ code, path }) => [code, path]),
      [['duties_on_delivery', 'shipping_address.country_code']],
    );
  });
});

describe('warnings', () => {
  const cases: [string, QuoteInput['destination'], string[]][] = [
    ['none at home', to(), []],
    ['none in Northern Ireland', to('GB', 'BT1 5GS'), []],
    ['no phone abroad', to('FR', '75001'), ['phone_recommended']],
    ['nothing missing', to('US', '10001', { county: 'NY', phone: '+1 212' }), []],
    ['neither state nor phone', to('US', '10001'), ['state_missing', 'phone_recommended']],
    ['a blank state', to('AU', '2000', { county: '  ', phone: '1' }), ['duties_on_delivery', 'state_missing']],
    ['a postcode of another country', to('GB', '75001'), ['postcode_unrecognised']],
    ['a postcode without its space', to('GB', 'je23ab', { phone: '1' }), ['duties_on_delivery']],
    ['Jersey written as GB', to('GB', 'JE2 3AB', { phone: '1' }), ['duties_on_delivery']],
  ];
  for (const [title, destination, codes] of cases) {
    test(`${title}: ${codes.join(', ') || 'no warning'}`, () => {
      const { warnings } = priced(order([line('TEE-WHT-M', 1)], { destination }));
      assert.deepEqual(
        warnings.map(({ code }) => code),
        codes,
      );
    });
  }
});

describe('price books', () => {
  const dearer = {
    ...testBook,
    valid_from: '2026-09-01T00:00:00.000Z',
    blanks: testBook.blanks.map((blank) => ({ ...blank, breaks: [{ from_quantity: 1, unit_pence: 999 }] })),
  };
  const reference = compileReference(testCatalogue, [testBook, dearer]);
  const unitAt = (now: string) => {
    const result = quote(reference, order([line('TEE-WHT-M', 1)], { now: new Date(now) }));
    return result.kind === 'priced' ? result.lines[0]?.unitPricePence : undefined;
  };

  test('a new book holds from its date, the old one until then', () => {
    assert.equal(unitAt('2026-08-31T23:59:59.999Z'), 500);
    assert.equal(unitAt('2026-09-01T00:00:00.000Z'), 999);
  });

  test('before the first book there are no prices, which is an operator’s fault and not a caller’s', () => {
    assert.throws(() => unitAt('2025-12-31T00:00:00.000Z'), /no price book is valid/);
  });
});

test('10,000 of the dearest on 1,000 lines are exact to the penny', () => {
  const top = [{ from_quantity: 1, unit_pence: 100_000 }];
  const book = {
    ...testBook,
    blanks: testBook.blanks.map((blank) => ({ ...blank, breaks: top })),
    prints: testBook.prints.map((print) => ({ ...print, breaks: top })),
  };
  const reference = compileReference(testCatalogue, [book]);
  const lines = Array.from({ length: 1_000 }, () => line('TEE-WHT-M', 10_000, 'a front dtg', 'a back dtg'));
  const result = quote(reference, order(lines));
  assert.ok(result.kind === 'priced');
  // 10 million pieces at 3,000.00; 10^9 g in parcels of 9,980 g: 100,200 full ones and 4,000 g more.
  assert.equal(result.subtotalPence, 3_000_000_000_000);
  assert.equal(result.shippingPence, 100_200 * 500 + 500);
  assert.equal(result.vatPence, (3_000_000_000_000 + 50_100_500) / 5);
  assert.equal(result.totalPence, result.subtotalPence + result.shippingPence + result.vatPence);
});

describe('for any basket', () => {
  const skus = testCatalogue.base_products.flatMap(({ variants }) => variants.map(({ sku }) => sku));
  const anyLine = fc
    .record({
      sku: fc.constantFrom(...skus),
      quantity: fc.integer({ min: 1, max: 10_000 }),
      design: fc.constantFrom('a', 'b', 'c', 'my1'),
      method: fc.constantFrom('', 'dtg', 'embroidery'),
    })
    .map(({ sku, quantity, design, method }) => {
      const canStitch = /^(TEE|BABY)/.test(sku);
      if (method === '' || (method === 'embroidery' && !canStitch)) return line(sku, quantity);
      return line(sku, quantity, `${design} front ${method}`);
    });
  const anyDestination = fc.constantFrom(
    to(),
    to('GB', 'BT1 5GS'),
    to('GB', 'IV1 1AA'),
    to('GB', 'JE2 3AB'),
    to('DE', '10115'),
    to('ES', '35001'),
    to('US', '10001'),
    to('CH', '8001'),
  );
  const anyOrder = fc
    .record({
      lines: fc.array(anyLine, { minLength: 1, maxLength: 12 }),
      destination: anyDestination,
      orderType: fc.constantFrom('sample' as const, 'bulk' as const),
      owned: fc.boolean(),
    })
    .map(({ lines, destination, orderType, owned }) =>
      order(lines, { destination, orderType, ownedSetups: new Set(owned ? [setupKey('a', 'embroidery')] : []) }),
    );
  const sum = (values: readonly number[]) => pence(values.reduce((total, value) => total + value, 0));

  test('the total is the sum of its parts, and every part the sum of its own', () => {
    fc.assert(
      fc.property(anyOrder, (input) => {
        const quoted = priced(input);
        const { subtotalPence, setupPence, shippingPence, vatPence, dutyPence } = quoted;
        assert.equal(quoted.totalPence, sum([subtotalPence, setupPence, shippingPence, vatPence, dutyPence]));
        assert.equal(subtotalPence, sum(quoted.lines.map((entry) => entry.unitPricePence * entry.quantity)));
        assert.equal(setupPence, sum(quoted.setups.map((entry) => entry.pence)));
        assert.equal(vatPence, sum(quoted.vatBreakdown.map((row) => row.vatPence)));
        assert.equal(sum(quoted.vatBreakdown.map((row) => row.netPence)), subtotalPence + setupPence + shippingPence);
      }),
      { numRuns: 300 },
    );
  });

  test('the same order costs the same again, and in any order of its lines', () => {
    fc.assert(
      fc.property(anyOrder, (input) => {
        const first = priced(input);
        assert.deepEqual(priced(input), first);
        const turned = priced({ ...input, lines: input.lines.toReversed() });
        assert.deepEqual(turned.lines, first.lines.toReversed());
        assert.deepEqual(
          [turned.totalPence, turned.dutyPence, turned.vatBreakdown],
          [first.totalPence, first.dutyPence, first.vatBreakdown],
        );
      }),
      { numRuns: 300 },
    );
  });

  test('more pieces never cost more each, and a sample never less than bulk', () => {
    fc.assert(
      fc.property(anyOrder, fc.integer({ min: 1, max: 500 }), (input, more) => {
        const unit = (lines: QuoteInput['lines'], orderType = input.orderType) =>
          priced({ ...input, lines, orderType }).lines.map(({ unitPricePence }) => unitPricePence);
        const grown = input.lines.map((entry) => ({ ...entry, quantity: entry.quantity + more }));
        const before = unit(input.lines);
        assert.ok(unit(grown).every((price, index) => price <= (before[index] ?? 0)));
        const bulk = unit(input.lines, 'bulk');
        assert.ok(unit(input.lines, 'sample').every((price, index) => price >= (bulk[index] ?? 0)));
      }),
      { numRuns: 150 },
    );
  });
});
