import { readSellerDays } from '../billing/seller-days.ts';
import { parseTime } from '../lib/clock.ts';
import type { Context } from '../lib/context.ts';
import { noSuch, validationFailed } from '../lib/errors.ts';
import { FIRST_ID, firstIdAt, LAST_ID, parseId, parseOrderReference, publicId, type Uuid } from '../lib/ids.ts';
import { fromPounds } from '../lib/money.ts';
import { type Page, readPage } from '../lib/paging.ts';
import { type DayBounds, parseDay, type SellerDays, sellerDayBounds } from '../lib/seller-day.ts';
import {
  findSearchedEnd,
  type ListedOpsRow,
  listNeedingRows,
  listOpsOrderRows,
  listSearchedRows,
  listTrackedRows,
} from './ops-list-sql.ts';
import type { ListOpsOrdersQuery, OpsOrder } from './ops-schema.ts';
import {
  findAnyOrderId,
  findAnyOrderIdByReference,
  findAnyOrderIdOfLine,
  findOpsOrder,
  type OpsOrderParts,
} from './ops-sql.ts';
import { opsOrderView } from './ops-view.ts';
import { findReference } from './read-sql.ts';
import type { Sort } from './reading/direction.ts';
import { emailKey, phoneKey } from './search/contact-keys.ts';
import { rarestFirst } from './search/search-sql.ts';
import { compact, likelyRarestFirst, type SearchTerm, wordsOf } from './search/search-terms.ts';
import { ORDER_STATES } from './status.ts';

type ReadContext = Pick<Context, 'asker' | 'database' | 'clock' | 'config' | 'secrets'>;

/** An order of any account as operators see it, the answer to every action on it. Throws 404. */
export async function readOpsOrder(ctx: ReadContext, orderId: Uuid): Promise<OpsOrder> {
  const order = await findOpsOrder(ctx.database, orderId);
  if (order === undefined) throw noSuch('order');
  return opsOrderView(ctx, order);
}

/**
 * The id of an order of any account, by its public id or its reference. Throws 404 if unknown.
 * A reference is matched in any letter case.
 */
export async function opsOrderIdOf(ctx: Pick<Context, 'database'>, idOrReference: string): Promise<Uuid> {
  const id = parseId('ord', idOrReference);
  const reference = id === undefined ? parseOrderReference(idOrReference) : undefined;
  const found =
    id !== undefined
      ? await findAnyOrderId(ctx.database, id)
      : reference !== undefined
        ? await findAnyOrderIdByReference(ctx.database, reference)
        : undefined;
  if (found === undefined) throw noSuch('order');
  return found;
}

/** The id of a line's order, as barcodes of job sheets and packing slips name it. Throws 404. */
export async function opsOrderIdOfLine(ctx: Pick<Context, 'database'>, line: string): Promise<Uuid> {
  const lineId = parseId('line', line);
  const found = lineId === undefined ? undefined : await findAnyOrderIdOfLine(ctx.database, lineId);
  if (found === undefined) throw noSuch('order');
  return found;
}

/**
 * As `opsOrderIdOf`, and by a line's id too: whatever was scanned.
 * For reading only, so that scanning one line cannot cancel a whole order.
 */
export async function scannedOrderIdOf(ctx: Pick<Context, 'database'>, text: string): Promise<Uuid> {
  return parseId('line', text) === undefined ? opsOrderIdOf(ctx, text) : opsOrderIdOfLine(ctx, text);
}

/**
 * A page of the orders of all accounts, newest or oldest first.
 * `reference` is the order's own, its external reference, or the id of a line. An `account` that is no account's id
 * has no orders. Throws 422 for finders that do not combine, for a day that does not exist and for a recipient without
 * a word.
 */
export async function listOpsOrders(ctx: ReadContext, query: ListOpsOrdersQuery): Promise<Page<OpsOrder>> {
  const asked = searchOf(query);
  refuseMany(query, asked);
  const { limit, after: cursor } = readPage('ord', query);
  const accountId = query.account === undefined ? undefined : parseId('acct', query.account);
  if (query.account !== undefined && accountId === undefined) return NOTHING;
  const states = query.state === undefined ? ORDER_STATES : [query.state];
  const sort = query.sort ?? 'newest';
  const placed = placedRange(query, await readSellerDays(ctx));
  const after = beginOf(placed, sort, cursor);
  if (query.reference !== undefined) {
    const order = await findByAnyReference(ctx, query.reference);
    const isShown =
      order !== undefined &&
      (sort === 'newest' ? order.id < after : order.id > after) &&
      isPlacedIn(placed, order) &&
      states.includes(order.state) &&
      (accountId === undefined || order.account.id === accountId);
    return isShown ? { ...NOTHING, data: [await opsOrderView(ctx, order)] } : NOTHING;
  }
  const terms = await rarestFirst(ctx.database, asked);
  const found = await rowsOf(ctx, query, terms, { after, limit: limit + 1, states, accountId, sort });
  // What lies beyond the times of placing ends the list.
  const rows = found.filter((order) => isPlacedIn(placed, order));
  const shown = rows.slice(0, limit);
  const views: OpsOrder[] = [];
  for (const row of shown) views.push(await opsOrderView(ctx, row));
  const next = shown.at(-1)?.next_id ?? undefined;
  const last = next !== undefined && isPlacedIn(placed, { id: next }) ? views.at(-1) : undefined;
  const page = { data: views, has_more: last !== undefined, next_cursor: last?.id ?? null };
  if (page.has_more || terms.length === 0) return page;
  // A search that has looked at enough goes on behind the last order that it has looked at.
  const end = await findSearchedEnd(ctx.database, { after, sort, terms });
  return end !== undefined && isPlacedIn(placed, { id: end })
    ? { ...page, has_more: true, next_cursor: publicId('ord', end) }
    : page;
}

