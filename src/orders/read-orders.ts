import type { Caller } from '../lib/caller.ts';
import type { Context } from '../lib/context.ts';
import { notFound } from '../lib/errors.ts';
import { parseId, parseOrderReference } from '../lib/ids.ts';
import { type Page, readPage, toPage } from '../lib/paging.ts';
import type { ListOrdersQuery, Order } from './schema.ts';
import { findOrderById, findOrderByReference, listOrderRows, type OrderRow } from './sql.ts';
import { statesOf } from './status.ts';
import { orderView } from './view.ts';

/** One order by id or reference (spec 4.1); unknown and another account's are the same 404. */
export async function getOrder(ctx: Context, caller: Caller, idOrReference: string): Promise<Order> {
  const order = await findOrder(ctx, caller, idOrReference);
  if (order === undefined) throw notFound();
  return orderView(ctx, order);
}

/** A page of the account's orders from all sources, newest first. */
export async function listOrders(ctx: Context, caller: Caller, query: ListOrdersQuery): Promise<Page<Order>> {
  const { limit, after } = readPage('ord', query);
  const states = query.status === undefined ? undefined : statesOf(query.status);
  // One row more than the page tells whether another page follows.
  const rows = await listOrderRows(ctx.database, caller.accountId, { before: after ?? null, limit: limit + 1, states });
  return toPage(
    rows,
    limit,
    (row) => orderView(ctx, row),
    (order) => order.id,
  );
}

async function findOrder(ctx: Context, caller: Caller, idOrReference: string): Promise<OrderRow | undefined> {
  const id = parseId('ord', idOrReference);
  if (id !== undefined) return findOrderById(ctx.database, caller.accountId, id);
  const reference = parseOrderReference(idOrReference);
  return reference === undefined ? undefined : findOrderByReference(ctx.database, caller.accountId, reference);
}
