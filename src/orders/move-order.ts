import type { Db } from '../lib/db.ts';
import { newId } from '../lib/ids.ts';
import type { OrderEvent } from '../webhooks/events.ts';
import { firstAttemptAt, publishEvent } from '../webhooks/publish.ts';
import type { OrdersContext } from './context.ts';
import { type Hold, type LockedOrder, recordMove } from './move-sql.ts';
import type { OrderState } from './status.ts';

/** A move of an order: its new state, who moves it, and the events to publish, in their order. */
export type Move = {
  /** The present state for an action that does not change it. */
  readonly to: OrderState;
  /** A verb for the history: `cancel`, `promote`, `ship`. */
  readonly action: string;
  /** Who moves it: `customer`, `system`, or `operator a@b.example`. */
  readonly actor: string;
  readonly reason: string;
  readonly events: readonly OrderEvent[];
  /** For a move to `on_hold`. A move to another state ends a hold. */
  readonly hold?: Hold;
};

/**
 * Moves a locked order: state, history, events and deliveries, in the caller's transaction.
 * Only settling changes an existing order otherwise, in one statement with its charge. The time of an event is the
 * later of now and a millisecond after the order's previous event, so that a receiver may sort by it (domain,
 * "Events"). Returns the order as it is now, for a further move in the same transaction.
 */
export async function moveOrder(
  tx: Db,
  config: OrdersContext['config'],
  order: LockedOrder,
  move: Move,
  now: Date,
): Promise<LockedOrder> {
  const events = move.events.map((event, index) => ({
    ...event,
    sequence: order.version + 1 + index,
    createdAt: new Date(Math.max(now.getTime() + index, order.last_event_at.getTime() + 1 + index)),
  }));
  const moved: LockedOrder = {
    ...order,
    state: move.to,
    hold: move.to === 'on_hold' ? (move.hold ?? order.hold) : null,
    version: order.version + events.length,
    last_event_at: events.at(-1)?.createdAt ?? order.last_event_at,
  };
  await recordMove(tx, {
    accountId: order.account_id,
    orderId: order.id,
    from: order.state,
    to: move.to,
    version: moved.version,
    lastEventAt: moved.last_event_at,
    now,
    historyId: newId(now.getTime()),
    action: move.action,
    actor: move.actor,
    reason: move.reason,
    hold: moved.hold,
  });
  for (const event of events) {
    const of = { accountId: order.account_id, orderId: order.id, dueAt: firstAttemptAt(config, now) };
    await publishEvent(tx, { ...event, ...of });
  }
  return moved;
}
