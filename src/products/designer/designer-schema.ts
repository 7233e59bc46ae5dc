import { ARTWORK_REPORT, PositionBody, PrintedArtwork } from '../../artwork/schema.ts';
import { URL_LENGTH_MAX } from '../../lib/outbound/addresses.ts';
import { nullable, oneOf, Warnings } from '../../lib/schemas.ts';
import { type Static, Type } from '../../lib/typebox.ts';
import {
  AREAS_MAX,
  OwnPrices,
  PRODUCT_MEMBERS,
  Product,
  RetailPrices,
  VARIANT_SKUS_MAX,
  WrittenProduct,
} from '../schema.ts';

const Code = (description: string) => Type.String({ minLength: 1, maxLength: 40, description });
const Design = Type.String({
  pattern: '^[0-9a-f]{64}$',
  description: 'The `design` that taking its artwork in has answered, or that a product of the account has.',
  'x-message': 'must be the name of a design.',
});
const Drawn = Type.String({ description: 'Signed, valid for one hour. Do not store it.' });

/** Where a file to be placed comes from. */
export const TakeDesignBody = Type.Object(
  { artwork_url: Type.String({ minLength: 1, maxLength: URL_LENGTH_MAX, description: 'The https URL of an image.' }) },
  { title: 'TakeDesignRequest' },
);
export type TakeDesignBody = Static<typeof TakeDesignBody>;

const { sha256: _hash, ...WHAT_IT_IS } = ARTWORK_REPORT;

/** Artwork that was taken in. */
export const TakenDesign = Type.Object(
  {
    design: Type.String({
      description: 'Its name in other requests. Kept for a day, and as long as a product has it.',
    }),
    ...WHAT_IT_IS,
    picture_url: Drawn,
    warnings: Warnings,
  },
  { title: 'TakenDesign' },
);
export type TakenDesign = Static<typeof TakenDesign>;

const PlacedDesign = Type.Object(
  {
    print_area: Code('A print area of the base product, each once.'),
    method: Code('A method of that area.'),
    design: Design,
    position: Type.Optional(PositionBody),
  },
  { title: 'PlacedDesignBody' },
);

const Skus = Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
  minItems: 1,
  maxItems: VARIANT_SKUS_MAX,
  description: 'The blank variants that the product offers.',
});
const BaseId = Type.String({ minLength: 1, maxLength: 100, description: 'Id of a garment, bprod_….' });

const decoration = Type.Object(
  { areas: Type.Array(PlacedDesign, { maxItems: AREAS_MAX, description: 'The whole decoration.' }) },
  { title: 'DesignedDecoration' },
);

/** Designs as a person is placing them. */
export const LookAtDesignsBody = Type.Object(
  { base_product_id: BaseId, variant_skus: Skus, decoration },
  { title: 'LookAtDesignsRequest' },
);
export type LookAtDesignsBody = Static<typeof LookAtDesignsBody>;

const LookedAtArea = Type.Object(
  {
    print_area: Type.String(),
    method: Type.String(),
    print: nullable(PrintedArtwork),
    sizes: Type.Array(
      Type.Object({ size: Type.String(), width_mm: Type.Number(), height_mm: Type.Number(), dpi: Type.Integer() }),
      { description: 'How it prints on the smallest and on the largest size that is offered.' },
    ),
    methods: Type.Array(
      Type.Object({
        method: Type.String(),
        dpi_min: Type.Integer({ description: 'The fewest dots per inch that it prints well.' }),
        is_sharp: Type.Boolean({ description: 'Whether the artwork has as many at its place.' }),
      }),
    ),
    warnings: Warnings,
    mockups: Type.Array(Type.Object({ colour: Type.String(), colour_hex: Type.String(), mockup_url: Drawn }), {
      description: 'The garment in each colour, or a panel where its picture does not show the area.',
    }),
  },
  { title: 'LookedAtArea' },
);

/** What the service says of them, in the order sent. */
export const LookedAtDesigns = Type.Object({ areas: Type.Array(LookedAtArea) }, { title: 'LookedAtDesigns' });
export type LookedAtDesigns = Static<typeof LookedAtDesigns>;

