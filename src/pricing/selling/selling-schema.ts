import { pageQuery } from '../../lib/paging.ts';
import { nullable, oneOf, pageSchema } from '../../lib/schemas.ts';
import { type Static, Type } from '../../lib/typebox.ts';
import { GarmentSummary } from '../../products/designer/designer-schema.ts';
import { AREAS_MAX, Product, RETAIL_PRICE_MAX, RetailPrices, VARIANT_SKUS_MAX } from '../../products/schema.ts';

/** The longest that is searched for. */
const WORDS_MAX = 100;
/** Spec 8. */
const QUANTITY_MAX = 10_000;

export const ListGarmentsQuery = Type.Object(pageQuery('bprod'));
export type ListGarmentsQuery = Static<typeof ListGarmentsQuery>;
export const GarmentSummaryPage = pageSchema(GarmentSummary);

/** A product of the gallery. */
const GalleryProduct = Type.Object(
  {
    ...Product.properties,
    price_from: nullable(
      Type.Number({
        description: 'GBP, of one piece of its cheapest variant with all of its prints; null where there is none.',
      }),
    ),
  },
  { title: 'GalleryProduct' },
);
export const GalleryPage = pageSchema(GalleryProduct);
export type GalleryPage = Static<typeof GalleryPage>;

export const ListGalleryQuery = Type.Object({
  ...pageQuery('prod'),
  status: Type.Optional(oneOf(['active', 'draft', 'archived'], { description: 'All but archived by default.' })),
  kind: Type.Optional(oneOf(['fixed', 'personalised'])),
  q: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: WORDS_MAX,
      description:
        'Words, each of which the name, the tags, the garment or a SKU has. A page then may have fewer than others follow.',
    }),
  ),
});
export type ListGalleryQuery = Static<typeof ListGalleryQuery>;

const Price = Type.Number({ minimum: 0, maximum: RETAIL_PRICE_MAX });

/** What a product that is sold or designed is made of, as far as its price goes. */
export const PriceProductBody = Type.Object(
  {
    base_product_id: Type.String({ minLength: 1, maxLength: 100, description: 'Id of a garment, bprod_….' }),
    variant_skus: Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
      minItems: 1,
      maxItems: VARIANT_SKUS_MAX,
    }),
    areas: Type.Array(
      Type.Object({
        print_area: Type.String({ minLength: 1, maxLength: 40 }),
        method: Type.String({ minLength: 1, maxLength: 40 }),
      }),
      { maxItems: AREAS_MAX, description: 'What is printed, each area once.' },
    ),
    quantity: Type.Optional(
      Type.Integer({ minimum: 1, maximum: QUANTITY_MAX, description: 'Pieces of an order; 1 by default.' }),
    ),
    personalised: Type.Optional(
      oneOf(['each_its_own', 'alike'], {
        description:
          'For a personalised product: whether each piece has values of its own, so that its prints count alone, or all have the same. Setups are not charged then.',
      }),
    ),
    retail_price: Type.Optional(nullable(Price)),
    retail_prices: Type.Optional(RetailPrices),
  },
  { title: 'PriceProductRequest' },
);
export type PriceProductBody = Static<typeof PriceProductBody>;

const Amount = (description: string) => Type.Number({ description });

/** What a product costs, and what is left of its retail price. Net of VAT. */
export const ProductPrices = Type.Object(
  {
    currency: oneOf(['GBP']),
    quantity: Type.Integer(),
    breaks: Type.Array(
      Type.Object({
        from_quantity: Type.Integer(),
        unit_price_min: Amount('Of the cheapest variant, with its prints.'),
        unit_price_max: Amount('Of the dearest.'),
      }),
      { description: 'By pieces of the product in an order.' },
    ),
    setups: Type.Array(Type.Object({ method: Type.String(), price: Type.Number() }), {
      description: 'Charged once for each design and method.',
    }),
    variants: Type.Array(
      Type.Object({
        sku: Type.String(),
        colour: Type.String(),
        size: Type.String(),
        available: Type.Integer({ description: 'What can be ordered now; nothing is reserved.' }),
        unit_price: Amount('Of a piece at that quantity, with its prints.'),
        retail_price: nullable(Amount('Its own, or else that of the product.')),
        margin: nullable(
          Amount('The retail price less the unit price: without delivery, setups, VAT, and what a shop charges.'),
        ),
        margin_percent: nullable(Amount('Of the retail price, to a tenth.')),
      }),
      { description: 'In the order sent.' },
    ),
  },
  { title: 'ProductPrices' },
);
export type ProductPrices = Static<typeof ProductPrices>;
