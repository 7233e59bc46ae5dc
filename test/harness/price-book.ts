import type { BaseProductEntry, CatalogueDocument } from '../../src/catalogue/document.ts';
import type { PriceBook } from '../../src/pricing/price-book.ts';
import type { QuoteInput } from '../../src/pricing/quote.ts';
import { compileReference } from '../../src/pricing/reference.ts';

/** A catalogue and a price book for tests, with round numbers that can be checked in the head. */

export const TEST_NOW = new Date('2026-08-01T12:00:00.000Z');
const FROM = '2026-01-01T00:00:00.000Z';

const area = (print_area: string, methods: string[]): BaseProductEntry['print_areas'][number] => ({
  print_area,
  title: print_area,
  methods,
  width_mm: 254,
  height_mm: 127,
  dpi: 100,
  width_px: 1_000,
  height_px: 500,
  format: 'png',
  size_class: 'standard',
});

const variant = (
  sku: string,
  colour: string,
  size: string,
  weight_grams: number,
  vat_class: 'standard' | 'young_children_zero' = 'standard',
): BaseProductEntry['variants'][number] => ({
  sku,
  colour,
  colour_hex: colour === 'Black' ? '#000000' : '#ffffff',
  size,
  weight_grams,
  vat_class,
});

const product = (
  head: Pick<BaseProductEntry, 'master_sku' | 'shipping_class' | 'hs_code' | 'origin_country'>,
  print_areas: BaseProductEntry['print_areas'],
  variants: BaseProductEntry['variants'],
): BaseProductEntry => ({ ...head, title: head.master_sku, description: '', material: 'test', print_areas, variants });

export const testCatalogue: CatalogueDocument = {
  methods: [
    { method: 'dtg', title: 'Direct to garment' },
    { method: 'embroidery', title: 'Embroidery' },
  ],
  base_products: [
    product(
      { master_sku: 'TEE', shipping_class: 'flat', hs_code: '61091000', origin_country: 'BD' },
      [area('front', ['dtg', 'embroidery']), area('back', ['dtg'])],
      [
        variant('TEE-WHT-M', 'White', 'M', 100),
        variant('TEE-BLK-M', 'Black', 'M', 100),
        variant('TEE-WHT-2XL', 'White', '2XL', 150),
        variant('TEE-BLK-2XL', 'Black', '2XL', 150),
      ],
    ),
    product(
      { master_sku: 'MUG', shipping_class: 'boxed', hs_code: '69120023', origin_country: 'CN' },
      [area('front', ['dtg'])],
      [variant('MUG-WHT', 'White', '11 oz', 300)],
    ),
    product(
      { master_sku: 'POSTER', shipping_class: 'tube', hs_code: '49119100', origin_country: 'GB' },
      [area('front', ['dtg'])],
      [variant('POSTER-WHT', 'White', 'A2', 50)],
    ),
    product(
      { master_sku: 'BABY', shipping_class: 'flat', hs_code: '61112090', origin_country: 'IN' },
      [area('front', ['dtg', 'embroidery'])],
      [variant('BABY-WHT', 'White', '0-3 months', 50, 'young_children_zero')],
    ),
  ],
  price_book: {},
};

const steps = (...pairs: [number, number][]) =>
  pairs.map(([from_quantity, unit_pence]) => ({ from_quantity, unit_pence }));

type Service = PriceBook['shipping']['services'][number];

const service = (
  zone: string,
  name: string,
  tracked: boolean,
  shipping_classes: Service['shipping_classes'],
  ...bands: [number, number][]
): Service => ({
  id: `${zone}_${name.toLowerCase()}`,
  zone,
  service: name,
  carrier: 'Test Post',
  tracked,
  eta_days: { min: 1, max: 3 },
  shipping_classes,
  weight_bands: bands.map(([up_to_grams, pence]) => ({ up_to_grams, pence })),
});

const every: Service['shipping_classes'] = ['flat', 'boxed', 'tube'];

const rule = (
  where: Partial<PriceBook['duty_rules'][number]> & Pick<PriceBook['duty_rules'][number], 'territory'>,
): PriceBook['duty_rules'][number] => ({
  ad_valorem_bp: 0,
  per_hs_group_pence: 0,
  per_parcel_pence: 0,
  incoterm: 'DDP',
  valid_from: FROM,
  ...where,
});

