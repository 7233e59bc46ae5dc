import { actOnce } from '../accounts/act-once.ts';
import type { Db } from '../lib/db.ts';
import { notFound } from '../lib/errors.ts';
import { parseId, publicId } from '../lib/ids.ts';
import type { Once, Operator } from '../lib/operator.ts';
import type { OrdersContext } from '../orders/context.ts';
import { lockForOps } from '../orders/lock-for-ops.ts';
import type { LockedOrder } from '../orders/move-sql.ts';
import type { OpsOrder } from '../orders/ops-schema.ts';
import { opsOrderIdOf, readOpsOrder } from '../orders/read-ops-order.ts';
import { findLine, type LineRow } from './sql.ts';

/** Which order an operator does something with, and what makes a repeat of it harmless. */
export type OrderInput = { readonly id: string; readonly once: Once };

/** The same of one of its lines. */
export type LineInput = OrderInput & { readonly line: string };

/**
 * Does something with one order: finds it in any account, locks it, does the work and notes it for the audit log in one transaction,
 * at most once for each Idempotency-Key. Returns the order as it is then. Throws 404 for an unknown order.
 */
export async function operateOn(
  ctx: OrdersContext,
  operator: Operator,
  input: OrderInput,
  act: { readonly action: string; readonly detail: object },
  work: (tx: Db, order: LockedOrder, now: Date) => Promise<void>,
): Promise<OpsOrder> {
  const orderId = await opsOrderIdOf(ctx, input.id);
  await actOnce(ctx, operator, { ...act, orderId, subjectId: null, once: input.once }, async (tx, now) => {
    await work(tx, await lockForOps(tx, orderId), now);
  });
  ctx.wakeDeliveries();
  return readOpsOrder(ctx, orderId);
}

/** As `operateOn`, for one of its lines; 404 for a line that is not the order's. */
export async function operateOnLine(
  ctx: OrdersContext,
  operator: Operator,
  input: LineInput,
  act: { readonly action: string; readonly detail: object },
  work: (tx: Db, order: LockedOrder, line: LineRow, now: Date) => Promise<void>,
): Promise<OpsOrder> {
  const lineId = parseId('line', input.line);
  if (lineId === undefined) throw notFound();
  const detail = { line: publicId('line', lineId), ...act.detail };
  return operateOn(ctx, operator, input, { ...act, detail }, async (tx, order, now) => {
    const line = await findLine(tx, { accountId: order.account_id, orderId: order.id }, lineId);
    if (line === undefined) throw notFound();
    await work(tx, order, line, now);
  });
}
