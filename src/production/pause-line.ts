import { ApiError } from '../lib/errors.ts';
import { publicId } from '../lib/ids.ts';
import { actorOf, type Operator } from '../lib/operator.ts';
import type { OrdersContext } from '../orders/context.ts';
import { moveOrder } from '../orders/move-order.ts';
import type { LockedOrder } from '../orders/move-sql.ts';
import type { OpsOrder } from '../orders/ops-schema.ts';
import { type LineInput, operateOnLine } from './operate-on-line.ts';
import { deletePause, insertPause } from './pause-sql.ts';
import { linePath, NOTHING_LEFT, refuseUnless } from './refuse-state.ts';
import { OTHER_REASON, type PauseBody } from './schema.ts';

/**
 * Pauses a line of an order in production.
 * Until it is resumed, nothing of it starts, is finished or ships. The owner sees the reason as the hold of the order,
 * whose state stays, and no event is sent. The other lines go on. What cancels or ships the last piece of a line ends
 * its pause. 409 `conflict` before the first line of the order has started, which is the time of the order's own hold,
 * and for a line that is paused or has nothing left to make.
 */
export async function pauseLine(
  ctx: OrdersContext,
  operator: Operator,
  input: LineInput & PauseBody,
): Promise<OpsOrder> {
  const { reason, code = OTHER_REASON } = input;
  const act = { action: 'pause_line', detail: { reason, code } };
  return operateOnLine(ctx, operator, input, act, async (tx, order, line, now) => {
    refuseBeforeProduction(order);
    if (line.quantity === line.cancelled + line.shipped) throw new ApiError('conflict', NOTHING_LEFT);
    if (line.pause !== null) {
      const resume = `POST ${linePath(order, line)}/resume`;
      const detail = `This line is paused already (${line.pause.code}: ${line.pause.reason}). For another reason resume it first: ${resume}.`;
      throw new ApiError('conflict', detail);
    }
    await insertPause(tx, { accountId: order.account_id, orderId: order.id, lineId: line.id, code, reason, now });
    const why = `${publicId('line', line.id)}: ${reason}`;
    const move = { to: order.state, action: 'pause_line', actor: actorOf(operator), reason: why, events: [] };
    await moveOrder(tx, ctx.config, order, move, now);
  });
}

/** Resumes a paused line. Sends no event. 409 `conflict` for one that is not paused. */
export async function resumeLine(ctx: OrdersContext, operator: Operator, input: LineInput): Promise<OpsOrder> {
  return operateOnLine(ctx, operator, input, { action: 'resume_line', detail: {} }, async (tx, order, line, now) => {
    refuseBeforeProduction(order);
    if (line.pause === null) throw new ApiError('conflict', 'This line is not paused.');
    await deletePause(tx, { accountId: order.account_id, orderId: order.id, lineId: line.id });
    const why = publicId('line', line.id);
    const move = { to: order.state, action: 'resume_line', actor: actorOf(operator), reason: why, events: [] };
    await moveOrder(tx, ctx.config, order, move, now);
  });
}

/** Refuses any state but `in_production`; before it, the detail names the operation on the whole order. */
function refuseBeforeProduction(order: LockedOrder): void {
  const at = `POST /orders/${order.reference}`;
  if (order.state === 'placed' || order.state === 'released') {
    const detail = `No line of this order has started, so no line is paused. To stop the whole order, hold it: ${at}/hold.`;
    throw new ApiError('conflict', detail);
  }
  if (order.state === 'on_hold') {
    const detail = `The whole order is on hold, so no line is paused by itself. To go on, resume the order: ${at}/resume.`;
    throw new ApiError('conflict', detail);
  }
  refuseUnless(order, ['in_production'], 'paused or resumed');
}
