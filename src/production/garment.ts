import type { CatalogueReference } from '../catalogue/reference.ts';

/** A blank as the catalogue knows it, whatever the customer calls it. */
export type Garment = { variant_sku: string; product_title: string; colour: string; size: string };

/**
 * Finds a blank by its SKU in the catalogue, also one that is no longer offered.
 * For an unknown SKU only the SKU itself is filled in.
 */
export function garmentOf(catalogue: Pick<CatalogueReference, 'bySku'>, sku: string): Garment {
  const found = catalogue.bySku.get(sku);
  if (found === undefined) return { variant_sku: sku, product_title: '', colour: '', size: '' };
  const { colour, size } = found.variant.entry;
  return { variant_sku: sku, product_title: found.baseProduct.entry.title, colour, size };
}
