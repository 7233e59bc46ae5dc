import type { Db } from '../lib/db.ts';
import { newId, type Uuid } from '../lib/ids.ts';
import type { OrderEvent } from '../webhooks/events.ts';
import { firstAttemptAt } from '../webhooks/publish.ts';
import type { OrdersContext } from './context.ts';
import { type LockedOrder, recordMove } from './sql.ts';
import type { OrderState } from './status.ts';

/** A move of an order: where to, by whom, and the event that tells of it. */
type Move = {
  readonly to: OrderState;
  /** A verb for the history: `cancel`. */
  readonly action: string;
  /** Who moves it: `customer`, `system`, or an operator. */
  readonly actor: string;
  readonly reason: string;
  readonly event: OrderEvent;
};

/**
 * Moves a locked order to another state: state, history, event and deliveries in the caller's transaction. Nothing else moves
 * an order that exists but its settling, which is one statement with its charge. The event's time is the later of now and the
 * order's previous event plus a millisecond, so that a receiver may order by it (domain, "Events").
 */
export async function moveOrder(
  tx: Db,
  config: OrdersContext['config'],
  order: { readonly accountId: Uuid; readonly row: LockedOrder },
  move: Move,
  now: Date,
): Promise<void> {
  const { accountId, row } = order;
  const eventAt = new Date(Math.max(now.getTime(), row.last_event_at.getTime() + 1));
  await recordMove(tx, {
    accountId,
    orderId: row.id,
    from: row.state,
    to: move.to,
    version: row.version + 1,
    eventAt,
    now,
    historyId: newId(now.getTime()),
    action: move.action,
    actor: move.actor,
    reason: move.reason,
    eventId: newId(eventAt.getTime()),
    event: move.event.event,
    data: JSON.stringify(move.event.data),
    firstAttemptAt: firstAttemptAt(config, now),
  });
}
