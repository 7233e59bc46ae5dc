import type { CatalogueCache } from '../../catalogue/reference.ts';
import type { Caller } from '../../lib/caller.ts';
import type { Context } from '../../lib/context.ts';
import type { Db } from '../../lib/db.ts';
import { ApiError, notFound, type Problem, validationFailed } from '../../lib/errors.ts';
import { newId, parseId, type Uuid } from '../../lib/ids.ts';
import { type Page, readPage, toPage } from '../../lib/paging.ts';
import { type Columns, FIELDS, guessColumns } from './columns.ts';
import type {
  ChangeOrderFileBody,
  ListedOrderFile,
  ListOrderFileEntriesQuery,
  ListOrderFilesQuery,
  OrderFile,
  OrderFileEntries,
  UploadOrderFileBody,
} from './order-file-schema.ts';
import {
  confirmFile,
  countEntries,
  FILES_MAX,
  type FileHead,
  findFile,
  insertEntries,
  insertFile,
  listFileEntries,
  listFileHeads,
  lockAndCountFiles,
  lockFile,
  readContent,
  readMemory,
  remapFile,
  rememberHeadings,
  rememberPrefix,
  removeFile,
} from './order-file-sql.ts';
import { entryView, fileView, headingsOf, listedFileView } from './order-file-view.ts';
import { fileEntry, readOrders, readRows, stateOf } from './read-file.ts';

export type OrderFilesContext = Pick<Context, 'database' | 'clock' | 'wake'> & { readonly catalogue: CatalogueCache };

/** The hint that orders of a file can be checked or placed. */
export const ORDER_FILES_CHANGED = 'order_files_changed';

/**
 * Takes a file of many orders, guesses its columns, and reads its orders where nothing is missing.
 * Nothing is placed: a worker checks and prices the orders, and they wait for a confirmation. Throws 422 for a text
 * that is no CSV or has too many rows, 409 when the account has too many files.
 */
export async function uploadOrderFile(
  ctx: OrderFilesContext,
  { accountId }: Caller,
  { name, content }: UploadOrderFileBody,
): Promise<OrderFile> {
  const { headings, rows } = readRows(content);
  const memory = await readMemory(ctx.database, accountId);
  const columns = guessColumns(headings, memory.headings);
  const { prefix } = memory;
  const orders = await readOrders(ctx, accountId, { rows, headings, columns, prefix });
  const id = newId(ctx.clock.now().getTime());
  await ctx.database.transaction(async (tx) => {
    if ((await lockAndCountFiles(tx, accountId)) >= FILES_MAX) throw new ApiError('conflict', TOO_MANY_FILES);
    const state = stateOf(columns);
    const now = ctx.clock.now();
    await insertFile(tx, {
      accountId,
      id,
      name,
      content,
      headings,
      columns,
      prefix,
      rowCount: rows.length,
      state,
      now,
    });
    await insertEntries(tx, { accountId, id }, orders.map(fileEntry));
  });
  ctx.wake(ORDER_FILES_CHANGED);
  return readOrderFile(ctx, accountId, id);
}

const TOO_MANY_FILES = `An account keeps at most ${FILES_MAX} files. Remove one that you need no more.`;

/**
 * Reads a file by other columns or with another prefix, and remembers the columns.
 * The prefix is remembered once orders are placed with it. Its orders are read and checked anew, so it has a new plan.
 * Throws 404, 422 for a column that there is not, and 409 once the file was confirmed.
 */
export async function changeOrderFile(
  ctx: OrderFilesContext,
  { accountId }: Caller,
  fileId: string,
  body: ChangeOrderFileBody,
): Promise<OrderFile> {
  const id = fileIdOf(fileId);
  const before = await findFile(ctx.database, accountId, id);
  const content = await readContent(ctx.database, accountId, id);
  if (before === undefined || content === undefined) throw notFound();
  const { headings, rows } = readRows(content);
  const columns = changedColumns(before.columns, body, headings);
  const prefix = body.prefix ?? before.prefix;
  const orders = await readOrders(ctx, accountId, { rows, headings, columns, prefix });
  await ctx.database.transaction(async (tx) => {
    const file = await lockFile(tx, accountId, id);
    if (file === undefined) throw notFound();
    if (file.confirmed_at !== null) throw new ApiError('conflict', CONFIRMED);
    if (file.plan !== before.plan) throw new ApiError('conflict', OTHER_PLAN);
    const placesRepeats = body.places_repeats ?? before.places_repeats;
    const now = ctx.clock.now();
    await remapFile(tx, { accountId, id, columns, prefix, placesRepeats, state: stateOf(columns), now });
    await insertEntries(tx, { accountId, id }, orders.map(fileEntry));
    const chosen = (body.columns ?? []).map(({ field, column }) => [field, headings[column ?? -1] ?? ''] as const);
    await rememberHeadings(tx, accountId, Object.fromEntries(chosen));
  });
  ctx.wake(ORDER_FILES_CHANGED);
  return readOrderFile(ctx, accountId, id);
}

