import { mailPeople } from '../accounts/notices/mail-people.ts';
import { readReceivable } from '../billing/ledger.ts';
import type { Db } from '../lib/db.ts';
import { ApiError } from '../lib/errors.ts';
import { actorOf, type Operator, type OperatorRole, refuseRole } from '../lib/operator.ts';
import type { OrdersContext } from '../orders/context.ts';
import { holdMove } from '../orders/hold-move.ts';
import { moveOrder } from '../orders/move-order.ts';
import type { LockedOrder } from '../orders/move-sql.ts';
import { type OrderInput, operateOn } from '../orders/operate.ts';
import type { OpsOrder } from '../orders/ops-schema.ts';
import { PAYMENT_RETURNED } from '../payments/disputes/returned.ts';
import { refuseUnless } from './refuse-state.ts';
import { type HoldBody, OTHER_REASON } from './schema.ts';

/**
 * Holds a paid order before its first line has started, and emits `order.on_hold`.
 * Its stock stays allocated. 409 `conflict` in any other state.
 */
export async function holdOrder(
  ctx: OrdersContext,
  operator: Operator,
  input: OrderInput & HoldBody,
): Promise<OpsOrder> {
  const { reason, code = OTHER_REASON } = input;
  return operateOn(ctx, operator, input, { action: 'hold', detail: { reason, code } }, async (tx, order, now) => {
    if (order.state === 'in_production') {
      const pause = `POST /orders/${order.reference}/lines/{line}/pause`;
      const detail = `This order cannot be held: its production has started. Pause its lines instead: ${pause}.`;
      throw new ApiError('conflict', detail);
    }
    refuseUnless(order, ['placed', 'released'], 'held');
    await moveOrder(tx, ctx.config, order, holdMove(order, { code, reason, actor: actorOf(operator) }, now), now);
    const { reference, account_id: accountId, version } = order;
    await mailPeople(ctx, tx, { accountId, kind: 'order_on_hold', about: `${reference} ${version}` }, (shop) => ({
      subject: `Order ${reference} is on hold`,
      paragraphs: [`${shop} has put the order ${reference} on hold, before its production: ${reason}`],
      link: { label: 'See the order', path: `/orders/${reference}` },
    }));
  });
}

/** Who may resume an order whose payment was returned and not collected since. */
const UNPAID_RESUME_ROLES: readonly OperatorRole[] = ['finance'];

/**
 * Resumes a held order in the state it was held in. Emits no event.
 * 409 `conflict` for one that is not held. One that is held because its payment was returned needs the role finance,
 * 403 for others, until the money was collected.
 */
export async function resumeOrder(ctx: OrdersContext, operator: Operator, input: OrderInput): Promise<OpsOrder> {
  return operateOn(ctx, operator, input, { action: 'resume', detail: {} }, async (tx, order, now) => {
    refuseUnless(order, ['on_hold'], 'resumed');
    await refuseUnpaid(tx, operator, order);
    const to = order.hold?.from ?? 'placed';
    const actor = actorOf(operator);
    await moveOrder(tx, ctx.config, order, { to, action: 'resume', actor, reason: '', events: [] }, now);
  });
}

async function refuseUnpaid(tx: Db, operator: Operator, order: LockedOrder): Promise<void> {
  if (order.hold?.code !== PAYMENT_RETURNED) return;
  if ((await readReceivable(tx, order.account_id, order.id)) === 0) return;
  const detail =
    'The payment of this order was returned: until it is collected, only the roles finance and admin can resume it.';
  refuseRole(operator, UNPAID_RESUME_ROLES, detail);
}
