import { nearToPromoted } from '../artwork/needs/needs.ts';
import type { Oversold } from '../catalogue/oversold.ts';
import { allocateStock } from '../catalogue/stock.ts';
import type { Db } from '../lib/db.ts';
import type { OrdersContext } from '../orders/context.ts';
import { moveOrder } from '../orders/move-order.ts';
import type { LockedOrder } from '../orders/move-sql.ts';
import { refuseUnless } from './refuse-state.ts';
import { readLines, routePrintJobs } from './sql.ts';

/**
 * Promotes a locked order: allocates its stock, routes its print jobs and releases it.
 * Allocates for all pieces that are to be made, or for none (spec 3.1: stock is checked here and not at creation).
 * Whether the artwork is ready does not matter yet. Returns what is short, and then has written nothing; an empty list
 * once it is released. Throws 409 unless the order is paid and not held.
 */
export async function promote(
  tx: Db,
  config: OrdersContext['config'],
  order: LockedOrder,
  by: { readonly actor: string; readonly reason: string },
  now: Date,
): Promise<readonly Oversold[]> {
  refuseUnless(order, ['placed'], 'promoted');
  const of = { accountId: order.account_id, orderId: order.id };
  const lines = await readLines(tx, of);
  const wanted = lines.map(({ id, sku, ordinal, quantity, cancelled, shipped }) => ({
    lineId: id,
    sku,
    quantity: quantity - cancelled - shipped,
    index: ordinal,
  }));
  const open = wanted.filter(({ quantity }) => quantity > 0);
  const oversold = await allocateStock(tx, { ...of, ...by, now }, open);
  if (oversold.length > 0) return oversold;
  await routePrintJobs(tx, of, now);
  await moveOrder(tx, config, order, { to: 'released', action: 'promote', ...by, events: [] }, now);
  await nearToPromoted(tx, of, now);
  return [];
}
