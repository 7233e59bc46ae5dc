import { lockAccount } from '../../accounts/lock-account.ts';
import type { Caller } from '../../lib/caller.ts';
import { ApiError, notFound, validationFailed } from '../../lib/errors.ts';
import type { Uuid } from '../../lib/ids.ts';
import { itemVariantView, saidVariant } from '../../products/said-variant.ts';
import { suggestVariants } from '../../products/suggest-variant.ts';
import { clearPlaces, countSaidItems, forgetItem, SAID_ITEMS_MAX, sayItem } from './file-item-sql.ts';
import { findItem, type ItemsBy, type NamedItem, namedItem, type SaidOfItem } from './file-items.ts';
import type { FileRow } from './file-row.ts';
import type { OrderFile, OrderFileItems, SayFileItemBody } from './order-file-schema.ts';
import { type FileHead, findFile, insertEntries, lockFile, readContent } from './order-file-sql.ts';
import {
  CONFIRMED,
  fileIdOf,
  ORDER_FILES_CHANGED,
  type OrderFilesContext,
  OTHER_PLAN,
  readOrderFile,
} from './order-files.ts';
import { fileEntry, readItemsBy, readOrders, readRows, stateOf } from './read-file.ts';

const UNKNOWN_MAX = 50;
const KNOWN_MAX = 200;
const SUGGESTIONS_MAX = 5;

type OpenedFile = {
  readonly id: Uuid;
  readonly head: FileHead;
  readonly headings: readonly string[];
  readonly rows: readonly FileRow[];
};

/** The items of a file that are none of the account's products, and those that are said. */
export async function listOrderFileItems(
  ctx: OrderFilesContext,
  { accountId }: Caller,
  fileId: string,
): Promise<OrderFileItems> {
  const { head, headings, rows } = await openFile(ctx, accountId, fileId);
  const { columns } = head;
  if (stateOf(columns) === 'unmapped') return { unknown: [], known: [] };
  const by = await readItemsBy(ctx, accountId, { headings, rows, columns });
  const items = itemsOf(rows, columns, by.catalogue).sort((one, other) => other.rows.length - one.rows.length);
  const unknown = items.filter(({ rows: [row] }) => row !== undefined && !isKnown(row, columns, by));
  return {
    unknown: unknown.slice(0, UNKNOWN_MAX).map(({ item: { key, title, sku }, rows: { length } }) => {
      const wanted = { key: sku === '' ? '' : `sku ${sku}`, title };
      const suggestions = suggestVariants(wanted, by.products, by.catalogue).slice(0, SUGGESTIONS_MAX);
      return { key, title, rows: length, suggestions: suggestions.map(itemVariantView) };
    }),
    known: items
      .flatMap(({ item: { key, title }, rows: { length } }) => {
        const said = by.said.get(key);
        return said === undefined ? [] : [{ key, title, rows: length, variant: variantOf(said, by) }];
      })
      .slice(0, KNOWN_MAX),
  };
}

function isKnown(row: FileRow, columns: FileHead['columns'], by: ItemsBy): boolean {
  const found = findItem(row, columns, by);
  return found.kind === 'others' || (found.kind === 'found' && found.product.skus.includes(found.sku));
}

function variantOf({ product_id: id, variant_sku: sku }: SaidOfItem, { products }: ItemsBy) {
  if (id === null || sku === null) return null;
  return itemVariantView({
    product: products.find((one) => one.id === id) ?? { id, name: 'an archived product' },
    sku,
  });
}

type ItemOfRows = { readonly item: NamedItem; readonly rows: readonly FileRow[] };

function itemsOf(
  rows: readonly FileRow[],
  columns: FileHead['columns'],
  catalogue: ItemsBy['catalogue'],
): ItemOfRows[] {
  const named = rows.flatMap((row) => {
    const item = namedItem(row, columns, catalogue);
    return item === undefined ? [] : [{ item, row }];
  });
  return [...Map.groupBy(named, ({ item }) => item.key).values()].flatMap((some) => {
    const [first] = some;
    return first === undefined ? [] : [{ item: first.item, rows: some.map(({ row }) => row) }];
  });
}

