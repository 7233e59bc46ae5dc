import { arrayOf, isMembers, type Members, textOf } from '../members.ts';
import type { Shop } from '../port.ts';
import { ask, membersOf, nodesOf, numberOf } from './ask.ts';

// Shopify's count of a line falls with every refund, also of a piece that was sent and came back. What its buyer waits
// for yet is known by the pieces that were sent.

const FULFILMENTS_MAX = 100;
const LINES_AT_ONCE = 100;

const FULFILMENTS = `query SentOf($id: ID!) { order(id: $id) { fulfillments(first: ${FULFILMENTS_MAX}) { id status } } }`;

const PACKED = `query Packed($id: ID!) {
  fulfillment(id: $id) { fulfillmentLineItems(first: ${LINES_AT_ONCE}) { nodes { quantity lineItem { id } } } }
}`;

const STANDING = new Set(['SUCCESS', 'OPEN', 'PENDING']);

/** Pieces that were sent, by the numbers of their lines. */
export type SentOfLines = ReadonlyMap<string, number>;

/** Whether a fulfilment was sent, and not taken back or lost. Pure. */
export function isStanding({ status }: Members): boolean {
  return STANDING.has(textOf(status));
}

/** The pieces in a fulfilment, by the numbers of their lines. */
export async function packedIn(shop: Pick<Shop, 'call'>, id: string): Promise<SentOfLines> {
  const { fulfillment } = await ask(shop, PACKED, { id });
  return new Map(
    nodesOf(membersOf(fulfillment).fulfillmentLineItems).map(({ quantity, lineItem }) => [
      numberOf(membersOf(lineItem).id),
      Number(quantity),
    ]),
  );
}

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
  const { fulfillments } = membersOf((await ask(shop, FULFILMENTS, { id: orderId })).order);
  for (const { id } of arrayOf(fulfillments).filter(isMembers).filter(isStanding)) {
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
