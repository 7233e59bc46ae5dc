import { type Members, textOf } from '../members.ts';
import type { Shop } from '../port.ts';
import { ask, membersOf, numberOf } from './ask.ts';
import { FIRST_FULFILMENTS, packedIn, standingFulfilments } from './fulfilments.ts';

// Shopify's count of a line falls with every refund, also of a piece that was sent and came back. What its buyer waits
// for yet is known by the pieces that were sent.

const FULFILMENTS = `query SentOf($id: ID!) { order(id: $id) { id ${FIRST_FULFILMENTS} } }`;

/** Pieces that were sent, by the numbers of their lines. */
export type SentOfLines = ReadonlyMap<string, number>;

/**
 * The pieces of an order that were sent.
 * None where no line depends on them, since that is a query for each of its parcels.
 */
export async function readSentPieces(
  shop: Pick<Shop, 'call'>,
  orderId: string,
  lines: readonly Members[],
): Promise<SentOfLines> {
  const sent = new Map<string, number>();
  if (!lines.some((line) => missingOf(line) > 0)) return sent;
  const order = membersOf((await ask(shop, FULFILMENTS, { id: orderId })).order);
  for (const { id } of await standingFulfilments(shop, order)) {
    for (const [line, quantity] of await packedIn(shop, textOf(id))) sent.set(line, (sent.get(line) ?? 0) + quantity);
  }
  return sent;
}

/** Pieces of a line that were refunded, or taken out of the order. */
function missingOf({ quantity, currentQuantity }: Members): number {
  return Number(quantity ?? 0) - Number(currentQuantity ?? 0);
}

/**
 * Pieces of a line that stay.
 * Those that were sent, whether or not they came back, and those that are to be sent.
 * A piece that is refunded after it was sent is missing in the shop's count and in none of these. Pure.
 */
export function piecesOf(line: Members, sent: SentOfLines): number {
  const current = Math.round(Number(line.currentQuantity ?? 0));
  const open = Number(line.unfulfilledQuantity ?? current);
  const cameBack = (sent.get(numberOf(line.id)) ?? 0) + open - current;
  return current + Math.max(Math.min(cameBack, missingOf(line)), 0);
}