export const testBook: PriceBook = {
  valid_from: FROM,
  note: 'For tests.',
  blanks: [
    {
      master_sku: 'TEE',
      breaks: steps([1, 500], [10, 450], [100, 400]),
      surcharges: [
        { sizes: ['2XL'], unit_pence: 100 },
        { colours: ['Black'], unit_pence: 20 },
        { sizes: ['2XL'], colours: ['Black'], unit_pence: 3 },
      ],
    },
    { master_sku: 'MUG', breaks: steps([1, 250]), surcharges: [] },
    { master_sku: 'POSTER', breaks: steps([1, 101]), surcharges: [] },
    { master_sku: 'BABY', breaks: steps([1, 400]), surcharges: [] },
  ],
  prints: [
    { method: 'dtg', size_class: 'standard', breaks: steps([1, 300], [10, 250], [50, 200]) },
    { method: 'dtg', print_area: 'front', master_sku: 'POSTER', breaks: steps([1, 0]) },
    { method: 'embroidery', size_class: 'standard', breaks: steps([1, 600]) },
  ],
  setups: [{ method: 'embroidery', basis: 'design', pence: 1_500, included_units: 1 }],
  vat_rates: [
    {
      vat_statuses: ['standard', 'reverse_charge_eu'],
      territories: ['gb', 'ni', 'im'],
      vat_classes: ['standard'],
      rate_bp: 2_000,
    },
    {
      vat_statuses: ['standard', 'reverse_charge_eu'],
      territories: ['gb', 'ni', 'im'],
      vat_classes: ['young_children_zero'],
      rate_bp: 0,
    },
    {
      vat_statuses: ['standard', 'reverse_charge_eu'],
      territories: ['je', 'gg', 'eu', 'eu_outlying', 'rest'],
      vat_classes: ['standard', 'young_children_zero'],
      rate_bp: 0,
    },
  ],
  shipping: {
    packaging_grams: { flat: 20, boxed: 100, tube: 50 },
    zones: [
      { zone: 'mainland', title: 'Great Britain', country_codes: ['GB'] },
      {
        zone: 'highlands',
        title: 'Highlands and islands',
        country_codes: ['IM'],
        postcodes: [{ country_code: 'GB', prefixes: ['HS', 'IM', 'IV', 'ZE', 'PA20'] }],
      },
      {
        zone: 'northern_ireland',
        title: 'Northern Ireland',
        country_codes: [],
        postcodes: [{ country_code: 'GB', prefixes: ['BT'] }],
      },
      {
        zone: 'channel_islands',
        title: 'Channel Islands',
        country_codes: ['JE', 'GG'],
        postcodes: [{ country_code: 'GB', prefixes: ['JE', 'GY'] }],
      },
      { zone: 'eu', title: 'European Union', country_codes: ['DE', 'ES', 'FR'] },
      {
        zone: 'canaries',
        title: 'Canary Islands',
        country_codes: [],
        postcodes: [{ country_code: 'ES', prefixes: ['35', '38'] }],
      },
      { zone: 'world', title: 'World', country_codes: ['US', 'CA', 'AU', 'CH'] },
    ],
    services: [
      service('mainland', 'Letter', false, ['flat'], [750, 100]),
      service('mainland', 'Tracked', true, every, [1_000, 300], [2_000, 350], [10_000, 500]),
      service('mainland', 'Express', true, every, [10_000, 700]),
      service('highlands', 'Tracked', true, every, [2_000, 600]),
      service('northern_ireland', 'Tracked', true, every, [2_000, 450]),
      service('channel_islands', 'Tracked', true, every, [2_000, 550]),
      service('eu', 'Economy', false, every, [2_000, 800]),
      service('eu', 'Tracked', true, every, [2_000, 1_000]),
      service('canaries', 'Economy', false, every, [2_000, 1_200]),
      service('world', 'Tracked', true, every, [2_000, 1_500]),
    ],
  },
  duty_rules: [
    rule({ territory: 'je', incoterm: 'DAP' }),
    rule({ territory: 'gg', incoterm: 'DAP' }),
    rule({ territory: 'eu', ad_valorem_bp: 400 }),
    rule({ territory: 'eu', declared_up_to_pence: 13_000 }),
    rule({
      territory: 'eu',
      declared_up_to_pence: 13_000,
      per_hs_group_pence: 260,
      valid_from: '2026-07-01T00:00:00.000Z',
    }),
    rule({ territory: 'eu', declared_over_pence: 13_000, hs_prefix: '61', ad_valorem_bp: 1_200 }),
    rule({ territory: 'eu_outlying', incoterm: 'DAP' }),
    rule({ territory: 'rest', incoterm: 'DAP' }),
    rule({ territory: 'rest', country_code: 'US', ad_valorem_bp: 1_000, per_parcel_pence: 120 }),
    rule({ territory: 'rest', country_code: 'US', hs_prefix: '61', ad_valorem_bp: 2_650, per_parcel_pence: 150 }),
    rule({ territory: 'rest', country_code: 'US', hs_prefix: '61', origin_country: 'BD', ad_valorem_bp: 3_500 }),
  ],
};

export const testReference = compileReference(testCatalogue, [testBook]);

type Destination = QuoteInput['destination'];

/** An address, London unless told otherwise. */
export function to(countryCode = 'GB', postcode = 'EC1A 1BB', rest: Partial<Destination> = {}): Destination {
  return { countryCode, postcode, county: '', phone: '', ...rest };
}

/** A line whose prints are given as `design area method`; a design that begins with `my` is a personalised piece. */
export function line(sku: string, quantity: number, ...prints: string[]): QuoteInput['lines'][number] {
  const printJobs = prints.map((print) => {
    const [designKey = '', printArea = '', method = ''] = print.split(' ');
    return {
      designKey,
      printArea,
      method,
      setup: designKey.startsWith('my') ? ('none' as const) : ('by_design' as const),
    };
  });
  return { sku, quantity, printJobs };
}

/** A bulk order to London without anything special, and what is different about it. */
export function order(lines: QuoteInput['lines'], different: Partial<QuoteInput> = {}): QuoteInput {
  return {
    orderType: 'bulk',
    now: TEST_NOW,
    vatRegistration: 'yes',
    vatStatus: 'standard',
    destination: to(),
    shippingService: undefined,
    lines,
    ownedSetups: new Set(),
    ...different,
  };
}
