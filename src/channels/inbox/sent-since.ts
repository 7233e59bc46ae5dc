import type { Db } from '../../lib/db.ts';
import { readOrderToReport } from '../reports/report-sql.ts';
import { piecesIn, type ShopOrder } from '../shop-order.ts';
import type { InboxProblem, InboxRow } from './inbox-sql.ts';
import { lockSupplements } from './supplement-sql.ts';
import type { LaterOrder, SentPieces } from './to-be-made.ts';

/**
 * Pieces that a shop calls sent and that have not left here, by the shop's ids of its items.
 * A parcel is reported after it has left here, so none of ours is among them, however its shop names it. Nothing of an
 * order that is over. Under the lock of the order, which comes first.
 */
export async function sentSince(tx: Db, row: InboxRow, { items, cancelled }: ShopOrder): Promise<SentPieces> {
  const isOver = ['dispatched', 'delivered', 'cancelled'].includes(row.order_state ?? 'cancelled');
  if (isOver || cancelled === true) return {};
  const before = row.parts?.sent ?? {};
  const beyond = new Map<string, number>();
  for (const { id, sent_quantity: sent = 0 } of items) {
    if (sent > 0) beyond.set(id, (beyond.get(id) ?? -piecesIn(before, id)) + sent);
  }
  if ([...beyond.values()].every((pieces) => pieces <= 0)) return {};
  const ours = new Set<string>();
  for (const member of [row, ...(await lockSupplements(tx, row))]) {
    const placed = await readOrderToReport(tx, member.account_id, member.id);
    for (const { id, line } of member.items) {
      const made = line === undefined ? undefined : placed?.lines[line];
      if (made === undefined) continue;
      ours.add(id);
      beyond.set(id, (beyond.get(id) ?? 0) - made.shipped);
    }
  }
  return Object.fromEntries([...beyond].filter(([id, pieces]) => ours.has(id) && pieces > 0));
}

/** Pieces that the shop has sent itself since the order was placed: they would be sent twice. Pure. */
export function piecesSentThere(later: LaterOrder): InboxProblem[] {
  return Object.entries(later.sent_since ?? {}).flatMap(([id, pieces]) => {
    const index = later.items.findIndex((item) => item.id === id);
    const are = pieces === 1 ? '1 piece' : `${pieces} pieces`;
    const message = `The shop has sent ${are} of this itself since the order was placed, and here they are made all the same. Cancel what is not to be sent twice.`;
    return [{ path: index === -1 ? 'items' : `items[${index}]`, message }];
  });
}
