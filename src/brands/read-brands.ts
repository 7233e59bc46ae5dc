import type { Caller } from '../lib/caller.ts';
import type { Context } from '../lib/context.ts';
import { notFound } from '../lib/errors.ts';
import { parseId, type Uuid } from '../lib/ids.ts';
import { type Page, readPage, toPage } from '../lib/paging.ts';
import { nameKeyOf } from './name-key.ts';
import type { Brand, ListBrandsQuery } from './schema.ts';
import { type BrandRow, findBrand, findBrandsByKey, listBrandRows } from './sql.ts';
import { brandView } from './view.ts';

type ReadContext = Pick<Context, 'database' | 'clock' | 'config' | 'secrets'>;

/** A page of the caller's brands, the newest first, without the archived ones. */
export async function listBrands(
  ctx: ReadContext,
  { accountId }: Caller,
  query: ListBrandsQuery,
): Promise<Page<Brand>> {
  const { limit, after } = readPage('brand', query);
  const rows = await listBrandRows(ctx.database, accountId, { before: after, limit: limit + 1 });
  return toPage(
    rows,
    limit,
    (row) => brandView(ctx, row),
    ({ id }) => id,
  );
}

/** One brand of the caller, archived ones included. Unknown and another account's are the same 404. */
export async function getBrand(ctx: ReadContext, caller: Caller, brandId: string): Promise<Brand> {
  return brandView(ctx, await readOwnBrand(ctx, caller, brandId));
}

/** One brand of the caller as it is stored, likewise. */
export async function readOwnBrand(
  ctx: Pick<Context, 'database'>,
  { accountId }: Caller,
  brandId: string,
): Promise<BrandRow> {
  const id = parseId('brand', brandId);
  const row = id === undefined ? undefined : await findBrand(ctx.database, accountId, id);
  if (row === undefined) throw notFound();
  return row;
}

/** The ids of the brands of an account that a file names, by the names as they stand there. */
export async function findNamedBrands(
  ctx: Pick<Context, 'database'>,
  accountId: Uuid,
  names: readonly string[],
): Promise<ReadonlyMap<string, Uuid>> {
  if (names.length === 0) return new Map();
  const keys = new Map(names.map((name) => [name, nameKeyOf(name)]));
  const found = await findBrandsByKey(ctx.database, accountId, [...new Set(keys.values())]);
  const ids = new Map(found.map(({ id, name_key: key }) => [key, id]));
  return new Map(
    [...keys].flatMap(([name, key]) => {
      const id = ids.get(key);
      return id === undefined ? [] : [[name, id] as const];
    }),
  );
}
