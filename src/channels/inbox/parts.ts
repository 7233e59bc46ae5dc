import { itemKey, type ShopItem } from '../shop-order.ts';
import type { LaterOrder, SentPieces } from './to-be-made.ts';

/** Keyed digests of the parts of a shop's order: what tells which of them it has changed since. */
export type Parts = {
  readonly address: string;
  /** All but the address, the items and how far the shop is with it. */
  readonly rest: string;
  /** How each item is made, by the shop's id of it. */
  readonly made: Readonly<Record<string, string>>;
  /**
   * The same without the id of its variant, of the items that have one.
   * Rows of before have none.
   */
  readonly bare?: Readonly<Record<string, string>>;
  /** Whether the shop suspected fraud. */
  readonly risky?: true;
  /** Pieces that were sent before the order was placed, by the shop's ids of its items. */
  readonly sent?: SentPieces;
  /** Since when nothing in the shop has kept it from being placed; left out where nothing ever did. */
  readonly free_at?: string;
};

/** The parts of an order as a shop sent it. Pure. */
export function orderParts(digest: (text: string) => Buffer, order: LaterOrder): Parts {
  const {
    items,
    shipping_address: address,
    updated_at: _updated,
    cancelled: _cancelled,
    fulfilled: _fulfilled,
    scheduled_for: _day,
    on_hold: _hold,
    unknown_status: _status,
    high_risk: isRisky,
    risk_pending: _pending,
    sent_since: _sent,
    corrects: _corrects,
    takes_back_cancel: _takesBack,
    ...rest
  } = order;
  const of = (value: unknown): string => digest(JSON.stringify(value, sorted)).toString('base64url').slice(0, 22);
  const bare = items.flatMap(({ variant_id: variantId, ...item }) =>
    variantId === undefined ? [] : [[item.id, of(madeOf(item))] as const],
  );
  return {
    address: of(address),
    rest: of(rest),
    made: Object.fromEntries(items.map((item) => [item.id, of(madeOf(item))])),
    ...(bare.length === 0 ? {} : { bare: Object.fromEntries(bare) }),
    ...(isRisky === true ? { risky: true } : {}),
  };
}

/**
 * The parts that are kept of an order, by the present key.
 * `now` is the order by the present key, `every` the same by each key: what is the same by a former one is the same.
 * Any other part stays as it is, and is another by every key. Pure.
 */
export function byPresentKey(kept: Parts, now: Parts, every: readonly Parts[]): Parts {
  const of = (part: string, read: (parts: Parts) => string | undefined): string =>
    every.some((one) => read(one) === part) ? (read(now) ?? part) : part;
  // Of a variant that is gone, the item itself has none now.
  const bare = Object.entries(kept.bare ?? {}).map(
    ([id, part]) => [id, of(part, (one) => one.bare?.[id] ?? one.made[id])] as const,
  );
  return {
    ...kept,
    address: of(kept.address, ({ address }) => address),
    rest: of(kept.rest, ({ rest }) => rest),
    made: Object.fromEntries(Object.entries(kept.made).map(([id, part]) => [id, of(part, ({ made }) => made[id])])),
    ...(bare.length === 0 ? {} : { bare: Object.fromEntries(bare) }),
  };
}

/**
 * Whether an item is made as it was before.
 * A shop that has deleted the variant since gives the item out without its id, and with the SKU as it was. Pure.
 */
export function isMadeTheSame(before: Parts, now: Parts, id: string): boolean {
  const made = now.made[id];
  return made === before.made[id] || (made !== undefined && made === before.bare?.[id]);
}

/** The database gives the members back in an order of its own. */
function sorted(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/** Not how many, and not under which title: the key outlives a new one. */
function madeOf(item: ShopItem): unknown {
  return [itemKey(item), item.properties ?? [], item.made_by_others === true];
}
