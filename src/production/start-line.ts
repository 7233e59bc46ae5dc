import { outOfStock } from '../catalogue/oversold.ts';
import { consumeStock } from '../catalogue/stock.ts';
import type { Db } from '../lib/db.ts';
import { ApiError } from '../lib/errors.ts';
import { publicId } from '../lib/ids.ts';
import { actorOf, type Operator } from '../lib/operator.ts';
import type { OrdersContext } from '../orders/context.ts';
import { type Move, moveOrder } from '../orders/move-order.ts';
import type { LockedOrder } from '../orders/move-sql.ts';
import type { OpsOrder } from '../orders/ops-schema.ts';
import { type LineInput, operateOnLine } from './operate-on-line.ts';
import { NOTHING_LEFT, refusePaused, refuseUnless } from './refuse-state.ts';
import { markLineStarted, type WorkLineRow } from './sql.ts';

/**
 * Starts the production of a line of a promoted order: takes its pieces off the shelf.
 * Of a line that has started, it takes the blanks that have come in for spoiled pieces. The first line that starts
 * moves the order into production and emits `order.in_production` (spec 3.1). 409 `artwork_not_ready` until every
 * print file of the line is made (spec 3.2; a blank line is ready at once), `conflict` for a line of which nothing
 * waits to be started or that is paused, `out_of_stock` when a count has found fewer pieces than were allocated. Locks
 * the order, then the stock row of the line.
 */
export async function startLine(ctx: OrdersContext, operator: Operator, input: LineInput): Promise<OpsOrder> {
  return operateOnLine(ctx, operator, input, { action: 'start_line', detail: {} }, async (tx, order, line, now) => {
    await beginLine(tx, ctx.config, order, { line, actor: actorOf(operator), now });
  });
}

/**
 * Starts one line of a locked order, as `startLine` says, and returns the order after it.
 * A line that is refused has written nothing. A caller that starts several takes them in the order of their SKUs, in
 * which stock rows are locked.
 */
export async function beginLine(
  tx: Db,
  config: OrdersContext['config'],
  order: LockedOrder,
  begin: { readonly line: WorkLineRow; readonly actor: string; readonly now: Date },
): Promise<LockedOrder> {
  const { line, actor, now } = begin;
  refuseUnless(order, ['released', 'in_production'], 'started');
  refuseLine(order, line);
  const of = { accountId: order.account_id, orderId: order.id };
  const oversold = await consumeStock(tx, { ...of, actor, reason: '', now }, { lineId: line.id, index: line.ordinal });
  if (oversold.length > 0) throw outOfStock(oversold);
  if (!line.started) await markLineStarted(tx, of, line.id, now);
  return moveOrder(tx, config, order, startMove(order, line, actor), now);
}

function refuseLine(order: LockedOrder, line: WorkLineRow): void {
  if (line.started && line.promised === line.short) throw new ApiError('conflict', startedDetail(line));
  if (line.quantity === line.cancelled + line.shipped) {
    throw new ApiError('conflict', NOTHING_LEFT);
  }
  refusePaused(order, line, 'started');
  refuseUnready(line);
}

function startedDetail({ sku, short }: WorkLineRow): string {
  if (short === 0) return 'This line has started already.';
  const pieces = short === 1 ? 'piece' : 'pieces';
  return `This line has started already, and for ${short} more ${pieces} there is no ${sku}. Receive or count stock first: POST /stock/receipts.`;
}

function refuseUnready({ jobs }: WorkLineRow): void {
  const unready = jobs.filter(({ ready }) => !ready).map(({ area }) => area);
  if (unready.length === 0) return;
  const failed = jobs.flatMap(({ area, failure }) => (failure === null ? [] : [{ area, reason: failure }]));
  const extras = { print_areas: unready, failed_areas: failed };
  throw new ApiError('artwork_not_ready', unreadyDetail(unready, failed), { extras });
}

function unreadyDetail(unready: readonly string[], failed: readonly { area: string; reason: string }[]): string {
  if (failed.length === 0) {
    return `The print-ready artwork of this line is not finished: ${unready.join(', ')}. Start it once it is.`;
  }
  const why = failed.map(({ area, reason }) => `${area} (${reason.replace(/[.!]$/, '')})`).join(', ');
  return (
    `The print-ready artwork of this line could not be made: ${why}. Have it made again by POST ` +
    '/orders/{id}/print-files/retry; if it fails again, ask the customer to replace the artwork on the order.'
  );
}

function startMove(order: LockedOrder, line: WorkLineRow, actor: string): Move {
  const isFirst = order.state === 'released';
  const data = { order_id: publicId('ord', order.id), reference: order.reference, status: 'in_production' };
  const again = line.started ? `: ${line.promised - line.short} in place of spoiled ones` : '';
  return {
    to: 'in_production',
    action: 'start_line',
    actor,
    reason: `${publicId('line', line.id)}${again}`,
    events: isFirst ? [{ event: 'order.in_production', data }] : [],
  };
}
