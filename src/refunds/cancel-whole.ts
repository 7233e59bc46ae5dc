import { openTask } from '../accounts/open-task.ts';
import { closeFailuresOf } from '../artwork/give-up.ts';
import { dropUnneeded } from '../artwork/needs/needs.ts';
import { releaseStock } from '../catalogue/stock.ts';
import type { Db } from '../lib/db.ts';
import { publicId, type Uuid } from '../lib/ids.ts';
import { type Pence, pence, sumPence, toPounds, ZERO_PENCE } from '../lib/money.ts';
import { moveOrder } from '../orders/move-order.ts';
import type { LockedOrder } from '../orders/move-sql.ts';
import type { PaymentsContext } from '../payments/context.ts';
import { cancelLines, lockSetupRights, passOnSetupRights } from './cancel-sql.ts';
import { type Credit, creditForAll, type Sold, type SoldLine } from './refund-amounts.ts';
import { type RefundReason, readSoldOrder, refundCredit, refundDeposits, refundFailed } from './refund-order.ts';

export type WholeCancel = {
  readonly cancelledBy: 'api' | 'ops';
  readonly actor: string;
  readonly reason: string;
  /**
   * What is given back of what was sold.
   * What was paid for an order that was never paid in full goes back in any case.
   */
  readonly credit: (sold: Sold) => Credit | 'none';
};

/** Everything that was charged and is not credited yet. */
export const FULL_CREDIT: WholeCancel['credit'] = creditForAll;

/**
 * Cancels a locked order, in the caller's transaction.
 * Setup rights pass on, allocated pieces that were not consumed return to stock, the money is given back, and
 * `order.cancelled` is published. What has shipped stays a fact. Pieces that were started leave a task for the
 * operators. Locks the setup rights, the stock rows by SKU and the balance, in this order.
 *
 * Throws `refund_failed` while a charge of the order is under way: its outcome decides what is to be given back.
 */
export async function cancelWhole(
  tx: Db,
  ctx: Pick<PaymentsContext, 'config'>,
  order: LockedOrder,
  cancel: WholeCancel,
  now: Date,
): Promise<void> {
  const { account_id: accountId, id: orderId } = order;
  const { actor, reason } = cancel;
  if (order.attempt_id !== null) throw refundFailed();
  const sold = await readSoldOrder(tx, order);
  await lockSetupRights(tx, accountId, orderId);
  await releasePieces(tx, order, { pieces: openPieces(sold.lines), lines: sold.lines, actor, reason }, now);
  const refundedPence = await giveBack(tx, order, sold, cancel, now);
  await passOnSetupRights(tx, accountId, orderId, 'all');
  await cancelLines(tx, accountId, orderId);
  await dropUnneeded(tx, { accountId, orderId }, now);
  await closeFailuresOf(tx, { accountId, orderId }, now);
  await moveOrder(tx, ctx.config, order, cancelled(order, cancel, refundedPence), now);
}

async function giveBack(tx: Db, order: LockedOrder, sold: Sold, cancel: WholeCancel, now: Date): Promise<Pence> {
  const why: RefundReason = { kind: 'cancellation', actor: cancel.actor, reason: cancel.reason };
  if (order.paid_at === null) return refundDeposits(tx, order, why, now);
  const credit = cancel.credit(sold);
  return credit === 'none' ? ZERO_PENCE : refundCredit(tx, order, credit, why, now);
}

/** The pieces of each line that are neither cancelled nor shipped. */
export function openPieces(lines: readonly SoldLine[]): Map<string, number> {
  return new Map(
    lines
      .map((line) => [line.id, line.quantity - line.cancelled - line.shipped] as const)
      .filter(([, quantity]) => quantity > 0),
  );
}

/**
 * Returns the allocated pieces among some pieces to stock.
 * Those that were started are consumed: they leave a task for the operators. What a started line is short of is
 * cancelled first, and there is nothing of it to put aside.
 */
export async function releasePieces(
  tx: Db,
  order: LockedOrder,
  released: {
    readonly pieces: ReadonlyMap<string, number>;
    readonly lines: readonly SoldLine[];
    readonly actor: string;
    readonly reason: string;
  },
  now: Date,
): Promise<void> {
  const { pieces, lines, actor, reason } = released;
  const { account_id: accountId, id: orderId } = order;
  const given = lines.map((line) => ({ lineId: line.id as Uuid, quantity: pieces.get(line.id) ?? 0 }));
  const stock = await releaseStock(tx, {
    accountId,
    orderId,
    lines: given.filter(({ quantity }) => quantity > 0),
    actor,
    reason: reason === '' ? 'cancelled' : reason,
    now,
  });
  const releasedOf = new Map<string, number>(stock.map((line) => [line.lineId, line.released]));
  const started = lines.flatMap(({ id, isStarted, sku }) => {
    const quantity = (pieces.get(id) ?? 0) - (releasedOf.get(id) ?? 0);
    return isStarted && quantity > 0 ? [{ sku, quantity }] : [];
  });
  if (started.length === 0) return;
  const named = started.slice(0, LINES_NAMED_MAX).map(({ sku, quantity }) => `${quantity} of ${sku}`);
  const more = started.length > LINES_NAMED_MAX ? ` and ${started.length - LINES_NAMED_MAX} more lines` : '';
  const note = `${order.reference}: cancelled after they were started: ${named.join(', ')}${more}. Stop the work and put the pieces aside.`;
  await openTask(tx, { accountId, orderId, kind: 'cancelled_after_start', note }, now);
}

const LINES_NAMED_MAX = 10;

/** `refunded_gbp` is all of the order's money that went back to the balance, earlier refunds included. */
function cancelled(order: LockedOrder, { cancelledBy, actor, reason }: WholeCancel, refundedPence: Pence) {
  const before = order.refunds.flatMap((refund) => (refund.method === 'balance' ? [pence(refund.amount_pence)] : []));
  const data = {
    order_id: publicId('ord', order.id),
    reference: order.reference,
    status: 'cancelled' as const,
    refunded_gbp: toPounds(sumPence([...before, refundedPence])),
    cancelled_by: cancelledBy,
  };
  return {
    to: 'cancelled' as const,
    action: 'cancel',
    actor,
    reason,
    events: [{ event: 'order.cancelled' as const, data }],
  };
}
