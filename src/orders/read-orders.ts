import type { Caller } from '../lib/caller.ts';
import { parseTime } from '../lib/clock.ts';
import { notFound, validationFailed } from '../lib/errors.ts';
import { FIRST_ID, firstIdAt, LAST_ID, parseId, parseOrderReference, type Uuid } from '../lib/ids.ts';
import { type Page, readPage } from '../lib/paging.ts';
import { asPiece } from '../lib/turns/pieces.ts';
import { listBlockedRows } from './blocked/blocked-sql.ts';
import type { OrdersContext } from './context.ts';
import {
  type ListedRow,
  type ListPart,
  listChangedSince,
  listOrderRows,
  listPlacedSince,
  type OrderFilter,
} from './list-sql.ts';
import { findReference, type ShownOrderParts } from './read-sql.ts';
import type { Sort } from './reading/direction.ts';
import { type ListOrdersQuery, OLDEST } from './reading/list-schema.ts';
import { filesOf, LINES_AT_ONCE_MAX, orderInPieces, orderWith, orderWithInPieces } from './reading/put-together.ts';
import type { Order } from './schema.ts';
import { listNumberedRows } from './search/number-sql.ts';
import { ORDER_STATES, statesOf } from './status.ts';
import { orderView, orderViewInPieces } from './view.ts';

type ReadContext = Pick<OrdersContext, 'asker' | 'clock' | 'config' | 'database' | 'reading' | 'secrets'>;

/**
 * Returns one order by id or reference, with the artwork of its lines (spec 4.1).
 * Unknown and another account's are the same 404.
 */
export async function getOrder(ctx: ReadContext, caller: Caller, idOrReference: string): Promise<Order> {
  const order = await findOrder(ctx, caller, idOrReference);
  if (order === undefined) throw notFound();
  return viewOf(ctx, order);
}

/**
 * A page of the account's orders from all sources, newest first or oldest first.
 * Throws 422 for an invalid time, and for the cursor of the other order.
 */
export async function listOrders(ctx: ReadContext, caller: Caller, query: ListOrdersQuery): Promise<Page<Order>> {
  const sort = query.sort ?? 'newest';
  const { limit } = readPage('ord', query);
  const filter = filterOf(query);
  const updatedSince = timeOf('updated_since', query.updated_since);
  const placed = placedOf(query);
  const after = beginOf(placed, sort, cursorOf(query, sort));
  if (query.external_reference !== undefined) {
    const order = await findByExternalReference(ctx, caller, query.external_reference);
    const isShown =
      order !== undefined &&
      (sort === 'newest' ? order.id < after : order.id > after) &&
      isPlacedIn(placed, order.id) &&
      matches(order, filter, updatedSince);
    const views = isShown ? [await viewOf(ctx, order)] : [];
    return { data: views.filter((view) => hasNumberAndBlock(view, query)), has_more: false, next_cursor: null };
  }
  // One row beyond the page shows whether another page follows.
  const page = { after, limit: limit + 1, sort };
  const { rows, candidates } = await findRows(ctx, caller, query, { ...page, filter, updatedSince });
  const found = rows.slice(0, limit);
  // What was placed beyond the times that are asked for ends the list.
  const shown = found.filter(({ id }) => isPlacedIn(placed, id));
  const views = await viewsOf(ctx, shown);
  // What is not shown of the page, or was cut off it for its lines, follows, unless it was placed beyond them.
  const following = found.at(-1)?.next_id ?? undefined;
  const goesOn = shown.length === found.length && found.length < candidates;
  const last = goesOn && (following === undefined || isPlacedIn(placed, following)) ? views.at(-1) : undefined;
  const data = views.filter((view) => hasNumberAndBlock(view, query));
  return { data, has_more: last !== undefined, next_cursor: last === undefined ? null : nextCursorOf(last, sort) };
}

/**
 * The order that a page begins after.
 * Throws 422 for a cursor of the list from its other end, where it is another place.
 */
function cursorOf({ cursor }: ListOrdersQuery, sort: Sort): Uuid | undefined {
  if (cursor === undefined) return undefined;
  const isOfOldest = cursor.startsWith(OLDEST);
  if (isOfOldest === (sort === 'oldest')) return parseId('ord', isOfOldest ? cursor.slice(OLDEST.length) : cursor);
  const message = `is of a list with ${isOfOldest ? 'the oldest' : 'the newest'} first. Send it with the sort of its page.`;
  throw validationFailed([{ path: 'cursor', code: 'pattern', message }]);
}

function nextCursorOf({ id }: Order, sort: Sort): string {
  return sort === 'oldest' ? `${OLDEST}${id}` : id;
}

/** The rows of a page by its rarest filter. */
async function findRows(
  ctx: ReadContext,
  caller: Caller,
  { number, blocked_by: by }: ListOrdersQuery,
  page: ListPart & { readonly filter: OrderFilter | undefined; readonly updatedSince: Date | undefined },
): Promise<Listed> {
  const { updatedSince, ...part } = page;
  const { accountId } = caller;
  const few = { ...part, filter: { ...(page.filter ?? ANY), updatedSince } };
  if (number !== undefined) return listed(await listNumberedRows(ctx.database, accountId, { ...few, number }));
  if (by !== undefined) return listed(await listBlockedRows(ctx.database, accountId, { ...few, by }));
  if (updatedSince === undefined) return listed(await listOrderRows(ctx.database, accountId, part));
  return listRowsSince(ctx, caller, { ...part, filter: page.filter ?? ANY, since: updatedSince });
}

