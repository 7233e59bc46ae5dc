import { isCountryCode, unknownCountry } from '../lib/countries.ts';
import type { Problem } from '../lib/errors.ts';
import { type Static, Type } from '../lib/typebox.ts';
import { checkShape, repeatProblems, type Shaped } from '../lib/validation/validate.ts';

/**
 * How a product is sent: in a bag, in a box, or rolled in a tube.
 * A product has one class (domain, "Shipping").
 */
export const SHIPPING_CLASSES = ['flat', 'boxed', 'tube'] as const;
export type ShippingClass = (typeof SHIPPING_CLASSES)[number];

/**
 * The VAT class of a variant.
 * Sizes decide whether clothing is a young child's (domain, "VAT").
 */
export const VAT_CLASSES = ['standard', 'young_children_zero'] as const;
export type VatClass = (typeof VAT_CLASSES)[number];

/** Print areas that need more film, ink or platen than usual are `oversize` and priced apart. */
export const SIZE_CLASSES = ['standard', 'oversize'] as const;

/**
 * The outlines that a blank can be drawn by in pictures of what is printed on it.
 * `panel` is none of a garment: a plain sheet in the proportions of the print area, with the title below.
 */
export const OUTLINES = ['tee', 'bodysuit', 'hoodie', 'sweatshirt', 'tote', 'cap', 'mug', 'poster', 'panel'] as const;

/** A name that other members refer to: a method or a print area. */
export const Code = Type.String({ pattern: '^[a-z][a-z0-9_]{0,39}$' });

/** A master or variant SKU. No comma, because `GET /stock` separates SKUs by one. */
export const Sku = Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._/-]{0,63}$' });

const Title = Type.String({ minLength: 1, maxLength: 200, pattern: '^[^\\u0000-\\u001f\\u007f]*$' });
const Description = Type.String({ maxLength: 5_000, pattern: '^[^\\u0000]*$' });

/** The bounds of artwork (spec 8). They hold for templates too: a print file has the template's size. */
const SIDE_PX_MAX = 12_000;
const AREA_PX_MAX = 60_000_000;

/** A template's pixels are its millimetres at its DPI, within the rounding of one pixel. */
const TEMPLATE_TOLERANCE_PX = 1;
const MM_PER_INCH = 25.4;

const PrintArea = Type.Object(
  {
    print_area: Code,
    title: Title,
    methods: Type.Array(Code, { minItems: 1, maxItems: 20, description: 'What this area can be decorated by.' }),
    width_mm: Type.Number({ minimum: 5, maximum: 5_000 }),
    height_mm: Type.Number({ minimum: 5, maximum: 5_000 }),
    dpi: Type.Integer({ minimum: 30, maximum: 1_200 }),
    width_px: Type.Integer({ minimum: 1, maximum: SIDE_PX_MAX }),
    height_px: Type.Integer({ minimum: 1, maximum: SIDE_PX_MAX }),
    format: Type.Enum(['png']),
    size_class: Type.Enum([...SIZE_CLASSES]),
  },
  { additionalProperties: false },
);

const Variant = Type.Object(
  {
    sku: Sku,
    colour: Title,
    colour_hex: Type.String({ pattern: '^#[0-9a-f]{6}$' }),
    size: Title,
    weight_grams: Type.Integer({ minimum: 1, maximum: 50_000, description: 'One piece, without packaging.' }),
    vat_class: Type.Enum([...VAT_CLASSES]),
    active: Type.Optional(Type.Boolean({ description: 'False: no longer offered. True when left out.' })),
  },
  { additionalProperties: false },
);

const BaseProduct = Type.Object(
  {
    master_sku: Sku,
    title: Title,
    description: Description,
    outline: Type.Optional(
      Type.Enum([...OUTLINES], {
        description: 'What it is drawn as in pictures. When left out, the words of its title decide, or else a panel.',
      }),
    ),
    shipping_class: Type.Enum([...SHIPPING_CLASSES]),
    hs_code: Type.String({
      pattern: '^[0-9]{6}([0-9]{2}){0,2}$',
      description: 'Customs tariff code, 6, 8 or 10 digits.',
    }),
    origin_country: Type.String({ pattern: '^[A-Z]{2}$', description: 'Where the blank was made, for customs.' }),
    material: Title,
    print_areas: Type.Array(PrintArea, { minItems: 1, maxItems: 20 }),
    variants: Type.Array(Variant, { minItems: 1, maxItems: 1_000 }),
  },
  { additionalProperties: false },
);

const Method = Type.Object(
  {
    method: Code,
    title: Title,
    min_dpi: Type.Optional(
      Type.Integer({
        minimum: 30,
        maximum: 1_200,
        description: 'Artwork of fewer dots per inch at its printed size gets a warning. 150 when left out.',
      }),
    ),
  },
  { additionalProperties: false },
);

/** Where print jobs of some methods are worked. A method that no station names is a station of its own. */
const Station = Type.Object(
  {
    station: Code,
    title: Title,
    methods: Type.Array(Code, { minItems: 1, maxItems: 50, description: 'Each method goes to one station.' }),
  },
  { additionalProperties: false },
);

/**
 * The file of `platen catalogue import FILE`: what can be sold and printed, and how.
 * `price_book` has a schema of its own in the pricing slice, which reads both together.
 */
