import { countryCodeOf } from '../../lib/countries.ts';
import { quoted } from '../../lib/errors.ts';
import { parseId, publicId, type Uuid } from '../../lib/ids.ts';
import { EXTERNAL_REFERENCE_MAX } from '../../orders/schema.ts';
import type { Columns, Field } from './columns.ts';
import { type FileLine, fileLine, type ItemsBy, splitName } from './file-items.ts';
import { cellOf, type FileRow } from './file-row.ts';

/** What is wrong with a row, and in which field. */
export type RowProblem = { readonly row: number; readonly field: Field | null; readonly message: string };

/** An order as a file has it; `body` is what `POST /orders` would be sent, not checked yet. */
export type FileOrder = {
  readonly externalReference: string;
  /** The number in the shop, without the prefix; null where the file gives none. */
  readonly shopNumber: string | null;
  /** Those of its lines here; of what is left out because others make it there is none. */
  readonly rows: readonly number[];
  readonly allRows: readonly number[];
  /** Nothing of it is made here. */
  readonly isOthers: boolean;
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
 * What belongs to the whole order may stand in any of its rows, and must not differ between them. What others make is
 * left out. Pure: products and catalogue are given. Prices, stock and everything that `POST /orders` refuses are left
 * to its own code.
 */
export function fileOrders(
  rows: readonly FileRow[],
  columns: Columns,
  by: ItemsBy & {
    readonly prefix: string;
    /** The ids of the account's brands, by the names that the file gives. */
    readonly brands: ReadonlyMap<string, Uuid>;
  },
): FileOrder[] {
  const filled = rows.filter(({ cells }) => cells.some((cell) => cell.trim() !== ''));
  const groups = Map.groupBy(filled, (row) => cellOf(row, columns, 'number') || row.number);
  return [...groups].map(([number, own]) => {
    const shared = sharedFields(own, columns);
    const lines = own.flatMap((row): { row: FileRow; line: FileLine }[] => {
      const line = fileLine(row, columns, by);
      return line === undefined ? [] : [{ row, line }];
    });
    const isOthers = lines.length === 0;
    const rowsOf = isOthers ? own : lines.map(({ row }) => row);
    const brand = brandOf(own, columns, shared.values.brand, by.brands);
    const isNumbered = typeof number === 'string';
    const reference = isNumbered ? by.prefix + number : '';
    const isLong = Array.from(reference).length > EXTERNAL_REFERENCE_MAX;
    return {
      externalReference: isLong ? '' : reference,
      shopNumber: isNumbered && !isLong ? number : null,
      rows: rowsOf.map((row) => row.number),
      allRows: own.map((row) => row.number),
      isOthers,
      body: {
        ...(isNumbered ? { external_reference: reference } : {}),
        items: lines.map(({ line }) => line.item),
        shipping_address: addressOf(shared.values),
        ...(shared.values.shipping_service ? { shipping_service: shared.values.shipping_service } : {}),
        ...brand.member,
        ...(shared.values.notes ? { notes: shared.values.notes } : {}),
      },
      problems: [
        ...(isNumbered
          ? []
          : own.map((row) => problemIn(row, 'number', 'Give the order a number: it makes it safe to send twice.'))),
        ...(isLong ? own.map((row) => problemIn(row, 'number', LONG_NUMBER)) : []),
        ...own.flatMap((row) => widthProblem(row, by.headings.length)),
        ...shared.problems,
        ...brand.problems,
        ...lines.flatMap(({ row, line: { problem } }) =>
          problem === undefined ? [] : [problemIn(row, problem.field, problem.message)],
        ),
      ],
    };
  });
}

const LONG_NUMBER = `Give the order a shorter number: with its prefix it may have ${EXTERNAL_REFERENCE_MAX} characters.`;

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

const FIELD_OF_PATH: readonly (readonly [pattern: RegExp, field: Field])[] = [
  [/^external_reference/, 'number'],
  [/^shipping_service/, 'shipping_service'],
  [/^brand/, 'brand'],
  [/^notes/, 'notes'],
  [/\.product_id/, 'product'],
  [/\.variant_sku/, 'variant_sku'],
  [/\.quantity/, 'quantity'],
  [/\.print_jobs/, 'print_areas'],
  [/\.personalisation/, 'options'],
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
