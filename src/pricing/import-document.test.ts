import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { line, order, testBook, testCatalogue, to } from '../../test/harness/price-book.ts';
import { readImportDocument } from './import-document.ts';
import type { PriceBook } from './price-book.ts';
import { quote } from './quote.ts';
import { compileReference } from './reference.ts';

const document = () => structuredClone({ ...testCatalogue, price_book: testBook });
type Document = ReturnType<typeof document>;

/** `path code` of every problem of the test file after a change. */
function problemsAfter(change: (file: Document) => unknown): string[] {
  const file = document();
  change(file);
  const read = readImportDocument(JSON.parse(JSON.stringify(file)));
  return read.kind === 'refused' ? read.problems.map(({ path, code }) => `${path} ${code}`) : [];
}

/** The entry of a list of the file that a case changes; a wrong index is a wrong test. */
function at<Entry>(list: readonly Entry[], index: number): Entry {
  const entry = list[index];
  assert.ok(entry);
  return entry;
}

const product = (file: Document, index = 0) => at(file.base_products, index);
const service = (file: Document, index = 0) => at(file.price_book.shipping.services, index);
const rule = (file: Document, index: number) => at(file.price_book.duty_rules, index);

test('a sound file is read whole', () => {
  assert.deepEqual(
    problemsAfter(() => {}),
    [],
  );
});

describe('a file of the wrong shape is refused with the path of each problem', () => {
  const cases: [string, unknown, string[]][] = [
    ['not an object', 'text', [' type']],
    ['null', null, [' type']],
    ['empty', {}, ['methods required', 'base_products required', 'price_book required']],
    ['no price book', { ...testCatalogue, price_book: undefined }, ['price_book required']],
    ['a price book that is none', { ...testCatalogue, price_book: 3 }, ['price_book type']],
  ];
  for (const [title, value, problems] of cases) {
    test(title, () => {
      const read = readImportDocument(value === undefined ? value : JSON.parse(JSON.stringify(value)));
      assert.deepEqual(read.kind === 'refused' && read.problems.map(({ path, code }) => `${path} ${code}`), problems);
    });
  }

  test('problems of catalogue and price book are reported together', () => {
    const found = problemsAfter((file) => {
      Object.assign(at(product(file).variants, 2), { sku: 'a,b', colour_hex: 'red', weight_grams: 1.5 });
      Object.assign(at(product(file).print_areas, 1), { size_class: 'huge', dpi: '300' });
      Object.assign(at(file.price_book.blanks, 0), { master_skus: 'TEE' });
      Object.assign(at(at(file.price_book.blanks, 1).breaks, 0), { unit_pence: 2.5 });
    });
    assert.deepEqual(found.toSorted(), [
      'base_products[0].print_areas[1].dpi type',
      'base_products[0].print_areas[1].size_class unknown_value',
      'base_products[0].variants[2].colour_hex pattern',
      'base_products[0].variants[2].sku pattern',
      'base_products[0].variants[2].weight_grams type',
      'price_book.blanks[0].master_skus unknown_field',
      'price_book.blanks[1].breaks[0].unit_pence type',
    ]);
  });
});

describe('a catalogue without sense is refused', () => {
  const cases: [string, (file: Document) => unknown, string[]][] = [
    ['a method twice', (file) => file.methods.push({ method: 'dtg', title: 'x' }), ['methods[2].method duplicate']],
    [
      'an SKU twice in the file',
      (file) => (at(product(file, 1).variants, 0).sku = 'TEE-WHT-M'),
      ['base_products[1].variants[0].sku duplicate'],
    ],
    [
      'a colour and size twice',
      (file) => (at(product(file).variants, 1).colour = 'White'),
      ['base_products[0].variants[1] duplicate', 'base_products[0].variants[1].colour_hex colour_mismatch'],
    ],
    [
      'two hex values for one colour',
      (file) => (at(product(file).variants, 2).colour_hex = '#fffffe'),
      ['base_products[0].variants[2].colour_hex colour_mismatch'],
    ],
    [
      'a print area twice',
      (file) => (at(product(file).print_areas, 1).print_area = 'front'),
      ['base_products[0].print_areas[1].print_area duplicate'],
    ],
    [
      'a method that nobody offers',
      (file) => at(product(file).print_areas, 1).methods.push('laser'),
      ['base_products[0].print_areas[1].methods[1] unknown_method', 'price_book.prints not_priced'],
    ],
    [
      'a country that is none',
      (file) => (product(file).origin_country = 'UK'),
      ['base_products[0].origin_country unknown_country'],
    ],
    [
      'a template two pixels too wide',
      (file) => (at(product(file).print_areas, 0).width_px = 1_002),
      ['base_products[0].print_areas[0].width_px template_size'],
    ],
    [
      'a template of more pixels than artwork may have',
      (file) =>
        Object.assign(at(product(file).print_areas, 0), {
          dpi: 600,
          width_mm: 400,
          width_px: 9_449,
          height_mm: 400,
          height_px: 9_449,
        }),
      ['base_products[0].print_areas[0] template_size'],
    ],
  ];
  for (const [title, change, problems] of cases) test(title, () => assert.deepEqual(problemsAfter(change), problems));

  test('a template may be one pixel off, which is rounding', () => {
    assert.deepEqual(
      problemsAfter((file) => (at(product(file).print_areas, 0).width_px = 1_001)),
      [],
    );
  });
});

