/** The parts of an order that a file can have a column of. */
export const FIELDS = [
  'number',
  'product',
  'variant_sku',
  'colour',
  'size',
  'options',
  'quantity',
  'print_areas',
  'artwork_url',
  'contact_name',
  'last_name',
  'company_name',
  'line1',
  'line2',
  'city',
  'county',
  'postcode',
  'country_code',
  'phone',
  'email',
  'shipping_service',
  'brand',
  'notes',
] as const;
export type Field = (typeof FIELDS)[number];

/** Which column each field is read from, counted from 0; a field without one is absent. */
export type Columns = Partial<Record<Field, number>>;

/** Headings that mean a field, the likeliest first, in lower case and without signs. */
const HEADINGS: Readonly<Record<Field, readonly string[]>> = {
  number: ['external reference', 'order number', 'order id', 'order name', 'order', 'name', 'number', 'reference'],
  product: ['product id', 'product', 'lineitem name', 'item name', 'product name', 'listing', 'title'],
  variant_sku: ['variant sku', 'blank variant sku', 'lineitem sku', 'item sku', 'sku'],
  colour: ['colour', 'color'],
  size: ['size'],
  options: ['variations', 'variation', 'product variation', 'options', 'item options', 'lineitem options'],
  quantity: ['quantity', 'lineitem quantity', 'item quantity', 'quantity refund', 'qty', 'pieces'],
  print_areas: ['print areas', 'print area'],
  artwork_url: ['artwork url', 'artwork', 'print file', 'design url'],
  contact_name: [
    'contact name',
    'shipping name',
    'ship name',
    'full name shipping',
    'first name shipping',
    'shipping first name',
    'recipient',
    'full name',
    'first name',
    'customer name',
  ],
  last_name: ['last name shipping', 'shipping last name', 'last name'],
  company_name: ['company name', 'shipping company', 'company shipping', 'ship company', 'company'],
  line1: [
    'line1',
    'shipping address1',
    'ship address1',
    'address 12 shipping',
    'address 1 shipping',
    'shipping address 1',
    'address line 1',
    'address1',
    'address',
    'street',
  ],
  line2: ['line2', 'shipping address2', 'ship address2', 'address 2 shipping', 'shipping address 2', 'address line 2'],
  city: ['city', 'shipping city', 'ship city', 'city shipping', 'town'],
  county: [
    'county',
    'shipping province',
    'ship state',
    'state code shipping',
    'shipping state',
    'state name shipping',
    'state',
    'province',
  ],
  postcode: [
    'postcode',
    'shipping zip',
    'ship zipcode',
    'postcode shipping',
    'shipping postcode',
    'zip',
    'postal code',
  ],
  country_code: [
    'country code',
    'shipping country',
    'ship country',
    'country code shipping',
    'shipping country code',
    'country name shipping',
    'country',
  ],
  phone: ['phone', 'shipping phone', 'phone shipping', 'phone billing', 'billing phone', 'telephone'],
  email: ['email', 'email billing', 'billing email', 'e mail'],
  shipping_service: ['shipping service'],
  brand: ['brand', 'brand name'],
  notes: ['notes for the print shop', 'order notes'],
};

/** What an order cannot do without. A product may be named by its variant alone. */
const REQUIRED: readonly (readonly Field[])[] = [
  ['number'],
  ['quantity'],
  ['product', 'variant_sku'],
  ['contact_name'],
  ['line1'],
  ['city'],
  ['postcode'],
  ['country_code'],
];

/** The fields that need a column before orders can be read. */
export function missingFields(columns: Columns): Field[] {
  return REQUIRED.flatMap((either) => (either.some((field) => columns[field] !== undefined) ? [] : either.slice(0, 1)));
}

/** The headings that an account read its fields from before; `""` for a field without one. */
export type KnownHeadings = Partial<Record<Field, string>>;

/**
 * Guesses which column each field stands in.
 * By the headings of Platen's own files, Shopify, Etsy and WooCommerce. What the account chose before comes first.
 * No column is taken twice.
 */
export function guessColumns(headings: readonly string[], known: KnownHeadings): Columns {
  const plain = headings.map(plainHeading);
  const taken = new Set<number>();
  const columns: Columns = {};
  const take = (field: Field, wanted: readonly string[]): void => {
    if (columns[field] !== undefined) return;
    for (const one of wanted) {
      const at = plain.findIndex((heading, index) => heading === one && !taken.has(index));
      if (at === -1) continue;
      taken.add(at);
      columns[field] = at;
      return;
    }
  };
  for (const field of FIELDS) {
    const heading = known[field];
    if (heading !== undefined && heading !== '') take(field, [plainHeading(heading)]);
  }
  for (const field of FIELDS) {
    if (known[field] !== '') take(field, HEADINGS[field]);
  }
  return columns;
}

function plainHeading(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[_\-:/]+/g, ' ')
    .replaceAll(/[^\p{L}\p{N} ]/gu, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
