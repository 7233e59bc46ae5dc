import type { CatalogueReference } from '../catalogue/reference.ts';

/** What a blank really is, whatever the customer calls it. */
export type Garment = { variant_sku: string; product_title: string; colour: string; size: string };

/** A blank by its SKU as the catalogue has it, also one that is no longer offered; one that it does not know is its SKU alone. */
export function garmentOf(catalogue: Pick<CatalogueReference, 'bySku'>, sku: string): Garment {
  const found = catalogue.bySku.get(sku);
  if (found === undefined) return { variant_sku: sku, product_title: '', colour: '', size: '' };
  const { colour, size } = found.variant.entry;
  return { variant_sku: sku, product_title: found.baseProduct.entry.title, colour, size };
}