describe('a price book without sense is refused', () => {
  const book = (change: (prices: PriceBook) => unknown) => (file: Document) => change(file.price_book);
  const cases: [string, (file: Document) => unknown, string[]][] = [
    [
      'a date that does not exist',
      book((prices) => (prices.valid_from = '2026-02-31T00:00:00.000Z')),
      ['valid_from instant'],
    ],
    ['a base product without a blank price', book((prices) => prices.blanks.pop()), ['blanks not_priced']],
    [
      'a base product with two',
      book((prices) => prices.blanks.push(at(prices.blanks, 1))),
      ['blanks[4].master_sku duplicate'],
    ],
    [
      'a blank price for nothing',
      book((prices) => prices.blanks.push({ ...at(prices.blanks, 1), master_sku: 'HAT' })),
      ['blanks[4].master_sku unknown_base_product'],
    ],
    [
      'breaks that begin above one',
      book((prices) => (at(at(prices.blanks, 1).breaks, 0).from_quantity = 2)),
      ['blanks[1].breaks[0].from_quantity breaks'],
    ],
    [
      'breaks that do not ascend',
      book((prices) => (at(at(prices.blanks, 0).breaks, 2).from_quantity = 10)),
      ['blanks[0].breaks[2].from_quantity breaks'],
    ],
    [
      'a break that is dearer than the one before',
      book((prices) => (at(at(prices.prints, 0).breaks, 1).unit_pence = 301)),
      ['prints[0].breaks[1].unit_pence breaks'],
    ],
    [
      'a surcharge for a size that there is not',
      book((prices) => (at(at(prices.blanks, 0).surcharges, 0).sizes = ['XXL'])),
      ['blanks[0].surcharges[0].sizes[0] unknown_value'],
    ],
    [
      'a surcharge for nothing in particular',
      book((prices) => at(prices.blanks, 0).surcharges.push({ unit_pence: 1 })),
      ['blanks[0].surcharges[3] required'],
    ],
    [
      'an area and method without a price',
      book((prices) => prices.prints.pop()),
      ['prints not_priced', 'prints not_priced'],
    ],
    ['a print price twice', book((prices) => prices.prints.push(at(prices.prints, 0))), ['prints[3] duplicate']],
    [
      'a print price for both an area and a size class',
      book((prices) => (at(prices.prints, 1).size_class = 'standard')),
      ['prints[1] required'],
    ],
    [
      'a print price for neither',
      book((prices) => prices.prints.push({ method: 'dtg', breaks: at(prices.prints, 0).breaks })),
      ['prints[3] required'],
    ],
    [
      'a print price for unknown things',
      book((prices) =>
        prices.prints.push({
          method: 'laser',
          print_area: 'hem',
          master_sku: 'HAT',
          breaks: at(prices.prints, 0).breaks,
        }),
      ),
      [
        'prints[3].method unknown_method',
        'prints[3].master_sku unknown_base_product',
        'prints[3].print_area unknown_print_area',
      ],
    ],
    ['a setup fee twice', book((prices) => prices.setups.push(at(prices.setups, 0))), ['setups[1].method duplicate']],
    [
      'a VAT rate that is missing',
      book((prices) => at(prices.vat_rates, 0).territories.pop()),
      ['vat_rates missing_rate', 'vat_rates missing_rate'],
    ],
    [
      'a VAT rate twice',
      book((prices) => at(prices.vat_rates, 1).vat_classes.push('standard')),
      Array.from({ length: 6 }, () => 'vat_rates[1] duplicate'),
    ],
    [
      'no zone for GB',
      book((prices) => (at(prices.shipping.zones, 0).country_codes = [])),
      ['shipping.zones zone_missing'],
    ],
    [
      'a place in two zones',
      book((prices) => at(prices.shipping.zones, 4).country_codes.push('GB')),
      ['shipping.zones[4].country_codes[3] duplicate'],
    ],
    [
      'a prefix in two zones',
      book((prices) => at(at(prices.shipping.zones, 2).postcodes ?? [], 0).prefixes.push('IV')),
      ['shipping.zones[2].postcodes[0].prefixes[1] duplicate'],
    ],
    [
      'a zone’s country that is none',
      book((prices) => at(prices.shipping.zones, 4).country_codes.push('EL')),
      ['shipping.zones[4].country_codes[3] unknown_country'],
    ],
    [
      'a zone that cannot send a box',
      book((prices) => prices.shipping.services.pop()),
      ['shipping.zones[6] no_service'],
    ],
    ['a service of no zone', (file) => (service(file, 2).zone = 'moon'), ['shipping.services[2].zone unknown_zone']],
    [
      'two services of one name',
      (file) => (service(file, 2).service = 'Tracked'),
      ['shipping.services[2].service duplicate'],
    ],
    [
      'a service that arrives before it leaves',
      (file) => (service(file).eta_days = { min: 3, max: 2 }),
      ['shipping.services[0].eta_days eta_days'],
    ],
    [
      'weight bands that do not ascend',
      (file) => (at(service(file, 1).weight_bands, 1).up_to_grams = 1_000),
      ['shipping.services[1].weight_bands[1] weight_bands'],
    ],
    [
      'a heavier band that is cheaper',
      (file) => (at(service(file, 1).weight_bands, 1).pence = 299),
      ['shipping.services[1].weight_bands[1] weight_bands'],
    ],
    [
      'packaging that fills the parcel',
      (file) => (file.price_book.shipping.packaging_grams.flat = 700),
      ['shipping.services[0].weight_bands weight_bands'],
    ],
    [
      'a border inside the country',
      (file) => (rule(file, 0).territory = 'ni'),
      ['duty_rules[0].territory no_border', 'duty_rules missing_rule'],
    ],
    [
      'the same duty rule twice',
      book((prices) => prices.duty_rules.push(at(prices.duty_rules, 3))),
      ['duty_rules[11] duplicate'],
    ],
    ['a duty band upside down', (file) => (rule(file, 5).declared_up_to_pence = 1), ['duty_rules[5] value_band']],
    ['a delivery unpaid that charges', (file) => (rule(file, 7).per_parcel_pence = 1), ['duty_rules[7] incoterm']],
    [
      'a territory without a rule for everything',
      (file) => (rule(file, 2).valid_from = '2026-01-02T00:00:00.000Z'),
      ['duty_rules missing_rule'],
    ],
  ];
  for (const [title, change, problems] of cases) {
    test(title, () => {
      const expected = problems.map((problem) => `price_book.${problem}`);
      assert.deepEqual(problemsAfter(change), expected);
    });
  }
});

