import { isoTime } from '../lib/clock.ts';
import type { Move } from './move-order.ts';
import type { LockedOrder } from './move-sql.ts';

/**
 * The move that holds an order (decisions, "Hold"; "Where two sentences pull apart", 2).
 * It records the state to return to, and publishes the reason to the owner. Allocated stock stays allocated. An order
 * that is already held takes the new reason, with the old one behind it, and returns to its state before the first
 * hold.
 */
export function holdMove(
  order: LockedOrder,
  hold: { readonly code: string; readonly reason: string; readonly actor: string },
  now: Date,
): Move {
  const { code, actor } = hold;
  const before = order.state === 'on_hold' ? order.hold : null;
  const reason = before === null ? hold.reason : `${hold.reason} On hold before: ${before.reason}`;
  return {
    to: 'on_hold',
    action: 'hold',
    actor,
    reason,
    hold: { code, reason, opened_at: isoTime(now), from: before?.from ?? order.state },
    events: [{ event: 'order.on_hold', data: { reference: order.reference, status: 'pending', reason } }],
  };
}
