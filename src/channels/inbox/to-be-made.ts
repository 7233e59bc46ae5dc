import type { ShopOrder } from '../shop-order.ts';

/** Pieces that were sent, by the shop's ids of its items. */
export type SentPieces = Readonly<Record<string, number>>;

/** What a shop sent of a placed order, with the pieces that it has sent itself since. */
export type LaterOrder = ShopOrder & {
  readonly sent_since?: SentPieces;
  /** The digest of the shop's address, where a person has put another in its place while it was placed. */
  readonly corrects?: string;
  /** The shop has taken back its cancel, and the print shop was asked to cancel. */
  readonly takes_back_cancel?: true;
};

/** An order with the pieces that are to be made. */
export type ToBeMade = { readonly order: ShopOrder; readonly sent: SentPieces };

/**
 * An order without the pieces that its shop sent before it was placed here.
 * Once it is placed, only what had been sent by then is left out, if it still counts as sent: all else that is sent may
 * be ours. One of which nothing is left to be made was sent by its shop. Pure.
 */
export function toBeMade(order: ShopOrder, beforePlaced?: SentPieces): ToBeMade {
  const left = new Map(Object.entries(beforePlaced ?? {}));
  const sent = new Map<string, number>();
  const all = order.items.map(({ sent_quantity: sentQuantity = 0, ...item }) => {
    const { id, quantity } = item;
    const most = beforePlaced === undefined ? sentQuantity : Math.min(sentQuantity, left.get(id) ?? 0);
    const gone = order.cancelled === true ? 0 : Math.min(most, quantity);
    left.set(id, (left.get(id) ?? 0) - gone);
    if (gone > 0) sent.set(id, (sent.get(id) ?? 0) + gone);
    return { item, quantity: quantity - gone };
  });
  const items = all.flatMap(({ item, quantity }) => (quantity > 0 ? [{ ...item, quantity }] : []));
  const isNothingLeft = items.length === 0 && beforePlaced === undefined;
  const made = isNothingLeft ? { ...order, items: all.map(({ item }) => item), fulfilled: true } : { ...order, items };
  return { order: made, sent: Object.fromEntries(sent) };
}
