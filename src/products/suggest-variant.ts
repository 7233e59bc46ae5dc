import type { CatalogueReference } from '../catalogue/reference.ts';
import type { NamedProduct } from './named-sql.ts';

export type Suggestion = { readonly product: NamedProduct; readonly sku: string };

/**
 * The variants that an item of a shop may be, the likeliest first.
 * A SKU of the shop that is one of ours comes first, then a product of the item's name with the variants whose colour
 * and size stand behind the name. Pure.
 */
export function suggestVariants(
  { key, title }: { readonly key: string; readonly title: string },
  products: readonly NamedProduct[],
  { bySku }: Pick<CatalogueReference, 'bySku'>,
): Suggestion[] {
  const sku = key.startsWith('sku ') ? key.slice('sku '.length) : undefined;
  const offering = products.filter(({ skus }) => sku !== undefined && skus.includes(sku));
  const bySkuAlone = offering.map((product): Suggestion => ({ product, sku: sku ?? '' }));
  const at = title.lastIndexOf(' - ');
  const name = at === -1 ? title : title.slice(0, at);
  const options = (at === -1 ? '' : title.slice(at + 3))
    .split('/')
    .map((text) => text.trim().toLowerCase())
    .filter((text) => text !== '');
  const byName = products
    .filter((product) => product.name === name || product.name === title)
    .flatMap((product) =>
      product.skus
        .filter((each) => {
          const entry = bySku.get(each)?.variant.entry;
          const has = [entry?.colour.toLowerCase(), entry?.size.toLowerCase()];
          return options.every((option) => has.includes(option));
        })
        .map((each): Suggestion => ({ product, sku: each })),
    );
  const seen = new Set<string>();
  return [...bySkuAlone, ...byName].filter(({ product, sku: each }) => {
    const at2 = `${product.id} ${each}`;
    if (seen.has(at2)) return false;
    seen.add(at2);
    return true;
  });
}
