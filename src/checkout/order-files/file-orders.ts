import type { CatalogueReference } from '../../catalogue/reference.ts';
import { countryCodeOf } from '../../lib/countries.ts';
import { quoted } from '../../lib/errors.ts';
import { parseId, publicId, type Uuid } from '../../lib/ids.ts';
import type { NamedProduct } from '../../products/named-sql.ts';
import type { Columns, Field } from './columns.ts';

/** A row of a file with its number, as a spreadsheet counts: the headings are row 1. */
export type FileRow = { readonly number: number; readonly cells: readonly string[] };

/** What is wrong with a row, and in which field. */
export type RowProblem = { readonly row: number; readonly field: Field | null; readonly message: string };

/** An order as a file has it; `body` is what `POST /orders` would be sent, not checked yet. */
export type FileOrder = {
  readonly externalReference: string;
  /** The number in the shop, without the prefix; null where the file gives none. */
  readonly shopNumber: string | null;
  readonly rows: readonly number[];
  readonly body: Readonly<Record<string, unknown>>;
  readonly problems: readonly RowProblem[];
};

/** Fields of the order, rather than of one of its lines: they may stand in its first row alone. */
const OF_THE_ORDER: readonly Field[] = [
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
];
const ADDRESS_OPTIONAL = ['company_name', 'line2', 'county', 'phone', 'email'] as const;

/** The text of a field in a row; `""` where there is no such column or cell. */
export function cellOf({ cells }: FileRow, columns: Columns, field: Field): string {
  const at = columns[field];
  return at === undefined ? '' : (cells[at] ?? '').trim();
}

/** The brands that the rows of a file name. */
export function brandNamesIn(rows: readonly FileRow[], columns: Columns): string[] {
  return [...new Set(rows.map((row) => cellOf(row, columns, 'brand')).filter((text) => text !== ''))];
}

/** What products the rows of a file name: by id, by name, or by a variant alone. */
export function productNamesIn(rows: readonly FileRow[], columns: Columns) {
  const products = rows.map((row) => cellOf(row, columns, 'product')).filter((text) => text !== '');
  const ids = products.flatMap((text) => parseId('prod', text) ?? []);
  const names = products.flatMap((text) => [text, splitName(text).name]);
  const skus = rows.map((row) => cellOf(row, columns, 'variant_sku')).filter((text) => text !== '');
  return { ids: [...new Set(ids)], names: [...new Set(names)], skus: [...new Set(skus)] };
}

/**
 * Reads orders from the rows of a file: rows with one number are the lines of one order.
 * What belongs to the whole order may stand in any of its rows, and must not differ between them. Pure: products and
 * catalogue are given. Prices, stock and everything that `POST /orders` refuses are left to its own code.
 */
export function fileOrders(
  rows: readonly FileRow[],
  columns: Columns,
  by: By & {
    readonly prefix: string;
    /** How many headings there are. */
    readonly width: number;
  },
): FileOrder[] {
  const filled = rows.filter(({ cells }) => cells.some((cell) => cell.trim() !== ''));
  const groups = Map.groupBy(filled, (row) => cellOf(row, columns, 'number') || row.number);
  return [...groups].map(([number, own]) => {
    const shared = sharedFields(own, columns);
    const lines = own.map((row) => lineOf(row, columns, by));
    const brand = brandOf(own, columns, shared.values.brand, by.brands);
    const isNumbered = typeof number === 'string';
    return {
      externalReference: isNumbered ? by.prefix + number : '',
      shopNumber: isNumbered ? number : null,
      rows: own.map((row) => row.number),
      body: {
        ...(isNumbered ? { external_reference: by.prefix + number } : {}),
        items: lines.map(({ item }) => item),
        shipping_address: addressOf(shared.values),
        ...(shared.values.shipping_service ? { shipping_service: shared.values.shipping_service } : {}),
        ...brand.member,
        ...(shared.values.notes ? { notes: shared.values.notes } : {}),
      },
      problems: [
        ...(isNumbered
          ? []
          : own.map((row) => problemIn(row, 'number', 'Give the order a number: it makes it safe to send twice.'))),
        ...own.flatMap((row) => widthProblem(row, by.width)),
        ...shared.problems,
        ...brand.problems,
        ...lines.flatMap(({ problems }) => problems),
      ],
    };
  });
}

function problemIn(row: FileRow, field: Field | null, message: string): RowProblem {
  return { row: row.number, field, message };
}

/** Too many or too few cells come from a separator or a line break that is not quoted. */
function widthProblem(row: FileRow, width: number): RowProblem[] {
  const beyond = row.cells.slice(width).some((cell) => cell.trim() !== '');
  if (!beyond && row.cells.length >= width) return [];
  const message = `The row has ${row.cells.length} cells under ${width} headings: put texts with separators in quotes.`;
  return [problemIn(row, null, message)];
}

