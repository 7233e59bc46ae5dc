import { PositionBody } from '../artwork/schema.ts';
import { URL_LENGTH_MAX } from '../lib/outbound/addresses.ts';
import { pageQuery } from '../lib/paging.ts';
import { dictionary, nullable, oneOf, pageSchema, Timestamp, Warnings } from '../lib/schemas.ts';
import { type Static, Type } from '../lib/typebox.ts';

/** Spec 8; lengths count Unicode code points (decisions, "Bounds"). */
export const NAME_MAX = 200;
const DESCRIPTION_MAX = 5_000;
const TAGS_MAX = 30;
const TAG_MAX = 100;
export const AREAS_MAX = 10;
/** The most variants that a base product can have. */
export const VARIANT_SKUS_MAX = 1_000;
export const RETAIL_PRICE_MAX = 999_999_999.99;

/** Spec 2.3, with `personalised` and the status `archived` of decisions. */
export const Product = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    description: Type.String(),
    status: oneOf(['active', 'draft', 'archived']),
    tags: Type.Array(Type.String()),
    retail_price: nullable(Type.Number({ description: 'Informational; it does not affect what is charged.' })),
    base_product: Type.Object(
      { id: Type.String(), master_sku: Type.String(), title: Type.String() },
      { description: 'What it is printed on.' },
    ),
    mockup_url: nullable(
      Type.String({
        description:
          'The mockup that was given; `mockups` has drawn ones. Signed, valid for one hour. Do not store it.',
      }),
    ),
    thumbnail_url: nullable(
      Type.String({ description: 'The same, 192 pixels wide, for lists. Signed, valid for one hour.' }),
    ),
    mockups: Type.Array(
      Type.Object(
        { colour: Type.String(), colour_hex: Type.String(), mockup_url: Type.String() },
        { title: 'ColourMockup' },
      ),
      {
        description:
          'A drawn garment, or a panel for what has no drawing, with its first print in each colour that can be ordered. Signed, valid for one hour.',
      },
    ),
    personalised: Type.Boolean({ description: 'Whether its orders take decoration.personalisation.' }),
    print_areas: Type.Array(
      Type.Object(
        {
          print_area: Type.String(),
          method: Type.String(),
          position: Type.Object(
            { x: Type.Number(), y: Type.Number(), scale: Type.Number(), rotation: Type.Number() },
            {
              title: 'Position',
              description: 'x and y are fractions of the area: 0.5, 0.5 is centred. rotation is in degrees.',
            },
          ),
        },
        { title: 'ProductArea' },
      ),
      { description: 'The areas that have artwork on this product.' },
    ),
    variants: Type.Array(
      Type.Object(
        {
          id: Type.String(),
          blank_variant_sku: Type.String({ description: 'Send it as variant_sku of an order line.' }),
          colour: Type.String(),
          colour_hex: Type.String(),
          active: Type.Boolean({ description: 'Whether it can be ordered.' }),
        },
        { title: 'ProductVariant' },
      ),
    ),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Product' },
);
export type Product = Static<typeof Product>;

/** The answer of `POST` and `PATCH /products`. */
export const WrittenProduct = Type.Object({ ...Product.properties, warnings: Warnings }, { title: 'WrittenProduct' });
export type WrittenProduct = Static<typeof WrittenProduct>;

export const ProductPage = pageSchema(Product);

export const ProductParams = Type.Object({ id: Type.String({ description: 'Product id.' }) });

export const ListProductsQuery = Type.Object(pageQuery('prod'));
export type ListProductsQuery = Static<typeof ListProductsQuery>;

const NonBlank = (maxLength: number, description: string) =>
  Type.String({
    minLength: 1,
    maxLength,
    pattern: '\\S',
    description,
    'x-message': `must be text of 1 to ${maxLength} characters that is not blank.`,
  });
const Code = (description: string) => Type.String({ minLength: 1, maxLength: 40, description });
const Url = (description: string) => Type.String({ minLength: 1, maxLength: URL_LENGTH_MAX, description });

const ProductArea = Type.Object(
  {
    print_area: Code('A print area of the base product, each once.'),
    method: Code('A method of that area.'),
    artwork_url: Url('Print-ready artwork: fetched over https, checked and stored.'),
    position: Type.Optional(PositionBody),
  },
  { title: 'ProductAreaBody' },
);

/** The customer's own prices by variant, in the portal. */
export const RetailPrices = dictionary(nullable(Type.Number({ minimum: 0, maximum: RETAIL_PRICE_MAX })), {
  maxProperties: VARIANT_SKUS_MAX,
  description: 'GBP by SKU, at most 2 decimals. A variant that is not named, or null, has `retail_price`.',
});

/** Those of them that there are. */
export const OwnPrices = dictionary(Type.Number(), {
  maxProperties: VARIANT_SKUS_MAX,
  description: 'GBP by SKU, of the variants with a price of their own.',
});

