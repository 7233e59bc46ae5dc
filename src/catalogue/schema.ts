import { pageQuery } from '../lib/paging.ts';
import { oneOf, pageSchema, Timestamp } from '../lib/schemas.ts';
import { type Static, Type } from '../lib/typebox.ts';

/** A base product as reference data (decisions, "Catalogue"). */
export const BaseProductReply = Type.Object(
  {
    id: Type.String(),
    master_sku: Type.String(),
    title: Type.String(),
    description: Type.String(),
    print_areas: Type.Array(Type.String(), { description: 'Details at /print-areas.' }),
    methods: Type.Array(Type.String(), { description: 'The methods of all its print areas.' }),
    variants: Type.Array(
      Type.Object(
        {
          id: Type.String(),
          sku: Type.String({ description: 'Send it in variant_skus of a product.' }),
          colour: Type.String(),
          colour_hex: Type.String(),
          size: Type.String(),
          weight_grams: Type.Integer(),
          active: Type.Boolean({ description: 'Whether it is offered.' }),
        },
        { title: 'BlankVariant' },
      ),
    ),
  },
  { title: 'BaseProduct' },
);
export type BaseProductReply = Static<typeof BaseProductReply>;

export const PrintAreaReply = Type.Object(
  {
    print_area: Type.String(),
    title: Type.String(),
    methods: Type.Array(Type.String()),
    width_mm: Type.Number(),
    height_mm: Type.Number(),
    dpi: Type.Integer(),
    width_px: Type.Integer(),
    height_px: Type.Integer(),
    format: oneOf(['png']),
  },
  { title: 'PrintArea' },
);
export type PrintAreaReply = Static<typeof PrintAreaReply>;

export const StockReply = Type.Object(
  {
    variant_sku: Type.String(),
    available: Type.Integer({ description: 'What can be ordered now; nothing is reserved.' }),
    updated_at: Timestamp,
  },
  { title: 'Stock' },
);
export type StockReply = Static<typeof StockReply>;

export const BaseProductPage = pageSchema(BaseProductReply);
export const PrintAreaPage = pageSchema(PrintAreaReply);
export const StockPage = pageSchema(StockReply);

export const BaseProductParams = Type.Object({ id: Type.String({ description: 'Base product id.' }) });

export const ListBaseProductsQuery = Type.Object(pageQuery('bprod'));
export type ListBaseProductsQuery = Static<typeof ListBaseProductsQuery>;

/** At most 100 SKUs a request. */
const SKUS_PATTERN = '^[A-Za-z0-9._/-]{1,64}(,[A-Za-z0-9._/-]{1,64}){0,99}$';

export const StockQuery = Type.Object({
  limit: pageQuery('var').limit,
  cursor: Type.Optional(
    Type.String({
      // A SKU, and no id of another collection.
      pattern: '^(?![a-z]{3,5}_[0-9a-z]{26}$)[A-Za-z0-9][A-Za-z0-9._/-]{0,63}$',
      description: 'The next_cursor of the previous page.',
      'x-message': 'must be the next_cursor of a page of this collection.',
    }),
  ),
  variant_sku: Type.Optional(
    Type.String({
      pattern: SKUS_PATTERN,
      description: 'Up to 100 SKUs, separated by commas; all by default.',
      'x-message': 'must be 1 to 100 SKUs with commas between.',
    }),
  ),
});
export type StockQuery = Static<typeof StockQuery>;
