import { isoTime } from '../lib/clock.ts';
import type { Move } from './move-order.ts';
import type { LockedOrder } from './move-sql.ts';

/**
 * The move that holds an order: where to it returns is noted, and its owner is told why. It keeps the stock that is allocated to it
 * (decisions, "Hold"; "Where two sentences pull apart", 2). One that is held already is held for the new reason from then on, with the
 * old one behind it, and returns to where it was before the first hold.
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