type Shared = { values: Partial<Record<Field, string>>; problems: RowProblem[] };

function sharedFields(rows: readonly FileRow[], columns: Columns): Shared {
  const values: Partial<Record<Field, string>> = {};
  const problems: RowProblem[] = [];
  for (const field of OF_THE_ORDER) {
    for (const row of rows) {
      const text = cellOf(row, columns, field);
      if (text === '') continue;
      const before = values[field];
      values[field] ??= text;
      if (before === undefined || before === text) continue;
      problems.push(
        problemIn(
          row,
          field,
          `differs from ${quoted(before)} in an earlier row of this order. An order has one ${field === 'brand' ? 'brand' : 'address'}.`,
        ),
      );
    }
  }
  return { values, problems };
}

/** The brand of an order, which a file names by its name or its id. */
function brandOf(
  rows: readonly FileRow[],
  columns: Columns,
  named: string | undefined,
  brands: ReadonlyMap<string, Uuid>,
): { readonly member: { readonly brand?: string }; readonly problems: readonly RowProblem[] } {
  if (named === undefined) return { member: {}, problems: [] };
  const id = brands.get(named);
  if (id !== undefined) return { member: { brand: publicId('brand', id) }, problems: [] };
  if (parseId('brand', named) !== undefined) return { member: { brand: named }, problems: [] };
  const message = `You have no brand ${quoted(named)}. Give the exact name of one, or leave the cell empty for your default.`;
  const row = rows.find((one) => cellOf(one, columns, 'brand') !== '');
  return { member: {}, problems: row === undefined ? [] : [problemIn(row, 'brand', message)] };
}

function addressOf(values: Partial<Record<Field, string>>): Record<string, string> {
  const { contact_name: first = '', last_name: last = '', country_code: country = '' } = values;
  const optional = ADDRESS_OPTIONAL.flatMap((field) => {
    const text = values[field];
    return text === undefined ? [] : [[field, text] as const];
  });
  return {
    contact_name: `${first} ${last}`.trim(),
    line1: values.line1 ?? '',
    city: values.city ?? '',
    postcode: values.postcode ?? '',
    country_code: countryCodeOf(country) ?? country,
    ...Object.fromEntries(optional),
  };
}

type Line = { readonly item: Readonly<Record<string, unknown>>; readonly problems: readonly RowProblem[] };
type By = {
  readonly products: readonly NamedProduct[];
  /** The ids of the account's brands, by the names that the file gives. */
  readonly brands: ReadonlyMap<string, Uuid>;
  readonly catalogue: CatalogueReference;
};

function lineOf(row: FileRow, columns: Columns, by: By): Line {
  const sku = cellOf(row, columns, 'variant_sku');
  const typed = cellOf(row, columns, 'quantity');
  const quantity = typed === '' ? undefined : /^\d{1,9}$/.test(typed) ? Number(typed) : typed;
  const found = productOf(row, columns, by.products);
  if (found.kind === 'unclear') return { item: { quantity }, problems: [found.problem] };
  const { product } = found;
  const variant = product.skus.includes(sku) ? sku : (variantByOptions(row, columns, product, by.catalogue) ?? sku);
  const item = { product_id: publicId('prod', product.id), variant_sku: variant, quantity };
  const problems =
    variant === ''
      ? [problemIn(row, 'variant_sku', `Give the variant. ${product.name} has ${listOf(product.skus)}.`)]
      : [];
  return { item: { ...item, ...printsOf(row, columns, product, by.catalogue) }, problems };
}

type Found =
  | { readonly kind: 'found'; readonly product: NamedProduct }
  | { readonly kind: 'unclear'; readonly problem: RowProblem };

/** The product of a row: by its id, its name, the name before its options, or else by its variant. */
function productOf(row: FileRow, columns: Columns, products: readonly NamedProduct[]): Found {
  const text = cellOf(row, columns, 'product');
  const sku = cellOf(row, columns, 'variant_sku');
  const id = parseId('prod', text);
  const offering = products.filter(({ skus }) => sku !== '' && skus.includes(sku));
  const tries = [
    products.filter((product) => product.id === id),
    products.filter(({ name }) => text !== '' && name === text),
    products.filter(({ name }) => text !== '' && name === splitName(text).name),
    // A variant says nothing of the design: it stands for a product only where no other is named.
    text === '' ? offering : [],
  ];
  for (const some of tries) {
    const narrowed = some.length > 1 ? some.filter((product) => offering.includes(product)) : some;
    const [only] = narrowed.length === 1 ? narrowed : some;
    if (only === undefined) continue;
    if (some.length === 1 || narrowed.length === 1) return { kind: 'found', product: only };
    const names = listOf(some.map((product) => `${product.name} (${publicId('prod', product.id)})`));
    return unclear(row, `It can be ${names}. Give the id of the product.`);
  }
  if (text === '' && sku === '')
    return unclear(row, 'Give the product: its id, its name, or a variant_sku that it offers.');
  const missing = text === '' ? `No product offers ${quoted(sku)}.` : `There is no product ${quoted(text)}.`;
  return unclear(row, `${missing} Give the id or the exact name of a product of yours.`);
}