export const CatalogueDocument = Type.Object(
  {
    methods: Type.Array(Method, { minItems: 1, maxItems: 50 }),
    base_products: Type.Array(BaseProduct, { minItems: 1, maxItems: 2_000 }),
    stations: Type.Optional(Type.Array(Station, { maxItems: 50 })),
    price_book: Type.Unknown(),
  },
  { additionalProperties: false, title: 'Platen catalogue file' },
);
export type CatalogueDocument = Static<typeof CatalogueDocument>;
export type BaseProductEntry = CatalogueDocument['base_products'][number];
type PrintAreaEntry = BaseProductEntry['print_areas'][number];
type VariantEntry = BaseProductEntry['variants'][number];

/**
 * Checks the shape of a catalogue file and reports every problem at once.
 * Its meaning is checked by `catalogueProblems`.
 */
export function readCatalogue(value: unknown): Shaped<CatalogueDocument> {
  return checkShape(CatalogueDocument, value);
}

/**
 * Problems in the meaning of a well-shaped catalogue file; empty when there are none.
 * Among them are repeated names, unknown methods, templates whose pixels do not fit their millimetres, and countries
 * that do not exist.
 */
export function catalogueProblems(document: CatalogueDocument): Problem[] {
  const products = document.base_products;
  const skus = products.flatMap((product, index) =>
    product.variants.map(({ sku }, at) => ({ sku, path: `base_products[${index}].variants[${at}].sku` })),
  );
  const methods = document.methods.map(({ method }) => method);
  return [
    ...repeatProblems(methods, (index) => `methods[${index}].method`),
    ...stationProblems(document.stations ?? [], methods),
    ...repeatProblems(
      products.map((product) => product.master_sku),
      (index) => `base_products[${index}].master_sku`,
    ),
    ...repeatProblems(
      skus.map(({ sku }) => sku),
      (index) => skus[index]?.path ?? '',
    ),
    ...products.flatMap((product, index) => productProblems(product, methods, `base_products[${index}]`)),
  ];
}

function productProblems(product: BaseProductEntry, methods: readonly string[], path: string): Problem[] {
  return [
    ...countryCodeProblems(product.origin_country, `${path}.origin_country`),
    ...repeatProblems(
      product.print_areas.map((area) => area.print_area),
      (index) => `${path}.print_areas[${index}].print_area`,
    ),
    ...product.print_areas.flatMap((area, index) => areaProblems(area, methods, `${path}.print_areas[${index}]`)),
    ...repeatProblems(
      product.variants.map((variant) => `${variant.colour} in ${variant.size}`),
      (index) => `${path}.variants[${index}]`,
    ),
    ...hexProblems(product.variants, path),
  ];
}

/** A method that a station names must be known, and goes to that station alone. */
function stationProblems(stations: NonNullable<CatalogueDocument['stations']>, methods: readonly string[]): Problem[] {
  const named = stations.flatMap(({ methods: of }, index) =>
    of.map((method, at) => ({ method, path: `stations[${index}].methods[${at}]` })),
  );
  const unknown = named.filter(({ method }) => !methods.includes(method));
  return [
    ...repeatProblems(
      stations.map(({ station }) => station),
      (index) => `stations[${index}].station`,
    ),
    ...repeatProblems(
      named.map(({ method }) => method),
      (index) => named[index]?.path ?? '',
    ),
    ...unknown.map(({ method, path }) => unknownMethod(method, path, methods)),
  ];
}

function unknownMethod(method: string, path: string, methods: readonly string[]): Problem {
  const message = `${method} is not among the methods of this file.`;
  return { path, code: 'unknown_method', message, valid_values: methods };
}

/** A problem when a country code of an operator's file is not in ISO 3166-1. */
export function countryCodeProblems(countryCode: string, path: string): Problem[] {
  if (isCountryCode(countryCode)) return [];
  return [unknownCountry(countryCode, path)];
}

function areaProblems(area: PrintAreaEntry, methods: readonly string[], path: string): Problem[] {
  const problems = repeatProblems(area.methods, (index) => `${path}.methods[${index}]`);
  area.methods.forEach((method, index) => {
    if (methods.includes(method)) return;
    problems.push(unknownMethod(method, `${path}.methods[${index}]`, methods));
  });
  const sides = [
    { name: 'width_px', px: area.width_px, mm: area.width_mm },
    { name: 'height_px', px: area.height_px, mm: area.height_mm },
  ];
  for (const { name, px, mm } of sides) {
    const expectedPx = (mm / MM_PER_INCH) * area.dpi;
    if (Math.abs(px - expectedPx) <= TEMPLATE_TOLERANCE_PX) continue;
    problems.push({
      path: `${path}.${name}`,
      code: 'template_size',
      message: `${mm} mm at ${area.dpi} dpi are ${Math.round(expectedPx)} pixels, not ${px}.`,
    });
  }
  if (area.width_px * area.height_px > AREA_PX_MAX) {
    problems.push({ path, code: 'template_size', message: `A template has at most ${AREA_PX_MAX} pixels in all.` });
  }
  return problems;
}

/** One colour of a product has one hex value, whatever the size. */
function hexProblems(variants: readonly VariantEntry[], path: string): Problem[] {
  const hexOf = new Map<string, string>();
  return variants.flatMap(({ colour, colour_hex }, index) => {
    const first = hexOf.get(colour) ?? colour_hex;
    hexOf.set(colour, first);
    if (first === colour_hex) return [];
    const message = `${colour} is ${first} in another size of this product.`;
    return [{ path: `${path}.variants[${index}].colour_hex`, code: 'colour_mismatch', message }];
  });
}
