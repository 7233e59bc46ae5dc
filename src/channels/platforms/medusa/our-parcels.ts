import { arrayOf, isMembers, type Members, textOf } from '../members.ts';

// Our parcels in a shop of Medusa are fulfilments that carry the parcel's id in their metadata.

const PARCEL = 'platen_parcel';
const PIECES = 'platen_pieces';

/** Pieces of a line, by its id in the shop. */
export type Piece = { readonly id: string; readonly quantity: number };

/** What marks a fulfilment as the parcel of an id, with its pieces by line. */
export function parcelMark(id: string, items: readonly Piece[]): Members {
  return { [PARCEL]: id, [PIECES]: Object.fromEntries(items.map((item) => [item.id, item.quantity])) };
}

/** The fulfilment of an order that is the parcel of an id, and was not taken back in the shop. */
export function findParcel(order: Members, id: string): Members | undefined {
  return ourFulfilments(order).find(({ metadata }) => isMembers(metadata) && metadata[PARCEL] === id);
}

/**
 * Pieces of a line that are in our parcels.
 * They stand in the mark: Medusa counts a bundle by the things it is made of.
 */
export function ourPieces(order: Members, lineId: string): number {
  const ours = ourFulfilments(order).flatMap(markedPieces);
  return ours.reduce((sum, { id, quantity }) => sum + (id === lineId ? quantity : 0), 0);
}

/** The pieces in a fulfilment of ours, which may be fewer than its parcel has. */
export function markedPieces({ metadata }: Members): Piece[] {
  const pieces = isMembers(metadata) && isMembers(metadata[PIECES]) ? metadata[PIECES] : {};
  return Object.entries(pieces)
    .map(([id, quantity]) => ({ id, quantity: Number(quantity) }))
    .filter(({ quantity }) => quantity > 0);
}

function ourFulfilments(order: Members): Members[] {
  return arrayOf(order.fulfillments)
    .filter(isMembers)
    .filter(({ canceled_at: canceledAt, metadata }) => {
      return textOf(canceledAt) === '' && isMembers(metadata) && textOf(metadata[PARCEL]) !== '';
    });
}
