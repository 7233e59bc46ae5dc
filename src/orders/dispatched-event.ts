import { mailPeople, type NoticeContext } from '../accounts/notices/mail-people.ts';
import type { Db } from '../lib/db.ts';
import type { OrderEvent } from '../webhooks/events.ts';
import { type LockedOrder, readTracking } from './move-sql.ts';

type DispatchedEvent = Extract<OrderEvent, { event: 'order.dispatched' }>;

/**
 * The `order.dispatched` event of a locked order whose pieces are all shipped or cancelled.
 * It has the carrier of the latest shipment, and the tracking numbers of all shipments as corrected by now, each once
 * and without empty ones (spec 6.3; decisions, "`order.dispatched` `carrier`").
 */
export async function dispatchedEvent(tx: Db, order: LockedOrder): Promise<DispatchedEvent> {
  const shipments = await readTracking(tx, order.account_id, order.id);
  const latest = shipments.at(-1);
  if (latest === undefined) throw new Error('an order without a shipment is not dispatched');
  return {
    event: 'order.dispatched',
    data: {
      reference: order.reference,
      status: 'dispatched',
      carrier: latest.carrier,
      tracking_numbers: [
        ...new Set(shipments.map(({ tracking_number: number }) => number).filter((number) => number !== '')),
      ],
    },
  };
}

/**
 * Mails people of the account who want it that an order was dispatched.
 * Once, in the transaction that moves it. The mail names no recipient: whom the parcels go to is read with the order.
 */
export async function mailDispatched(
  ctx: NoticeContext,
  tx: Db,
  { account_id: accountId, reference }: Pick<LockedOrder, 'account_id' | 'reference'>,
  { data: { carrier } }: DispatchedEvent,
): Promise<void> {
  await mailPeople(ctx, tx, { accountId, kind: 'order_dispatched', about: reference }, (shop) => ({
    subject: `Order ${reference} was dispatched`,
    paragraphs: [`${shop} has handed the last parcel of the order ${reference} to ${carrier}.`],
    link: { label: 'See the order and its tracking', path: `/orders/${reference}` },
  }));
}