function refuseMany(query: ListOpsOrdersQuery, terms: readonly SearchTerm[]): void {
  const given = FINDERS.filter((name) => query[name] !== undefined);
  const searched = terms.length > 0 ? SEARCHES.filter((name) => query[name] !== undefined) : [];
  if (given.length + (searched.length > 0 ? 1 : 0) <= 1) return;
  const message = `cannot be combined: use one of ${FINDERS.join(', ')}, or any of ${SEARCHES.join(', ')}.`;
  throw validationFailed([...given, ...searched].map((path) => ({ path, code: 'one_of', message })));
}

const FINDERS = ['reference', 'needs', 'tracking_number'] as const;
const SEARCHES = ['recipient', 'postcode', 'phone', 'email', 'external_reference', 'amount_gbp'] as const;

/** The terms that an order must have, the one that is likely to be the rarest first. */
function searchOf(query: ListOpsOrdersQuery): SearchTerm[] {
  const { recipient, postcode, phone, email, external_reference: reference, amount_gbp: amount } = query;
  const words = recipient === undefined ? undefined : wordsOf(recipient);
  if (words?.length === 0) {
    throw validationFailed([{ path: 'recipient', code: 'pattern', message: 'must have a letter or a digit.' }]);
  }
  if (phone !== undefined && phoneKey(phone) === '') {
    throw validationFailed([{ path: 'phone', code: 'pattern', message: 'must have a digit other than 0.' }]);
  }
  const total = amount === undefined ? undefined : fromPounds(amount);
  return likelyRarestFirst([
    ...(reference === undefined ? [] : [{ kind: 'external_reference' as const, term: compact(reference) }]),
    ...(email === undefined ? [] : [{ kind: 'email' as const, term: emailKey(email) }]),
    ...(phone === undefined ? [] : [{ kind: 'phone' as const, term: phoneKey(phone) }]),
    ...(postcode === undefined ? [] : [{ kind: 'postcode' as const, term: compact(postcode) }]),
    ...(words ?? []).map((term) => ({ kind: 'recipient' as const, term })),
    ...(total === undefined ? [] : [{ kind: 'amount' as const, term: String(total) }]),
  ]);
}

/** The ids between which orders were placed: an id has the time of its placing. */
type PlacedRange = { readonly from: Uuid; readonly before: Uuid };

function placedRange(query: ListOpsOrdersQuery, days: SellerDays): PlacedRange {
  const from = query.placed_from === undefined ? undefined : momentOf('placed_from', query.placed_from, days);
  const to = query.placed_to === undefined ? undefined : momentOf('placed_to', query.placed_to, days);
  return {
    from: from === undefined ? (FIRST_ID as Uuid) : firstIdAt(from.from),
    before: to === undefined ? (LAST_ID as Uuid) : firstIdAt(to.until),
  };
}

/** A time, which lasts a millisecond, or a day of the seller. */
function momentOf(path: string, text: string, days: SellerDays): DayBounds {
  const day = parseDay(text);
  if (day !== undefined) return sellerDayBounds(days, day);
  const from = parseTime(text);
  if (from === undefined) {
    throw validationFailed([{ path, code: 'time', message: `There is no such day as ${text}.` }]);
  }
  return { from, until: new Date(from.getTime() + 1) };
}

/** Where a list begins: after the cursor, and not outside the times of placing. */
function beginOf({ from, before }: PlacedRange, sort: Sort, cursor: Uuid | undefined): Uuid {
  if (sort === 'newest') return cursor === undefined || cursor > before ? before : cursor;
  return cursor === undefined || cursor < from ? from : cursor;
}

function isPlacedIn({ from, before }: PlacedRange, order: { readonly id: Uuid }): boolean {
  return order.id >= from && order.id < before;
}

async function rowsOf(
  ctx: ReadContext,
  query: ListOpsOrdersQuery,
  terms: readonly SearchTerm[],
  page: Parameters<typeof listOpsOrderRows>[1],
): Promise<ListedOpsRow[]> {
  const { database } = ctx;
  const { needs: need, tracking_number: trackingNumber } = query;
  if (need !== undefined) return listNeedingRows(database, { ...page, need });
  if (trackingNumber !== undefined) return listTrackedRows(database, { ...page, trackingNumber });
  if (terms.length > 0) return listSearchedRows(database, { ...page, terms });
  return listOpsOrderRows(database, page);
}

const NOTHING: Page<OpsOrder> = { data: [], has_more: false, next_cursor: null };

async function findByAnyReference(
  ctx: Pick<Context, 'database'>,
  reference: string,
): Promise<OpsOrderParts | undefined> {
  const ours = parseOrderReference(reference);
  const lineId = parseId('line', reference);
  const id =
    (lineId === undefined ? undefined : await findAnyOrderIdOfLine(ctx.database, lineId)) ??
    (ours === undefined ? undefined : await findAnyOrderIdByReference(ctx.database, ours)) ??
    (await findReference(ctx.database, reference))?.order_id;
  return id === undefined ? undefined : findOpsOrder(ctx.database, id);
}
