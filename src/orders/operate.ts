import { type Acted, actOnce } from '../accounts/act-once.ts';
import type { Db } from '../lib/db.ts';
import { notFound } from '../lib/errors.ts';
import type { Uuid } from '../lib/ids.ts';
import type { Once, Operator } from '../lib/operator.ts';
import type { OrdersContext } from './context.ts';
import { type LockedOrder, lockAnyOrder } from './move-sql.ts';
import type { OpsOrder } from './ops-schema.ts';
import { opsOrderIdOf, readOpsOrder } from './read-ops-order.ts';

type OperateContext = Pick<OrdersContext, 'asker' | 'database' | 'clock' | 'config' | 'secrets' | 'wakeDeliveries'>;

/** The order that an operator works on, by its id or reference, and the request's idempotency key. */
export type OrderInput = { readonly id: string; readonly once: Once };

type OrderAct = {
  /** A verb of the history: `hold`, `ship`. */
  readonly action: string;
  /** What was asked, for readers of the audit log. */
  readonly detail: object;
  /** The id of what the action makes, known beforehand: a repeat is answered with it. */
  readonly makes?: Uuid;
};

/**
 * Runs an operator's work on one order of any account, at most once per Idempotency-Key.
 * The only way from an order to `actOnce`: one transaction locks the order, does the work and writes the audit log.
 * Wakes the deliveries of this process when it was done. Throws 404 for an unknown order, 409 for a key that another
 * request used.
 */
export async function actOnOrder<T>(
  ctx: OperateContext,
  operator: Operator,
  target: { readonly orderId: Uuid; readonly once: Once },
  act: OrderAct,
  work: (tx: Db, order: LockedOrder, now: Date) => Promise<T>,
): Promise<Acted<T>> {
  const { orderId, once } = target;
  const { action, detail, makes = null } = act;
  const acted = await actOnce(ctx, operator, { action, detail, orderId, subjectId: makes, once }, async (tx, now) =>
    work(tx, await lockForOps(tx, orderId), now),
  );
  if (acted.kind === 'done') ctx.wakeDeliveries();
  return acted;
}

/** As `actOnOrder`, for work without a result: finds the order and returns it as it stands afterwards. */
export async function operateOn(
  ctx: OperateContext,
  operator: Operator,
  input: OrderInput,
  act: OrderAct,
  work: (tx: Db, order: LockedOrder, now: Date) => Promise<void>,
): Promise<OpsOrder> {
  const orderId = await opsOrderIdOf(ctx, input.id);
  await actOnOrder(ctx, operator, { orderId, once: input.once }, act, work);
  return readOpsOrder(ctx, orderId);
}

/** Locks an order of any account for an operator, before every other lock but the key's. Throws 404. */
export async function lockForOps(tx: Db, orderId: Uuid): Promise<LockedOrder> {
  const order = await lockAnyOrder(tx, orderId);
  if (order === undefined) throw notFound();
  return order;
}