function unclear(row: FileRow, message: string): Found {
  return { kind: 'unclear', problem: problemIn(row, 'product', message) };
}

/** A shop writes the options behind the name: `Fern tee - Black / M`. */
function splitName(text: string): { name: string; options: readonly string[] } {
  const at = text.lastIndexOf(' - ');
  if (at === -1) return { name: text, options: [] };
  return { name: text.slice(0, at).trim(), options: text.slice(at + 3).split('/') };
}

/** The variant of a product with the colour and the size of a row, where exactly one has them. */
function variantByOptions(
  row: FileRow,
  columns: Columns,
  product: NamedProduct,
  { bySku }: CatalogueReference,
): string | undefined {
  const own = [cellOf(row, columns, 'colour'), cellOf(row, columns, 'size')].filter((text) => text !== '');
  const options = own.length > 0 ? own : splitName(cellOf(row, columns, 'product')).options;
  const wanted = options.map((text) => text.trim().toLowerCase());
  if (wanted.length === 0) return undefined;
  const found = product.skus.filter((sku) => {
    const entry = bySku.get(sku)?.variant.entry;
    const has = [entry?.colour.toLowerCase(), entry?.size.toLowerCase()];
    return wanted.every((option) => has.includes(option));
  });
  return found.length === 1 ? found[0] : undefined;
}

const NOTHING = ['none', 'blank'];

/** What a row prints: every stored design, unless it names areas, a picture of its own, or nothing. */
function printsOf(
  row: FileRow,
  columns: Columns,
  product: NamedProduct,
  { byId }: CatalogueReference,
): Readonly<Record<string, unknown>> {
  if (product.personalised) return {};
  const named = cellOf(row, columns, 'print_areas').toLowerCase();
  if (NOTHING.includes(named)) return { print_jobs: [] };
  const base = byId.get(product.base_product_id)?.entry.print_areas ?? [];
  const areas = named === '' ? [] : named.split(/[;,|]/).map((area) => area.trim().replaceAll(' ', '_'));
  const methodOf = (area: string): string =>
    product.areas.find(({ print_area: name }) => name === area)?.method ??
    base.find(({ print_area: name }) => name === area)?.methods[0] ??
    'unknown';
  const url = cellOf(row, columns, 'artwork_url');
  if (url !== '') {
    const first = product.areas[0]?.print_area ?? base[0]?.print_area ?? 'front';
    const chosen = areas.length > 0 ? areas : [first];
    return {
      decoration: { areas: chosen.map((area) => ({ print_area: area, method: methodOf(area), artwork_url: url })) },
    };
  }
  const chosen = areas.length > 0 ? areas : product.areas.map(({ print_area: area }) => area);
  return { print_jobs: chosen.map((area) => ({ area, method: methodOf(area) })) };
}

const LISTED_MAX = 8;

/** Some texts for a person, the first of many. */
export function listOf(texts: readonly string[]): string {
  const more = texts.length > LISTED_MAX ? ` and ${texts.length - LISTED_MAX} more` : '';
  return texts.slice(0, LISTED_MAX).join(', ') + more;
}

const FIELD_OF_PATH: readonly (readonly [pattern: RegExp, field: Field])[] = [
  [/^external_reference/, 'number'],
  [/^shipping_service/, 'shipping_service'],
  [/^brand/, 'brand'],
  [/^notes/, 'notes'],
  [/\.product_id/, 'product'],
  [/\.variant_sku/, 'variant_sku'],
  [/\.quantity/, 'quantity'],
  [/\.print_jobs/, 'print_areas'],
  [/\.artwork_url/, 'artwork_url'],
  [/\.(print_area|method)$/, 'print_areas'],
];

/** The row and the field that a problem of a request is about, from its path. */
export function placeOfProblem(path: string, rows: readonly number[]): { row: number; field: Field | null } {
  const line = Number(/^items\[(\d+)\]/.exec(path)?.[1] ?? 0);
  const row = rows[line] ?? rows[0] ?? 1;
  const member = /^shipping_address\.(\w+)/.exec(path)?.[1];
  const field =
    OF_THE_ORDER.find((name) => name === member) ?? FIELD_OF_PATH.find(([pattern]) => pattern.test(path))?.[1];
  return { row, field: field ?? null };
}
