import type { CatalogueReference } from '../catalogue/reference.ts';
import { isoTime } from '../lib/clock.ts';
import type { Context } from '../lib/context.ts';
import { publicId } from '../lib/ids.ts';
import { pence, toPounds } from '../lib/money.ts';
import { mockupsView } from './mockup-view.ts';
import type { Product } from './schema.ts';
import type { ProductRow } from './sql.ts';

/**
 * A product as the public API shows it (spec 2.3).
 * The addresses of its pictures are signed anew for each reply.
 */
export function productView(
  ctx: Pick<Context, 'clock' | 'config' | 'secrets'>,
  catalogue: CatalogueReference,
  product: ProductRow,
): Product {
  const base = catalogue.byId.get(product.base_product_id);
  if (base === undefined) throw new Error('a product refers to a base product that the catalogue does not have');
  return {
    id: publicId('prod', product.id),
    name: product.name,
    description: product.description,
    status: product.status,
    tags: product.tags,
    retail_price: retailPrice(product),
    base_product: { id: publicId('bprod', base.id), master_sku: base.entry.master_sku, title: base.entry.title },
    ...mockupsView(ctx, catalogue, base, product),
    personalised: product.personalisation !== null,
    print_areas: product.areas.map((area) => ({
      print_area: area.print_area,
      method: area.method,
      position: { x: area.x, y: area.y, scale: area.scale, rotation: area.rotation },
    })),
    variants: product.variants.map((variant) => {
      const blank = catalogue.bySku.get(variant.sku)?.variant;
      if (blank === undefined) throw new Error(`a product offers ${variant.sku}, which the catalogue does not have`);
      return {
        id: publicId('var', variant.id),
        blank_variant_sku: variant.sku,
        colour: blank.entry.colour,
        colour_hex: blank.entry.colour_hex,
        active: variant.active && blank.active,
      };
    }),
    created_at: isoTime(product.created_at),
    updated_at: isoTime(product.updated_at),
  };
}

/** What the customer sells a piece for, in pounds. */
export function retailPrice({ retail_price_pence: own }: Pick<ProductRow, 'retail_price_pence'>): number | null {
  return own === null ? null : toPounds(pence(own));
}

/** The prices of the offered variants that have one of their own, by SKU. */
export function ownPrices({ variants }: Pick<ProductRow, 'variants'>): Record<string, number> {
  return Object.fromEntries(
    variants.flatMap(({ sku, active, retail_price_pence: own }) =>
      own === null || !active ? [] : [[sku, toPounds(pence(own))]],
    ),
  );
}
