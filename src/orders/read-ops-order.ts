import type { Context } from '../lib/context.ts';
import { notFound } from '../lib/errors.ts';
import { parseId, parseOrderReference, type Uuid } from '../lib/ids.ts';
import { type Page, readPage, toPage } from '../lib/paging.ts';
import type { ListOpsOrdersQuery, OpsOrder } from './ops-schema.ts';
import {
  findAnyOrderId,
  findAnyOrderIdByReference,
  findOpsOrder,
  listOpsOrderRows,
  type OpsOrderRow,
} from './ops-sql.ts';
import { opsOrderView } from './ops-view.ts';
import { findReference } from './sql.ts';
import { ORDER_STATES } from './status.ts';

type ReadContext = Pick<Context, 'database' | 'clock' | 'config' | 'secrets'>;

/** The order as ops sees it, of any account: the answer of every action on it. Throws 404 when there is none of that id. */
export async function readOpsOrder(ctx: ReadContext, orderId: Uuid): Promise<OpsOrder> {
  const order = await findOpsOrder(ctx.database, orderId);
  if (order === undefined) throw notFound();
  return opsOrderView(ctx, order);
}

/** The id of an order of any account, by its public id or its reference in any letter case. Throws 404 when there is none. */
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

/**
 * A page of the orders of all accounts, newest first; `reference` is ours or that of the order's owner. An account that is no id
 * of one has no orders.
 */
export async function listOpsOrders(ctx: ReadContext, query: ListOpsOrdersQuery): Promise<Page<OpsOrder>> {
  const { limit, after } = readPage('ord', query);
  const accountId = query.account === undefined ? undefined : parseId('acct', query.account);
  if (query.account !== undefined && accountId === undefined) return NOTHING;
  const states = query.state === undefined ? ORDER_STATES : [query.state];
  if (query.reference !== undefined) {
    const order = await findByAnyReference(ctx, query.reference);
    const isShown =
      order !== undefined &&
      (after === undefined || order.id < after) &&
      states.includes(order.state) &&
      (accountId === undefined || order.account.id === accountId);
    return isShown ? { ...NOTHING, data: [opsOrderView(ctx, order)] } : NOTHING;
  }
  const rows = await listOpsOrderRows(ctx.database, { before: after ?? null, limit: limit + 1, states, accountId });
  return toPage(
    rows,
    limit,
    (row) => opsOrderView(ctx, row),
    (order) => order.id,
  );
}

const NOTHING: Page<OpsOrder> = { data: [], has_more: false, next_cursor: null };

async function findByAnyReference(ctx: Pick<Context, 'database'>, reference: string): Promise<OpsOrderRow | undefined> {
  const ours = parseOrderReference(reference);
  const id =
    (ours === undefined ? undefined : await findAnyOrderIdByReference(ctx.database, ours)) ??
    (await findReference(ctx.database, reference))?.order_id;
  return id === undefined ? undefined : findOpsOrder(ctx.database, id);
}
