import type { Db } from '../lib/db.ts';
import type { OrderEvent } from '../webhooks/events.ts';
import { type LockedOrder, readTracking } from './move-sql.ts';

/**
 * The `order.dispatched` event of a locked order whose pieces are all shipped or cancelled.
 * It has the carrier of the latest shipment, and the tracking numbers of all shipments as corrected by now, each once
 * and without empty ones (spec 6.3; decisions, "`order.dispatched` `carrier`").
 */
export async function dispatchedEvent(tx: Db, order: LockedOrder): Promise<OrderEvent> {
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