/** What a body says of a product, in the public API. */
export const PRODUCT_MEMBERS = {
  name: NonBlank(NAME_MAX, 'What the product is called; the label of its order lines.'),
  variant_skus: Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
    minItems: 1,
    maxItems: VARIANT_SKUS_MAX,
    description: 'Blank variants to offer, in this order: active ones of the base product, each once.',
  }),
  description: Type.Optional(Type.String({ maxLength: DESCRIPTION_MAX, description: 'In your own words.' })),
  retail_price: Type.Optional(
    nullable(
      Type.Number({
        minimum: 0,
        maximum: RETAIL_PRICE_MAX,
        description: 'GBP, at most 2 decimals. Informational; null is no price.',
      }),
    ),
  ),
  tags: Type.Optional(
    Type.Array(NonBlank(TAG_MAX, 'A label of your own.'), { maxItems: TAGS_MAX, description: 'Labels of your own.' }),
  ),
  mockup_url: Type.Optional(
    nullable(Url('Picture of the product: fetched over https, checked and stored. null is no mockup.')),
  ),
  decoration: Type.Optional(
    Type.Object(
      {
        areas: Type.Array(ProductArea, {
          maxItems: AREAS_MAX,
          description: 'The whole decoration: an area that is not listed has no artwork.',
        }),
      },
      { title: 'ProductDecoration', description: 'The artwork of the product.' },
    ),
  ),
  status: Type.Optional(oneOf(['active', 'draft'], { description: 'active by default at creation.' })),
};

/** The body of `POST /products` (spec 4.4). */
export const CreateProductBody = Type.Object(
  {
    base_product_id: Type.String({ minLength: 1, maxLength: 100, description: 'Id of a catalogue product, bprod_….' }),
    ...PRODUCT_MEMBERS,
  },
  { title: 'CreateProductBody' },
);
export type CreateProductBody = Static<typeof CreateProductBody>;

/** The body of `PATCH /products/{id}` (spec 4.4): only what is sent changes. */
export const UpdateProductBody = Type.Object(
  {
    ...PRODUCT_MEMBERS,
    name: Type.Optional(PRODUCT_MEMBERS.name),
    variant_skus: Type.Optional(PRODUCT_MEMBERS.variant_skus),
  },
  { title: 'UpdateProductBody' },
);
export type UpdateProductBody = Static<typeof UpdateProductBody>;

const layerMembers = {
  id: Type.String({ description: 'The key of its value in decoration.personalisation.inputs.' }),
  name: Type.String({ description: 'A label for the buyer.' }),
  required: Type.Boolean({ description: 'false: null, or no value, leaves the layer empty.' }),
  print_area: Type.String(),
  box: Type.Object(
    { x_px: Type.Integer(), y_px: Type.Integer(), width_px: Type.Integer(), height_px: Type.Integer() },
    { description: "Where it is printed, in pixels of the print area's template." },
  ),
};

const TextLayer = Type.Object(
  {
    ...layerMembers,
    type: Type.Literal('text'),
    length_max: Type.Integer({ description: 'Unicode code points.' }),
    font: Type.Object({
      default: Type.String(),
      choices: Type.Array(Type.String(), {
        description: 'Allowed values of <id>#font. When empty, it may not be sent.',
      }),
      families: Type.Array(
        Type.Object({
          family: Type.String(),
          style: Type.String({ description: 'Its character in a few words, such as `serif` or `handwriting`.' }),
          scripts: Type.Array(Type.String(), {
            description: 'Scripts by their names in Unicode that it has letters of its own for.',
          }),
        }),
        { description: 'What the default and the choices are like.' },
      ),
      scripts: Type.Array(Type.String(), {
        description:
          'Scripts by their names in Unicode that the text can be in. A letter that its family lacks is printed in a plain ' +
          'one that has it. Any other is refused with `unsupported_character`.',
      }),
    }),
    color: Type.Object({
      default: Type.String({ description: '#rrggbb' }),
      any: Type.Boolean({ description: 'true: <id>#color may be any #rrggbb.' }),
      choices: Type.Array(Type.String(), {
        description: 'Allowed values of <id>#color. When empty and any is false, it may not be sent.',
      }),
    }),
  },
  { title: 'TextLayer' },
);

const ImageLayer = Type.Object(
  {
    ...layerMembers,
    type: Type.Literal('image'),
    fit: oneOf(['contain', 'cover'], { description: 'Whether the picture is shown whole or fills its box.' }),
  },
  { title: 'ImageLayer' },
);

const PhotoCollageLayer = Type.Object(
  {
    ...layerMembers,
    type: Type.Literal('photo_collage'),
    pictures_max: Type.Integer(),
    grid: Type.Object({ columns: Type.Integer(), rows: Type.Integer() }, { description: 'Filled row by row.' }),
  },
  { title: 'PhotoCollageLayer' },
);

const ImageSelectLayer = Type.Object(
  {
    ...layerMembers,
    type: Type.Literal('image_select'),
    options: Type.Array(
      Type.Object({
        id: Type.String({ description: 'The value to send.' }),
        name: Type.String(),
        image_url: Type.String({ description: 'Signed, valid for one hour. Do not store it.' }),
      }),
    ),
  },
  { title: 'ImageSelectLayer' },
);

/** What a buyer fills in of a personalised product. */
export const Inputs = dictionary(nullable(Type.String({ maxLength: 100_000 })), {
  maxProperties: 500,
  description: [
    'A value for each layer by its id: the text; the address of an image; a list of addresses as JSON text for a photo',
    'collage; the id of an option. null leaves an optional layer empty. `<id>#font` and `<id>#color` override where',
    'the layer allows it. GET /products/{id}/personalisation lists the layers.',
  ].join(' '),
});

/** What a buyer can fill in (decisions, "Personalised products", and addition 6). */
export const Personalisation = Type.Object(
  {
    layers: Type.Array(Type.Union([TextLayer, ImageLayer, PhotoCollageLayer, ImageSelectLayer]), {
      description: 'In the order of the template; empty for a product that is not personalised.',
    }),
  },
  { title: 'Personalisation' },
);
export type Personalisation = Static<typeof Personalisation>;
