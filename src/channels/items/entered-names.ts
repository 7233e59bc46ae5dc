import type { ShopItem } from '../shop-order.ts';

/**
 * The names of what a buyer entered for an item.
 * Names that begin with `_` are bookkeeping of the shop, by a rule that platforms share. What the title or the options
 * of the item say too was chosen, not entered: WooCommerce lists the attributes of a variation among the entries. Pure.
 */
export function enteredNames({ title, options = '', properties = [] }: ShopItem): readonly string[] {
  const chosen = new Set([...partsOf(title), ...partsOf(options)]);
  const names = properties
    .filter(({ name, value }) => !name.startsWith('_') && value.trim() !== '' && !chosen.has(folded(value)))
    .map(({ name }) => name);
  return [...new Set(names)];
}

/** Of `Fern tee - White, M` the parts are what it is called and what was chosen. */
function partsOf(text: string): string[] {
  return text.split(/\s[-–/|]\s|,\s/u).map(folded);
}

function folded(text: string): string {
  return text.trim().toLowerCase();
}