const { mockup_url: _mockup, decoration: _public, ...OWN_MEMBERS } = PRODUCT_MEMBERS;
const designedMembers = {
  ...OWN_MEMBERS,
  decoration: Type.Optional(decoration),
  retail_prices: Type.Optional(RetailPrices),
};

/** A new product of designs that were taken in. */
export const DesignProductBody = Type.Object(
  { base_product_id: BaseId, ...designedMembers },
  { title: 'DesignProductRequest' },
);
export type DesignProductBody = Static<typeof DesignProductBody>;

/** A change of one; only what is sent changes. */
export const RedesignProductBody = Type.Object(
  {
    ...designedMembers,
    name: Type.Optional(designedMembers.name),
    variant_skus: Type.Optional(designedMembers.variant_skus),
    seen_at: Type.Optional(
      Type.String({
        maxLength: 40,
        description: '`updated_at` as it was read. A change that was made since is not overwritten: 409.',
      }),
    ),
  },
  { title: 'RedesignProductRequest' },
);
export type RedesignProductBody = Static<typeof RedesignProductBody>;

const DesignOfArea = Type.Object(
  {
    print_area: Type.String(),
    method: Type.String(),
    design: Type.String(),
    width: ARTWORK_REPORT.width,
    height: ARTWORK_REPORT.height,
    position: Type.Object({ x: Type.Number(), y: Type.Number(), scale: Type.Number(), rotation: Type.Number() }),
    picture_url: Drawn,
  },
  { title: 'DesignOfArea' },
);

const designed = {
  designs: Type.Array(DesignOfArea),
  retail_prices: OwnPrices,
};

/** A product with all that a person changes of it. */
export const DesignedProduct = Type.Object({ ...Product.properties, ...designed }, { title: 'DesignedProduct' });
export type DesignedProduct = Static<typeof DesignedProduct>;

/** The same, as the answer of a change. */
export const WrittenDesignedProduct = Type.Object(
  { ...WrittenProduct.properties, ...designed },
  { title: 'WrittenDesignedProduct' },
);
export type WrittenDesignedProduct = Static<typeof WrittenDesignedProduct>;

const Colour = Type.Object(
  {
    colour: Type.String(),
    colour_hex: Type.String(),
    front_url: nullable(Type.String()),
    back_url: nullable(Type.String()),
  },
  { title: 'GarmentColour', description: 'Pictures of it without a print; null where there is none.' },
);

const GarmentArea = Type.Object(
  {
    print_area: Type.String(),
    title: Type.String(),
    width_mm: Type.Number(),
    height_mm: Type.Number(),
    safe_mm: Type.Number({ description: 'How far from the edges artwork should stay.' }),
    methods: Type.Array(Type.Object({ method: Type.String(), title: Type.String(), dpi_min: Type.Integer() })),
    backdrop: nullable(
      Type.Object(
        { view: oneOf(['front', 'back']), left_mm: Type.Number(), top_mm: Type.Number(), side_mm: Type.Number() },
        { description: 'Where the picture of the garment lies, from the upper left corner of the area.' },
      ),
    ),
  },
  { title: 'GarmentArea' },
);

const GarmentVariant = Type.Object(
  {
    sku: Type.String(),
    colour: Type.String(),
    size: Type.String(),
    available: Type.Integer({ description: 'What can be ordered now; nothing is reserved.' }),
  },
  { title: 'GarmentVariant' },
);

const garment = {
  id: Type.String(),
  title: Type.String(),
  description: Type.String(),
  colours: Type.Array(Colour),
  sizes: Type.Array(Type.String(), { description: 'From the smallest to the largest.' }),
};

/** A garment of the catalogue in a list. */
export const GarmentSummary = Type.Object(
  { ...garment, price_from: nullable(Type.Number({ description: 'GBP, of one blank piece, net of VAT.' })) },
  { title: 'GarmentSummary' },
);
export type GarmentSummary = Static<typeof GarmentSummary>;

/** A garment of the catalogue with all that is needed to design a product on it. */
export const Garment = Type.Object(
  { ...garment, areas: Type.Array(GarmentArea), variants: Type.Array(GarmentVariant) },
  { title: 'Garment' },
);
export type Garment = Static<typeof Garment>;

export const GarmentParams = Type.Object({ id: Type.String({ description: 'Base product id.' }) });
