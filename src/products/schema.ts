import { type Static, Type } from 'typebox';
import { pageQuery } from '../lib/paging.ts';
import { nullable, oneOf, pageSchema, Timestamp } from '../lib/schemas.ts';

/** Spec 2.3, with `personalised` and the status `archived` of decisions. */
export const Product = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    description: Type.String(),
    status: oneOf(['active', 'draft', 'archived']),
    tags: Type.Array(Type.String()),
    retail_price: nullable(Type.Number({ description: 'Informational; it does not affect what is charged.' })),
    base_product: Type.Object({ id: Type.String(), master_sku: Type.String(), title: Type.String() }),
    mockup_url: nullable(Type.String({ description: 'Signed, valid for one hour. Do not store it.' })),
    personalised: Type.Boolean(),
    print_areas: Type.Array(
      Type.Object({
        print_area: Type.String(),
        method: Type.String(),
        position: Type.Object({ x: Type.Number(), y: Type.Number(), scale: Type.Number(), rotation: Type.Number() }),
      }),
      { description: 'The areas that have artwork on this product.' },
    ),
    variants: Type.Array(
      Type.Object({
        id: Type.String(),
        blank_variant_sku: Type.String(),
        colour: Type.String(),
        colour_hex: Type.String(),
        active: Type.Boolean(),
      }),
    ),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Product' },
);
export type Product = Static<typeof Product>;

export const ProductPage = pageSchema(Product);

export const ProductParams = Type.Object({ id: Type.String({ description: 'Product id.' }) });

export const ListProductsQuery = Type.Object(pageQuery('prod'));
export type ListProductsQuery = Static<typeof ListProductsQuery>;
