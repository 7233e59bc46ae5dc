import { issueForOrders } from '../../invoices/issue-due.ts';
import { withoutRecipient } from '../../invoices/without-recipient.ts';
import type { Db } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';
import type { StoredAddress } from '../../orders/order-columns.ts';
import type { OrderState } from '../../orders/status.ts';
import { territoryOf } from '../../pricing/territory.ts';
import type { PrivacyContext } from '../context.ts';
import {
  clearOrder,
  type ErasableOrder,
  findOrderInvoice,
  forgetSavedAddress,
  listNoteDocuments,
  listOrderActions,
  listOrderEvents,
  lockErasable,
  sayErasing,
  setActionDetail,
  setEventData,
  setNoteDocument,
  setOrderInvoice,
} from './erase-order-sql.ts';
import { takeFiles } from './order-files.ts';
import { countryOnly, eventWithoutPerson, warningsWithoutText, withoutText } from './scrub.ts';

const ENDED: readonly OrderState[] = ['dispatched', 'delivered', 'cancelled'];

/** Whether an order has ended, so that its address is not needed any more. */
export function hasEnded(state: OrderState): boolean {
  return ENDED.includes(state);
}

/** An order that waits for its payment, of which no charge is under way. */
function isLeftUnpaid({ state, attempt_id: attemptId }: ErasableOrder): boolean {
  return state === 'awaiting_payment' && attemptId === null;
}

export type OrderToErase = { readonly accountId: Uuid; readonly orderId: Uuid };

/**
 * Erases what one order holds of people, in one transaction under its lock.
 * Its addresses but for the country, notes, metadata, every free text of operators, tracking, what events tell of it,
 * and the recipient in documents that were issued. What stays: amounts, lines, numbers and dates, the buyer, the
 * external reference, and of an export its declaration and tracking number. The stored files that it had are noted in
 * `erasure_file` for `removeFiles`. Issues the order's documents first, so that each has its buyer. Idempotent.
 * Returns false, and erases nothing, while the order is still being made.
 */
export async function eraseOrder(
  ctx: Pick<PrivacyContext, 'database' | 'clock' | 'config'>,
  { accountId, orderId }: OrderToErase,
  erasureId: Uuid,
  andThen: (tx: Db) => Promise<void>,
): Promise<boolean> {
  await issueForOrders(ctx, [orderId]);
  return ctx.database.transaction(async (tx) => {
    const order = await lockErasable(tx, accountId, orderId);
    // One whose address has ended by its time holds nothing more than what an operator has written since.
    if (order !== undefined && !hasEnded(order.state) && order.erased_at === null) return false;
    if (order !== undefined) {
      await sayErasing(tx);
      await takeFiles(tx, { accountId, orderId, erasureId });
      await forgetSavedAddress(tx, accountId, order.shipping_address);
      await eraseTexts(tx, { accountId, orderId }, order, ctx.clock.now());
    }
    await andThen(tx);
    return true;
  });
}

/**
 * Erases what some orders hold of people, because their time is over (privacy/retention).
 * In the caller's transaction. As `eraseOrder`, but for the files, which ended long before. An entry in the ledger is
 * not needed: in a restored database the time is over as well. Locks the orders in the order of their ids. Returns
 * how many were erased.
 */
export async function eraseEnded(
  ctx: Pick<PrivacyContext, 'database' | 'clock' | 'config'>,
  tx: Db,
  orders: readonly OrderToErase[],
  now: Date,
): Promise<number> {
  let erased = 0;
  await issueForOrders(
    ctx,
    orders.map(({ orderId }) => orderId),
  );
  for (const of of orders.toSorted((a, b) => (a.orderId < b.orderId ? -1 : 1))) {
    const order = await lockErasable(tx, of.accountId, of.orderId);
    if (order === undefined || !(hasEnded(order.state) || isLeftUnpaid(order))) continue;
    await sayErasing(tx);
    await eraseTexts(tx, of, order, now);
    erased += 1;
  }
  return erased;
}

async function eraseTexts(tx: Db, of: OrderToErase, order: ErasableOrder, now: Date): Promise<void> {
  const { accountId, orderId } = of;
  const { shipping_address: shipping, billing_address: billing } = order;
  await eraseDocuments(tx, of, [shipping, billing], order.buyer_name);
  for (const event of await listOrderEvents(tx, accountId, orderId)) {
    const data = JSON.stringify(eventWithoutPerson(event.data));
    if (data !== JSON.stringify(event.data)) await setEventData(tx, accountId, event.id, data);
  }
  for (const action of await listOrderActions(tx, orderId)) {
    await setActionDetail(tx, action.id, JSON.stringify(withoutText(action.detail)));
  }
  await clearOrder(tx, {
    ...of,
    shipping: countryOnly(shipping),
    billing: countryOnly(billing),
    warnings: warningsWithoutText(order.warnings),
    // Kept from the first time: later the postcode that decided it is gone.
    territory: order.vat_territory ?? territoryOf({ countryCode: shipping.country_code, postcode: shipping.postcode }),
    now,
  });
}

async function eraseDocuments(
  tx: Db,
  { accountId, orderId }: OrderToErase,
  addresses: readonly StoredAddress[],
  buyerName: string,
): Promise<void> {
  const buyer = { name: buyerName };
  const invoice = await findOrderInvoice(tx, accountId, orderId);
  if (invoice !== undefined) {
    await setOrderInvoice(tx, accountId, orderId, withoutRecipient(invoice, addresses, buyer));
  }
  for (const { credit_id: creditId, document } of await listNoteDocuments(tx, accountId, orderId)) {
    await setNoteDocument(tx, { accountId, orderId, creditId }, withoutRecipient(document, addresses, buyer));
  }
}