/**
 * Says what an item of a file is: a variant, or made by others.
 * That holds for this and all later files of the account.
 * The orders that have it are read and checked anew, so the file has a new plan. Throws 404, 422 for an item that the
 * file does not have and for what the account does not have, 409 once the file was confirmed.
 */
export async function sayOrderFileItem(
  ctx: OrderFilesContext,
  { accountId }: Caller,
  fileId: string,
  { key, ...says }: SayFileItemBody,
): Promise<OrderFile> {
  return changeItem(ctx, accountId, { fileId, key, judge: () => saidVariant(ctx.database, accountId, says) });
}

/** Forgets what was said of an item of a file; otherwise as `sayOrderFileItem`. */
export async function forgetOrderFileItem(
  ctx: OrderFilesContext,
  { accountId }: Caller,
  fileId: string,
  { key }: { readonly key: string },
): Promise<OrderFile> {
  return changeItem(ctx, accountId, { fileId, key, judge: async () => undefined });
}

async function changeItem(
  ctx: OrderFilesContext,
  accountId: Uuid,
  {
    fileId,
    key,
    judge,
  }: { readonly fileId: string; readonly key: string; readonly judge: () => Promise<SaidOfItem | undefined> },
): Promise<OrderFile> {
  const { id, head, headings, rows } = await openFile(ctx, accountId, fileId);
  const { columns, prefix, plan } = head;
  if (stateOf(columns) === 'unmapped') throw new ApiError('conflict', 'Choose the columns that are missing first.');
  const found = itemsOf(rows, columns, await ctx.catalogue.latest()).find(({ item }) => item.key === key);
  if (found === undefined) {
    throw validationFailed([{ path: 'key', code: 'unknown_item', message: 'is no item of this file.' }]);
  }
  const said = await judge();
  const orders = await readOrders(ctx, accountId, { headings, rows, columns, prefix }, { key, said });
  const own = new Set(found.rows.map(({ number }) => number));
  const entries = orders.map(fileEntry).filter((_, index) => orders[index]?.allRows.some((row) => own.has(row)));
  await ctx.database.transaction(async (tx) => {
    await lockAccount(tx, accountId);
    const file = await lockFile(tx, accountId, id);
    if (file === undefined) throw notFound();
    if (file.confirmed_at !== null) throw new ApiError('conflict', CONFIRMED);
    if (file.plan !== plan) throw new ApiError('conflict', OTHER_PLAN);
    const now = ctx.clock.now();
    if (said === undefined) {
      await forgetItem(tx, accountId, key);
    } else {
      if ((await countSaidItems(tx, accountId)) >= SAID_ITEMS_MAX) throw new ApiError('conflict', TOO_MANY_ITEMS);
      await sayItem(tx, { ...said, accountId, key, title: found.item.title, now });
    }
    const places = entries.map(({ place }) => place);
    await clearPlaces(tx, { accountId, id }, places, now);
    await insertEntries(tx, { accountId, id }, entries);
  });
  ctx.wake(ORDER_FILES_CHANGED);
  return readOrderFile(ctx, accountId, id);
}

const TOO_MANY_ITEMS = `${SAID_ITEMS_MAX} items of files are known. Forget some that are sold no more.`;

async function openFile(ctx: OrderFilesContext, accountId: Uuid, fileId: string): Promise<OpenedFile> {
  const id = fileIdOf(fileId);
  const head = await findFile(ctx.database, accountId, id);
  const content = await readContent(ctx.database, accountId, id);
  if (head === undefined || content === undefined) throw notFound();
  // Of an erased order its file keeps no text.
  return { id, head, ...(content === '' ? { headings: [], rows: [] } : readRows(content)) };
}
