import type { Db } from '../lib/db.ts';
import { notFound } from '../lib/errors.ts';
import { parseId, publicId } from '../lib/ids.ts';
import type { Operator } from '../lib/operator.ts';
import type { OrdersContext } from '../orders/context.ts';
import type { LockedOrder } from '../orders/move-sql.ts';
import { type OrderInput, operateOn } from '../orders/operate.ts';
import type { OpsOrder } from '../orders/ops-schema.ts';
import { findLine, type WorkLineRow } from './sql.ts';

/** The line that an operator works on, and the key that makes a repeat idempotent. */
export type LineInput = OrderInput & { readonly line: string };

/** Works as `operateOn`, for one line of an order. 404 for a line of another order. */
export async function operateOnLine(
  ctx: OrdersContext,
  operator: Operator,
  input: LineInput,
  act: { readonly action: string; readonly detail: object },
  work: (tx: Db, order: LockedOrder, line: WorkLineRow, now: Date) => Promise<void>,
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
