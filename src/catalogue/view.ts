import { isoTime } from '../lib/clock.ts';
import { publicId } from '../lib/ids.ts';
import type { BaseProduct } from './reference.ts';
import type { BaseProductReply, PrintAreaReply, StockReply } from './schema.ts';
import type { StockRow } from './sql.ts';

/** A base product as reference data. */
export function baseProductView({ id, entry, variants }: BaseProduct): BaseProductReply {
  return {
    id: publicId('bprod', id),
    master_sku: entry.master_sku,
    title: entry.title,
    description: entry.description,
    print_areas: entry.print_areas.map((area) => area.print_area),
    methods: [...new Set(entry.print_areas.flatMap((area) => area.methods))],
    variants: variants.map((variant) => ({
      id: publicId('var', variant.id),
      sku: variant.entry.sku,
      colour: variant.entry.colour,
      colour_hex: variant.entry.colour_hex,
      size: variant.entry.size,
      weight_grams: variant.entry.weight_grams,
      active: variant.active,
    })),
  };
}

/** The print areas of a base product with the templates that artwork is made to. */
export function printAreaViews({ entry }: BaseProduct): PrintAreaReply[] {
  return entry.print_areas.map(({ size_class: _priced, ...area }) => area);
}

export function stockView(row: StockRow): StockReply {
  return { variant_sku: row.sku, available: row.available, updated_at: isoTime(row.updated_at) };
}