/** What is said of a file whose orders are confirmed. */
export const CONFIRMED = 'The orders of this file were confirmed. Upload it again to read it otherwise.';
/** What is said of a file that has another plan by now. */
export const OTHER_PLAN = 'The file was read anew meanwhile. Look at it again.';

/** A file of the account. Throws 404. */
export async function getOrderFile(ctx: Pick<Context, 'database'>, caller: Caller, fileId: string): Promise<OrderFile> {
  return readOrderFile(ctx, caller.accountId, fileIdOf(fileId));
}

/** A page of the account's files, newest first. */
export async function listOrderFiles(
  ctx: Pick<Context, 'database'>,
  { accountId }: Caller,
  query: ListOrderFilesQuery,
): Promise<Page<ListedOrderFile>> {
  const { limit, after } = readPage('file', query);
  const files = await listFileHeads(ctx.database, accountId, after, limit + 1);
  const ids = files.map(({ id }) => id);
  const counts = await countEntries(ctx.database, accountId, ids);
  return toPage(
    files,
    limit,
    (file) => listedFileView(file, counts),
    ({ id }) => id,
  );
}

const ENTRIES_PAGE = 100;

/** A page of the orders of a file, in the order of its rows. Throws 404. */
export async function listOrderFileEntries(
  ctx: Pick<Context, 'database'>,
  { accountId }: Caller,
  fileId: string,
  { status, after = '0' }: ListOrderFileEntriesQuery,
): Promise<OrderFileEntries> {
  const id = fileIdOf(fileId);
  const file = await findFile(ctx.database, accountId, id);
  if (file === undefined) throw notFound();
  const page = { after: Number(after), state: status, limit: ENTRIES_PAGE + 1 };
  const rows = await listFileEntries(ctx.database, { accountId, id }, page);
  const shown = rows.slice(0, ENTRIES_PAGE);
  const of = { columns: file.columns, headings: headingsOf(file) };
  return {
    data: shown.map((row) => entryView(row, of)),
    next_after: rows.length > ENTRIES_PAGE ? (shown.at(-1)?.place ?? null) : null,
  };
}

/**
 * Lets the orders of a file that are ready be placed, in the background, at what was shown at most.
 * A repeat changes nothing. Throws 404, and 409 while orders are being checked, when the file was read anew since, or
 * when none of them is ready.
 */
export async function placeOrderFile(
  ctx: OrderFilesContext,
  { accountId }: Caller,
  fileId: string,
  plan: number,
): Promise<OrderFile> {
  const id = fileIdOf(fileId);
  await ctx.database.transaction(async (tx) => {
    const file = await lockFile(tx, accountId, id);
    if (file === undefined) throw notFound();
    if (file.plan !== plan) throw new ApiError('conflict', OTHER_PLAN);
    if (file.confirmed_at !== null) return;
    if (file.state !== 'ready') throw new ApiError('conflict', 'Its orders are not all checked yet. Wait for that.');
    const counts = await countEntries(tx, accountId, [id]);
    if (!counts.some(({ state }) => state === 'ready'))
      throw new ApiError('conflict', 'No order of this file is ready.');
    await confirmFile(tx, accountId, id, ctx.clock.now());
    await rememberPrefix(tx, accountId, file.prefix);
  });
  ctx.wake(ORDER_FILES_CHANGED);
  return readOrderFile(ctx, accountId, id);
}

/** Removes a file; its orders stay. Throws 404, and 409 while they are being placed. */
export async function removeOrderFile(
  ctx: Pick<Context, 'database'>,
  { accountId }: Caller,
  fileId: string,
): Promise<void> {
  const id = fileIdOf(fileId);
  await ctx.database.transaction(async (tx) => {
    const file = await lockFile(tx, accountId, id);
    if (file === undefined) throw notFound();
    if (file.state === 'placing')
      throw new ApiError('conflict', 'Its orders are being placed. Wait until that is done.');
    await removeFile(tx, accountId, id);
  });
}

/** The id of a file from its public one. Throws 404. */
export function fileIdOf(fileId: string): Uuid {
  const id = parseId('file', fileId);
  if (id === undefined) throw notFound();
  return id;
}

/** A file of an account as it is now. Throws 404. */
export async function readOrderFile({ database }: { database: Db }, accountId: Uuid, id: Uuid): Promise<OrderFile> {
  const file = await findFile(database, accountId, id);
  if (file === undefined) throw notFound();
  return fileView(file, await countEntries(database, accountId, [id]));
}

function changedColumns(before: FileHead['columns'], body: ChangeOrderFileBody, headings: readonly string[]): Columns {
  const changes = body.columns ?? [];
  const problems = changes.flatMap(({ column }, index): Problem[] =>
    column === null || column < headings.length
      ? []
      : [
          {
            path: `columns[${index}].column`,
            code: 'out_of_bounds',
            message: `The file has ${headings.length} columns.`,
          },
        ],
  );
  if (problems.length > 0) throw validationFailed(problems);
  const after = new Map(
    FIELDS.flatMap((field) => (before[field] === undefined ? [] : [[field, before[field]] as const])),
  );
  for (const { field, column } of changes) {
    if (column === null) after.delete(field);
    else after.set(field, column);
  }
  return Object.fromEntries(after);
}
