import type { Caller } from '../lib/caller.ts';
import { parseTime } from '../lib/clock.ts';
import type { Context } from '../lib/context.ts';
import { notFound, validationFailed } from '../lib/errors.ts';
import { parseId, parseOrderReference } from '../lib/ids.ts';
import { type Page, readPage, toPage } from '../lib/paging.ts';
import type { ListOrdersQuery, Order } from './schema.ts';
import {
  findOrderById,
  findOrderByReference,
  findReference,
  listOrderRows,
  type OrderFilter,
  type OrderRow,
} from './sql.ts';
import { ORDER_STATES, statesOf } from './status.ts';
import { orderView } from './view.ts';

/** One order by id or reference (spec 4.1); unknown and another account's are the same 404. */
export async function getOrder(ctx: Context, caller: Caller, idOrReference: string): Promise<Order> {
  const order = await findOrder(ctx, caller, idOrReference);
  if (order === undefined) throw notFound();
  return orderView(ctx, order);
}

/** A page of the account's orders from all sources, newest first. 422 for a time that no calendar has. */
export async function listOrders(ctx: Context, caller: Caller, query: ListOrdersQuery): Promise<Page<Order>> {
  const { limit, after } = readPage('ord', query);
  const filter = filterOf(query);
  if (query.external_reference !== undefined) {
    const order = await findByExternalReference(ctx, caller, query.external_reference);
    const isShown = order !== undefined && (after === undefined || order.id < after) && matches(order, filter);
    return { data: isShown ? [orderView(ctx, order)] : [], has_more: false, next_cursor: null };
  }
  // One row more than the page tells whether another page follows.
  const rows = await listOrderRows(ctx.database, caller.accountId, { before: after ?? null, limit: limit + 1, filter });
  return toPage(
    rows,
    limit,
    (row) => orderView(ctx, row),
    (order) => order.id,
  );
}

function filterOf(query: ListOrdersQuery): OrderFilter | undefined {
  const { status, type, updated_since: since } = query;
  if (status === undefined && type === undefined && since === undefined) return undefined;
  const updatedSince = since === undefined ? undefined : parseTime(since);
  if (since !== undefined && updatedSince === undefined) {
    throw validationFailed([{ path: 'updated_since', code: 'time', message: `There is no such time as ${since}.` }]);
  }
  return {
    states: status === undefined ? ORDER_STATES : statesOf(status),
    types: type === undefined ? ['bulk', 'sample'] : [type],
    updatedSince,
  };
}

/** Of a single order, which was found without it. */
function matches(order: OrderRow, filter: OrderFilter | undefined): boolean {
  if (filter === undefined) return true;
  const { states, types, updatedSince } = filter;
  return (
    states.includes(order.state) &&
    types.includes(order.type) &&
    (updatedSince === undefined || order.updated_at.getTime() >= updatedSince.getTime())
  );
}

/** An external reference of another account is as unknown as one of nobody. */
async function findByExternalReference(
  ctx: Context,
  caller: Caller,
  externalReference: string,
): Promise<OrderRow | undefined> {
  const found = await findReference(ctx.database, externalReference);
  if (found?.account_id !== caller.accountId) return undefined;
  return findOrderById(ctx.database, caller.accountId, found.order_id);
}

/** An order of the caller by id or reference; undefined for an unknown one and another account's. */
export async function findOrder(ctx: Context, caller: Caller, idOrReference: string): Promise<OrderRow | undefined> {
  const id = parseId('ord', idOrReference);
  if (id !== undefined) return findOrderById(ctx.database, caller.accountId, id);
  const reference = parseOrderReference(idOrReference);
  return reference === undefined ? undefined : findOrderByReference(ctx.database, caller.accountId, reference);
}
