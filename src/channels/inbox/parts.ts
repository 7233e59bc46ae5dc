import { itemKey, type ShopItem } from '../shop-order.ts';
import type { LaterOrder, SentPieces } from './to-be-made.ts';

/** Keyed digests of the parts of a shop's order: what tells which of them it has changed since. */
export type Parts = {
  readonly address: string;
  /** All but the address, the items and how far the shop is with it. */
  readonly rest: string;
  /** How each item is made, by the shop's id of it. */
  readonly made: Readonly<Record<string, string>>;
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
    ...rest
  } = order;
  const of = (value: unknown): string => digest(JSON.stringify(value, sorted)).toString('base64url').slice(0, 22);
  return {
    address: of(address),
    rest: of(rest),
    made: Object.fromEntries(items.map((item) => [item.id, of(madeOf(item))])),
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
  return {
    ...kept,
    address: of(kept.address, ({ address }) => address),
    rest: of(kept.rest, ({ rest }) => rest),
    made: Object.fromEntries(Object.entries(kept.made).map(([id, part]) => [id, of(part, ({ made }) => made[id])])),
  };
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
