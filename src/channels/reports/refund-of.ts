import type { SentPieces } from '../inbox/to-be-made.ts';
import type { BuyerRefund } from '../platforms/port.ts';
import { piecesIn } from '../shop-order.ts';
import { cancelledOf } from './report-of.ts';
import type { LinePieces, OrderToReport } from './report-sql.ts';

/**
 * What a shop is to give its buyer back, of each line of which pieces were cancelled here.
 * Never for pieces that the shop makes or sends itself: those that it calls sent and that have not left here, and those
 * that it does not want of us any more. Pure.
 */
export function refundPieces(order: OrderToReport, toRefund: LinePieces, sentThere: SentPieces): BuyerRefund['pieces'] {
  const madeOf = new Map(cancelledOf(order).map(({ shopItemId, made }) => [shopItemId, made]));
  return Object.entries(toRefund).map(([shopItemId, refunded]) => {
    const made = madeOf.get(shopItemId) ?? 0;
    const sentByShop = Math.max(piecesIn(sentThere, shopItemId) - shippedOf(order, shopItemId), 0);
    return { shopItemId, refunded, made: made + sentByShop, most: Math.max(wantedOfUs(order, shopItemId) - made, 0) };
  });
}

/** Pieces of a line of the shop that have left here, in all its orders. */
function shippedOf({ items, lines, others }: OrderToReport, shopItemId: string): number {
  const own = items.map(({ id, line }) => (id === shopItemId && line !== undefined ? (lines[line]?.shipped ?? 0) : 0));
  const elsewhere = others.flatMap((other) =>
    other.items.map(({ id, line }) => (id === shopItemId && line !== undefined ? (other.shipped?.[line] ?? 0) : 0)),
  );
  return [...own, ...elsewhere].reduce((sum, count) => sum + count, 0);
}

function wantedOfUs({ items, others }: OrderToReport, shopItemId: string): number {
  return [...items, ...others.flatMap((other) => other.items)].reduce(
    (sum, { id, quantity }) => sum + (id === shopItemId ? quantity : 0),
    0,
  );
}
