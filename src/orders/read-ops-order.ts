import type { Context } from '../lib/context.ts';
import { notFound, validationFailed } from '../lib/errors.ts';
import { parseId, parseOrderReference, type Uuid } from '../lib/ids.ts';
import { type Page, readPage, toPage } from '../lib/paging.ts';
import { type ListedOpsRow, listKnownRows, listNeedingRows, listOpsOrderRows } from './ops-list-sql.ts';
import type { ListOpsOrdersQuery, OpsOrder } from './ops-schema.ts';
import {
  findAnyOrderId,
  findAnyOrderIdByReference,
  findAnyOrderIdOfLine,
  findOpsOrder,
  type OpsOrderRow,
} from './ops-sql.ts';
import { opsOrderView } from './ops-view.ts';
import { withArtwork } from './read-orders.ts';
import { findReference } from './read-sql.ts';
import { ORDER_STATES } from './status.ts';

type ReadContext = Pick<Context, 'database' | 'clock' | 'config' | 'secrets'>;

/** An order of any account as operators see it, the answer to every action on it. Throws 404. */
export async function readOpsOrder(ctx: ReadContext, orderId: Uuid): Promise<OpsOrder> {
  const order = await findOpsOrder(ctx.database, orderId);
  if (order === undefined) throw notFound();
  return withArtwork(ctx, order.account.id, order, opsOrderView(ctx, order));
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
  if (found === undefined) throw notFound();
  return found;
}

/** The id of a line's order, as barcodes of job sheets and packing slips name it. Throws 404. */
export async function opsOrderIdOfLine(ctx: Pick<Context, 'database'>, line: string): Promise<Uuid> {
  const lineId = parseId('line', line);
  const found = lineId === undefined ? undefined : await findAnyOrderIdOfLine(ctx.database, lineId);
  if (found === undefined) throw notFound();
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
 * has no orders. Throws 422 for more than one of `reference`, `needs`, `tracking_number` and `postcode`.
 */
export async function listOpsOrders(ctx: ReadContext, query: ListOpsOrdersQuery): Promise<Page<OpsOrder>> {
  refuseMany(query);
  const { limit, after } = readPage('ord', query);
  const accountId = query.account === undefined ? undefined : parseId('acct', query.account);
  if (query.account !== undefined && accountId === undefined) return NOTHING;
  const states = query.state === undefined ? ORDER_STATES : [query.state];
  const sort = query.sort ?? 'newest';
  if (query.reference !== undefined) {
    const order = await findByAnyReference(ctx, query.reference);
    const isShown =
      order !== undefined &&
      (after === undefined || (sort === 'newest' ? order.id < after : order.id > after)) &&
      states.includes(order.state) &&
      (accountId === undefined || order.account.id === accountId);
    return isShown ? { ...NOTHING, data: [opsOrderView(ctx, order)] } : NOTHING;
  }
  const rows = await rowsOf(ctx, query, { after: after ?? null, limit: limit + 1, states, accountId, sort });
  // As in an account's list: the page was cut for its lines, and its last row only shows that another page follows.
  const isCut = rows.length < (rows[0]?.candidates ?? 0);
  return toPage(
    rows,
    isCut ? rows.length - 1 : limit,
    (row) => opsOrderView(ctx, row),
    (order) => order.id,
  );
}

function refuseMany(query: ListOpsOrdersQuery): void {
  const given = FINDERS.filter((name) => query[name] !== undefined);
  const message = `cannot be combined: use only one of ${FINDERS.join(', ')}.`;
  if (given.length > 1) throw validationFailed(given.map((path) => ({ path, code: 'one_of', message })));
}

const FINDERS = ['reference', 'needs', 'tracking_number', 'postcode'] as const;

async function rowsOf(
  ctx: ReadContext,
  query: ListOpsOrdersQuery,
  page: Parameters<typeof listOpsOrderRows>[1],
): Promise<ListedOpsRow[]> {
  const { database } = ctx;
  const { needs: need, tracking_number: trackingNumber, postcode } = query;
  if (need !== undefined) return listNeedingRows(database, { ...page, need });
  if (trackingNumber !== undefined) {
    return listKnownRows(database, { ...page, by: 'tracking_number', text: trackingNumber });
  }
  if (postcode !== undefined) return listKnownRows(database, { ...page, by: 'postcode', text: postcode });
  return listOpsOrderRows(database, page);
}

const NOTHING: Page<OpsOrder> = { data: [], has_more: false, next_cursor: null };

async function findByAnyReference(ctx: Pick<Context, 'database'>, reference: string): Promise<OpsOrderRow | undefined> {
  const ours = parseOrderReference(reference);
  const lineId = parseId('line', reference);
  const id =
    (lineId === undefined ? undefined : await findAnyOrderIdOfLine(ctx.database, lineId)) ??
    (ours === undefined ? undefined : await findAnyOrderIdByReference(ctx.database, ours)) ??
    (await findReference(ctx.database, reference))?.order_id;
  return id === undefined ? undefined : findOpsOrder(ctx.database, id);
}
