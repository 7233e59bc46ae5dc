import type { Caller } from '../../lib/caller.ts';
import { isoTime } from '../../lib/clock.ts';
import { notFound } from '../../lib/errors.ts';
import type { OrdersContext } from '../context.ts';
import { ownOrderId } from '../reading/own-order.ts';
import type { OrderHistory, OwnMove, OwnMoveKind } from './own-history-schema.ts';
import { listOwnMoves, type OwnMoveRow } from './own-history-sql.ts';

const MOVES_MAX = 200;

/** What the account sees of an action; the rest is the shop's own, or shown by what the order has. */
const KINDS: Readonly<Record<string, OwnMoveKind>> = {
  place: 'placed',
  payment_failed: 'payment_failed',
  retry_payment: 'payment_tried',
  settle: 'paid',
  hold: 'held',
  resume: 'resumed',
  promote: 'confirmed',
  pause_line: 'line_held',
  resume_line: 'line_resumed',
  replace_artwork: 'artwork_replaced',
  change_address: 'address_changed',
  cancel_lines: 'pieces_cancelled',
  correct_shipment: 'tracking_corrected',
  replace: 'remade',
  ask_to_cancel: 'cancel_asked',
  withdraw_cancellation: 'cancel_withdrawn',
  refuse_cancellation: 'cancel_refused',
  cancel: 'cancelled',
};

/**
 * What happened to an order of the caller, latest first, for as long as the order is kept.
 * Events end after 30 days; the history does not. Names of operators and their reasons stay with the shop, but for the
 * reason of a hold, which was written for the customer. Throws 404 for another account's order.
 */
export async function readOwnHistory(
  ctx: Pick<OrdersContext, 'database'>,
  caller: Caller,
  idOrReference: string,
): Promise<OrderHistory> {
  const orderId = await ownOrderId(ctx, caller, idOrReference);
  const { accountId } = caller;
  if (orderId === undefined) throw notFound();
  const asked = { actions: Object.keys(KINDS), limit: MOVES_MAX + 1 };
  const rows = await listOwnMoves(ctx.database, { accountId, orderId }, asked);
  // Every order was placed: without a move there is none of this id in the account.
  if (rows.length === 0) throw notFound();
  const data = rows.slice(0, MOVES_MAX).flatMap(movesOf);
  return { data: data.toSorted((one, other) => other.at.localeCompare(one.at)), is_whole: rows.length <= MOVES_MAX };
}

/** A move can be two things: the last parcel sends the order, too. */
function movesOf(row: OwnMoveRow): OwnMove[] {
  const { from_state: from, to_state: to } = row;
  const own = KINDS[row.action];
  const kinds: OwnMoveKind[] = [
    ...(from !== to && (to === 'in_production' || to === 'dispatched') ? [to] : []),
    ...(own === undefined ? [] : [own]),
  ];
  return kinds.map((kind) => moveView(kind, row));
}

/** The moves whose reason begins with the line that they are about. */
const OF_LINES: readonly OwnMoveKind[] = ['line_held', 'line_resumed', 'artwork_replaced'];

function moveView(kind: OwnMoveKind, { actor, reason, created_at: at }: OwnMoveRow): OwnMove {
  const [, lineId, rest = ''] = OF_LINES.includes(kind) ? (/^(line_[0-9a-z]+)(?:: (.*))?$/s.exec(reason) ?? []) : [];
  return {
    kind,
    at: isoTime(at),
    by: actor === 'customer' || actor === 'system' ? actor : 'shop',
    reason: kind === 'held' ? reason : kind === 'line_held' ? rest : '',
    line_id: lineId ?? null,
    print_area: kind === 'artwork_replaced' && rest !== '' ? rest : null,
  };
}
