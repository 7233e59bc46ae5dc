import { isoTime } from '../lib/clock.ts';
import type { Move } from './move-order.ts';
import type { LockedOrder } from './move-sql.ts';

/**
 * The move that holds an order: where to it returns is noted, and its owner is told why. It keeps the stock that is allocated to it
 * (decisions, "Hold"; "Where two sentences pull apart", 2).
 */
export function holdMove(
  order: LockedOrder,
  hold: { readonly code: string; readonly reason: string; readonly actor: string },
  now: Date,
): Move {
  const { code, reason, actor } = hold;
  return {
    to: 'on_hold',
    action: 'hold',
    actor,
    reason,
    hold: { code, reason, opened_at: isoTime(now), from: order.state },
    events: [{ event: 'order.on_hold', data: { reference: order.reference, status: 'pending', reason } }],
  };
}
