import { isoTime } from '../lib/clock.ts';
import { publicId } from '../lib/ids.ts';
import type { StockLevel, StockMovement } from './ops-schema.ts';
import type { BaseProduct } from './reference.ts';
import type { BaseProductReply, PrintAreaReply, StockReply } from './schema.ts';
import type { StockRow } from './sql.ts';
import type { MovementRow, StockLevelRow } from './stock-sql.ts';

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

/** The stock of a variant, as operators see it. */
export function stockLevelView(row: StockLevelRow & { readonly short: number }): StockLevel {
  return {
    sku: row.sku,
    on_hand: row.on_hand,
    allocated: row.allocated,
    available: Math.max(row.on_hand - row.allocated, 0),
    missing: Math.max(row.allocated - row.on_hand, 0),
    short: row.short,
    updated_at: isoTime(row.updated_at),
  };
}

/** A movement with its effect on each of the two sums. */
export function movementView(row: MovementRow): StockMovement {
  const isPromise = row.kind === 'allocate' || row.kind === 'release';
  return {
    id: String(row.id),
    sku: row.sku,
    kind: row.kind,
    on_hand_change: isPromise ? 0 : row.quantity,
    allocated_change: isPromise || row.kind === 'consume' ? row.quantity : 0,
    order_id: row.order_id && publicId('ord', row.order_id),
    line_id: row.line_id && publicId('line', row.line_id),
    reason: row.reason,
    reference: row.reference,
    actor: row.actor,
    created_at: isoTime(row.created_at),
  };
}
