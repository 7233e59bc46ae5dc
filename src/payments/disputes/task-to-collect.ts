import { closeTasksOf } from '../../accounts/close-task.ts';
import { openTask } from '../../accounts/open-task.ts';
import type { Db } from '../../lib/db.ts';
import { type Pence, poundsText } from '../../lib/money.ts';
import type { LockedOrder } from '../../orders/move-sql.ts';
import { PAYMENT_RETURNED } from './returned.ts';

/**
 * Renews the task to collect what came back of payments, once another amount is owed.
 * The one of before names what was owed then. Where nothing is owed there is none. The caller holds the lock of the
 * order, in the transaction that changes what is owed; `what` is a sentence that says what has.
 */
export async function renewTaskToCollect(
  tx: Db,
  order: Pick<LockedOrder, 'id' | 'account_id' | 'reference'>,
  { what, owedPence }: { readonly what: string; readonly owedPence: Pence },
  now: Date,
): Promise<void> {
  const of = { accountId: order.account_id, orderId: order.id, kind: PAYMENT_RETURNED };
  await closeTasksOf(tx, of, now);
  if (owedPence <= 0) return;
  const note = `Order ${order.reference}: ${what} Collect £${poundsText(owedPence)}, which is what is still owed.`;
  await openTask(tx, { ...of, note }, now);
}