/** Whether an order passes the filters by number and by block, where the page was found by another one. */
function hasNumberAndBlock(order: Order, { number, blocked_by: by, external_reference: reference }: ListOrdersQuery) {
  const isBlocked = by === undefined || order.blocked_by.some(({ kind }) => by === 'anything' || kind === by);
  if (number === undefined || reference === undefined) return isBlocked;
  const bare = (text: string): string => text.trim().replace(/^#/, '');
  return isBlocked && [order.external_reference, order.shop_number].some((text) => bare(text) === bare(number));
}

type Listed = { readonly rows: readonly ListedRow[]; readonly candidates: number };

function listed(rows: readonly ListedRow[]): Listed {
  return { rows, candidates: rows[0]?.candidates ?? 0 };
}

/**
 * Orders placed since a time, and older ones that changed since.
 * The two lists do not overlap: the one that comes second has what room the first leaves.
 */
async function listRowsSince(
  { database }: ReadContext,
  { accountId }: Caller,
  page: ListPart & { filter: OrderFilter; since: Date },
): Promise<Listed> {
  const placed = async (limit: number): Promise<Listed> =>
    listed(await database.transaction((tx) => listPlacedSince(tx, accountId, { ...page, limit })));
  const changed = async (limit: number): Promise<Listed> =>
    listed(await listChangedSince(database, accountId, { ...page, limit }));
  const [begin, goOn] = page.sort === 'newest' ? [placed, changed] : [changed, placed];
  const first = await begin(page.limit);
  const limit = page.limit - first.candidates;
  if (limit <= 0 || first.rows.length < first.candidates) return first;
  const second = await goOn(limit);
  return { rows: [...first.rows, ...second.rows], candidates: first.candidates + second.candidates };
}

const ANY: OrderFilter = { states: ORDER_STATES, types: ['bulk', 'sample'] };

function filterOf({ status, type }: ListOrdersQuery): OrderFilter | undefined {
  if (status === undefined && type === undefined) return undefined;
  return {
    states: status === undefined ? ANY.states : statesOf(status),
    types: type === undefined ? ANY.types : [type],
  };
}

function timeOf(path: keyof ListOrdersQuery, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const time = parseTime(text);
  if (time !== undefined) return time;
  throw validationFailed([{ path, code: 'time', message: `There is no such time as ${text}.` }]);
}

/** A span of times as ids, which begin with the time of placing. */
type PlacedSpan = { readonly floor: Uuid; readonly ceiling: Uuid };

function placedOf(query: ListOrdersQuery): PlacedSpan {
  const since = timeOf('placed_since', query.placed_since);
  const before = timeOf('placed_before', query.placed_before);
  return {
    floor: since === undefined ? (FIRST_ID as Uuid) : firstIdAt(since),
    ceiling: before === undefined ? (LAST_ID as Uuid) : firstIdAt(before),
  };
}

/** Where a page begins: after its cursor, and not outside the times of placing. */
function beginOf({ floor, ceiling }: PlacedSpan, sort: Sort, cursor: Uuid | undefined): Uuid {
  if (sort === 'newest') return cursor === undefined || cursor > ceiling ? ceiling : cursor;
  return cursor === undefined || cursor < floor ? floor : cursor;
}

function isPlacedIn({ floor, ceiling }: PlacedSpan, id: Uuid): boolean {
  return id >= floor && id < ceiling;
}

/** Whether an order that was found without the filters passes them. */
function matches(order: ShownOrderParts, filter: OrderFilter = ANY, updatedSince: Date | undefined): boolean {
  return (
    filter.states.includes(order.state) &&
    filter.types.includes(order.type) &&
    (updatedSince === undefined || order.updated_at.getTime() >= updatedSince.getTime())
  );
}

/** Another account's external reference is as unknown as one that does not exist. */
async function findByExternalReference(
  ctx: ReadContext,
  caller: Caller,
  externalReference: string,
): Promise<ShownOrderParts | undefined> {
  const found = await findReference(ctx.database, externalReference);
  if (found?.account_id !== caller.accountId) return undefined;
  return ctx.reading(ctx, { accountId: caller.accountId, id: found.order_id });
}

/** Finds an order of the caller by id or reference; undefined if unknown or another account's. */
async function findOrder(
  ctx: ReadContext,
  { accountId }: Caller,
  idOrReference: string,
): Promise<ShownOrderParts | undefined> {
  const id = parseId('ord', idOrReference);
  if (id !== undefined) return ctx.reading(ctx, { accountId, id });
  const reference = parseOrderReference(idOrReference);
  return reference === undefined ? undefined : ctx.reading(ctx, { accountId, reference });
}

async function viewOf(ctx: ReadContext, parts: ShownOrderParts): Promise<Order> {
  return orderViewInPieces(ctx, await orderInPieces(ctx.asker, parts));
}

/** The views of a page, order by order where it has many lines: in between the thread serves others. */
async function viewsOf(ctx: ReadContext, page: readonly ListedRow[]): Promise<Order[]> {
  const { asker } = ctx;
  const lines = page.reduce((sum, { line_count: count }) => sum + count, 0);
  const files = await asPiece(asker, lines, () => filesOf(page.map(({ files_text: text }) => text)));
  const views: Order[] = [];
  for (const row of page) {
    if (row.line_count > LINES_AT_ONCE_MAX) {
      views.push(await orderViewInPieces(ctx, await orderWithInPieces(asker, files, row)));
    } else {
      views.push(await asPiece(asker, lines, () => orderView(ctx, orderWith(files, row))));
    }
  }
  return views;
}
