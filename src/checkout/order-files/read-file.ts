import { findNamedBrands } from '../../brands/read-brands.ts';
import type { CatalogueCache } from '../../catalogue/reference.ts';
import type { Context } from '../../lib/context.ts';
import { validationFailed } from '../../lib/errors.ts';
import type { Uuid } from '../../lib/ids.ts';
import { readCsv } from '../../lib/text/read-csv.ts';
import { findNamedProducts, readInputLayers } from '../../products/find-named.ts';
import { type Columns, missingFields } from './columns.ts';
import { findSaidItems } from './file-item-sql.ts';
import { type ItemsBy, namedItem, type SaidOfItem } from './file-items.ts';
import { brandNamesIn, type FileOrder, fileOrders, productNamesIn } from './file-orders.ts';
import type { FileRow } from './file-row.ts';
import { ROWS_MAX } from './order-file-sql.ts';

export type ReadFileContext = Pick<Context, 'database'> & { readonly catalogue: CatalogueCache };

/** Characters of a heading: each look at a file answers with all of them. */
const HEADING_MAX = 200;

/** The rows of a file that are not empty. Throws 422 for a text that is no CSV or has too many rows. */
export function readRows(content: string): { headings: readonly string[]; rows: readonly FileRow[] } {
  const refuse = (code: string, message: string): never => {
    throw validationFailed([{ path: 'content', code, message }]);
  };
  const read = readCsv(content);
  if (read.kind !== 'read') {
    const { code, cure } =
      read.kind === 'broken'
        ? { code: 'csv', cure: 'Save the file as CSV once more.' }
        : { code: 'out_of_bounds', cure: 'Remove what is too much.' };
    return refuse(code, `Row ${read.row}: ${read.why}. ${cure}`);
  }
  const [headings = [], ...records] = read.records;
  const rows = records.map((cells, index) => ({ number: index + 2, cells }));
  const filled = rows.filter(({ cells }) => cells.some((cell) => cell.trim() !== ''));
  if (filled.length === 0) return refuse('required', 'The file has no row below its headings.');
  if (filled.length > ROWS_MAX) {
    return refuse('out_of_bounds', `The file has ${filled.length} rows; at most ${ROWS_MAX} are taken. Split it.`);
  }
  if (headings.some((heading) => heading.length > HEADING_MAX)) {
    return refuse('out_of_bounds', `A heading has at most ${HEADING_MAX} characters. Is row 1 the headings?`);
  }
  return { headings, rows: filled };
}

/** A file as it is read: its rows, by which columns, and what stands before its numbers. */
export type FileToRead = {
  readonly headings: readonly string[];
  readonly rows: readonly FileRow[];
  readonly columns: Columns;
  readonly prefix: string;
};

/** What a person says of an item just now, which is not kept yet; undefined for nothing any more. */
export type SaidNow = { readonly key: string; readonly said: SaidOfItem | undefined };

/** The orders of a file; none before each field that is needed has a column. */
export async function readOrders(
  ctx: ReadFileContext,
  accountId: Uuid,
  file: FileToRead,
  now?: SaidNow,
): Promise<FileOrder[]> {
  const { rows, columns, prefix } = file;
  if (stateOf(columns) === 'unmapped') return [];
  const brands = await findNamedBrands(ctx, accountId, brandNamesIn(rows, columns));
  return fileOrders(rows, columns, { prefix, brands, ...(await readItemsBy(ctx, accountId, file, now)) });
}

/** What the items of a file are found by. */
export async function readItemsBy(
  ctx: ReadFileContext,
  accountId: Uuid,
  { headings, rows, columns }: Pick<FileToRead, 'headings' | 'rows' | 'columns'>,
  now?: SaidNow,
): Promise<ItemsBy> {
  const catalogue = await ctx.catalogue.latest();
  const keys = rows.flatMap((row) => namedItem(row, columns, catalogue)?.key ?? []);
  const kept = await findSaidItems(ctx.database, accountId, [...new Set(keys)]);
  const said = new Map([...kept].filter(([key]) => key !== now?.key));
  if (now?.said !== undefined) said.set(now.key, now.said);
  const names = productNamesIn(rows, columns);
  const saidIds = [...said.values()].flatMap(({ product_id: id }) => id ?? []);
  const ids = [...new Set([...names.ids, ...saidIds])];
  const products = await findNamedProducts(ctx, accountId, { ...names, ids });
  const layers = await readInputLayers(ctx, accountId, products);
  return { headings, products, catalogue, said, layers };
}

/** What is done with a file that was read: its columns are chosen first, or its orders checked. */
export function stateOf(columns: Columns): 'unmapped' | 'checking' {
  return missingFields(columns).length > 0 ? 'unmapped' : 'checking';
}

/** An order as it is kept with its file, in its place. One that has a problem is not checked further. */
export function fileEntry(order: FileOrder, index: number) {
  const { externalReference, shopNumber, rows, isOthers, body, problems } = order;
  return {
    place: index + 1,
    external_reference: externalReference,
    shop_number: shopNumber,
    rows,
    body: problems.length === 0 && !isOthers ? body : null,
    is_others: isOthers,
    problems: isOthers ? [] : problems,
  };
}
