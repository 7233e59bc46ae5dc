import type { ShopOrder } from '../shop-order.ts';

// What every platform's orders are read into: the bounds of an order of a shop, and how its members are left out.

export const LINES_MAX = 1_000;
export const TEXT_MAX = 500;
export const VALUE_MAX = 5_000;
export const PROPERTIES_MAX = 100;
export const PIECES_MAX = 10_000;

/** A member with a text; none without one. */
export function optional<Name extends string>(name: Name, text: string): { [name in Name]?: string } {
  return text === '' ? {} : ({ [name]: text } as { [name in Name]: string });
}

/** The beginning of a text, of so many characters at the most. */
export function clipped(text: string, max: number): string {
  return text.slice(0, max);
}

/** An address of the members that have a text. */
export function addressWith(members: Required<ShopOrder['shipping_address']>): ShopOrder['shipping_address'] {
  return Object.fromEntries(
    Object.entries(members)
      .filter(([, text]) => text !== '')
      .map(([member, text]) => [member, clipped(text, TEXT_MAX)]),
  );
}