describe('the demo’s file', () => {
  const demo: unknown = JSON.parse(readFileSync(new URL('../../data/demo/catalogue.json', import.meta.url), 'utf8'));
  const stock: unknown = JSON.parse(readFileSync(new URL('../../data/demo/stock.json', import.meta.url), 'utf8'));
  const read = readImportDocument(demo);

  test('is sound', () => assert.deepEqual(read.kind === 'refused' && read.problems, false));

  test('is a whole print shop: 8 or more products of 4 to 12 colours and 2 to 5 print areas', () => {
    assert.ok(read.kind === 'ok');
    const { base_products } = read.value.catalogue;
    assert.ok(base_products.length >= 8);
    for (const { master_sku, variants, print_areas } of base_products) {
      const colours = new Set(variants.map(({ colour }) => colour)).size;
      assert.ok(colours >= 4 && colours <= 12, `${master_sku}: ${colours} colours`);
      assert.ok(print_areas.length >= 2 && print_areas.length <= 5, `${master_sku}: ${print_areas.length} areas`);
    }
  });

  test('prices every variant with every area and method, to every zone that it has', () => {
    assert.ok(read.kind === 'ok');
    const { catalogue, priceBook } = read.value;
    const reference = compileReference(catalogue, [priceBook]);
    const places = priceBook.shipping.zones.flatMap(({ country_codes, postcodes }) => [
      ...country_codes.slice(0, 1).map((code) => to(code, '12345')),
      ...(postcodes ?? []).map(({ country_code, prefixes }) => to(country_code, `${prefixes[0]}1 1AA`)),
    ]);
    for (const { variants, print_areas } of catalogue.base_products) {
      const prints = print_areas.flatMap((area) => area.methods.map((method) => `a ${area.print_area} ${method}`));
      const lines = variants.flatMap(({ sku }) => prints.map((print) => line(sku, 1, print)));
      for (const destination of places) assert.equal(quote(reference, order(lines, { destination })).kind, 'priced');
    }
  });

  test('uses every method that it names', () => {
    assert.ok(read.kind === 'ok');
    const { methods, base_products } = read.value.catalogue;
    const used = new Set(base_products.flatMap(({ print_areas }) => print_areas.flatMap((area) => area.methods)));
    assert.deepEqual(
      methods.map(({ method }) => method).filter((method) => !used.has(method)),
      [],
    );
  });

  test('has stock for each SKU and for no other, one of them sold out and one nearly', () => {
    assert.ok(read.kind === 'ok' && Array.isArray(stock));
    const skus = read.value.catalogue.base_products.flatMap(({ variants }) => variants.map(({ sku }) => sku));
    const onHand = new Map(stock.map((entry: { sku: string; on_hand: number }) => [entry.sku, entry.on_hand]));
    assert.deepEqual([...onHand.keys()].toSorted(), skus.toSorted());
    assert.equal(onHand.get('TEE-CLASSIC-LIM-3XL'), 0);
    assert.equal(onHand.get('HOODIE-PULL-PUR-3XL'), 3);
  });
});
