import type { ShopOrder } from '../shop-order.ts';

/**
 * An order without what no text of the database may have: the character 0, and half of a character.
 * A plug-in writes the first, and a text that is clipped may end in the second. Pure.
 */
export function writableOrder(order: ShopOrder): ShopOrder {
  return writable(order) as ShopOrder;
}

function writable(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('\0', '').toWellFormed();
  if (Array.isArray(value)) return value.map(writable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, writable(member)]));
}
