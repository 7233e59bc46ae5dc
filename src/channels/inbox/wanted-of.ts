import type { KeptItem, ShopItem } from '../shop-order.ts';

/** Items of an order of a shop, and what became of it. */
export type OrderedItems = { readonly items: readonly KeptItem[]; readonly state: string };

/** What a shop wants of items that are ordered, and besides. */
export type WantedItems = {
  /** Of each order its items, with the pieces that stay. */
  readonly kept: readonly (readonly KeptItem[])[];
  /** Pieces beyond those, by the place of their item in the shop's order. */
  readonly more: readonly { readonly index: number; readonly quantity: number }[];
};

/**
 * Compares what is ordered of a shop's order with what the shop has now.
 * Items are the same by the shop's id of them. Where one stands in more than one order, the first is filled first.
 * Pure.
 */
export function wantedOf(ordered: readonly OrderedItems[], later: readonly ShopItem[]): WantedItems {
  const left = new Map<string, number>();
  for (const { id, quantity } of later) left.set(id, (left.get(id) ?? 0) + quantity);
  const kept = ordered.map(({ items }) =>
    items.map((item) => {
      const open = left.get(item.id) ?? 0;
      const quantity = Math.min(item.quantity, open);
      left.set(item.id, open - quantity);
      return { ...item, quantity };
    }),
  );
  // What others make is theirs, however many of it: what has no line of a placed order.
  const ofPlaced = ordered.flatMap(({ items, state }) => (state === 'placed' ? items : []));
  const byOthers = new Set(ofPlaced.flatMap(({ id, line }) => (line === undefined ? [id] : [])));
  const more = later.flatMap(({ id }, index) => {
    const quantity = left.get(id) ?? 0;
    left.set(id, 0);
    return quantity > 0 && !byOthers.has(id) ? [{ index, quantity }] : [];
  });
  return { kept, more };
}
