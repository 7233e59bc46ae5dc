import { URL_LENGTH_MAX } from '../../lib/outbound/addresses.ts';
import { pageQuery } from '../../lib/paging.ts';
import { dictionary, nullable, oneOf, pageSchema, Timestamp } from '../../lib/schemas.ts';
import { type Static, Type } from '../../lib/typebox.ts';
import { DraftTemplate } from '../personalisation-template.ts';
import { CreateProductBody, OwnPrices, Product, RetailPrices } from '../schema.ts';

const Outline = Type.Object(
  {
    parts: Type.Array(Type.String(), {
      description: 'Paths of SVG, in thousandths of the side; later ones lie above.',
    }),
    inside: nullable(Type.String({ description: 'A path that is of a darker shade.' })),
    lines: Type.Array(Type.String(), { description: 'Seams and stitches.' }),
    area: Type.Object(
      { left: Type.Number(), top: Type.Number(), width: Type.Number(), height: Type.Number() },
      { description: 'Where the print area lies.' },
    ),
  },
  { title: 'GarmentOutline' },
);

const TemplateArea = Type.Object(
  {
    print_area: Type.String(),
    title: Type.String(),
    methods: Type.Array(Type.String()),
    width_mm: Type.Number(),
    height_mm: Type.Number(),
    width_px: Type.Integer(),
    height_px: Type.Integer(),
    garment: nullable({ ...Outline, description: 'What it lies on: the outline of the blank, or a panel.' }),
  },
  { title: 'TemplateArea' },
);

const TemplateProblem = Type.Object(
  {
    path: Type.String({ description: 'The member of the draft, such as `template.layers[0].box`.' }),
    code: Type.String(),
    message: Type.String(),
  },
  { title: 'TemplateProblem' },
);

const head = {
  id: Type.String({ description: 'Id of the product.' }),
  name: Type.String(),
  status: oneOf(['active', 'draft', 'archived'], { description: 'draft until it is published for the first time.' }),
  base_product: Type.Object({ id: Type.String(), title: Type.String() }),
  published_version: Type.Integer({ description: 'What orders are read by; 0 until it is published.' }),
  published_at: nullable({ ...Timestamp, description: 'Null for a template that was not published here.' }),
  is_changed: Type.Boolean({ description: 'Whether the draft differs from what is published.' }),
};

/** A personalised product in the list. */
export const TemplateSummary = Type.Object(
  {
    ...head,
    layers: Type.Integer({ description: 'How many the draft has.' }),
    thumbnail_url: nullable(Type.String({ description: 'Signed, valid for one hour.' })),
    updated_at: Timestamp,
  },
  { title: 'TemplateSummary' },
);
export type TemplateSummary = Static<typeof TemplateSummary>;
export const TemplateSummaryPage = pageSchema(TemplateSummary);

/** A personalised product as it is designed. */
export const Template = Type.Object(
  {
    ...head,
    variants: Type.Array(Type.Object({ sku: Type.String(), colour: Type.String(), colour_hex: Type.String() }), {
      description: 'The first active one of each colour.',
    }),
    offered_skus: Type.Array(Type.String(), { description: 'Of all active variants, in the order of the product.' }),
    retail_price: Product.properties.retail_price,
    retail_prices: OwnPrices,
    version: Type.Integer({ description: 'Of the draft. Send it with a change.' }),
    template: { ...DraftTemplate, description: 'The draft: what is published, until something is changed.' },
    published: nullable({ ...DraftTemplate, description: 'What orders are read by; null until it is published.' }),
    problems: Type.Array(TemplateProblem, { description: 'What publishing would refuse.' }),
    areas: Type.Array(TemplateArea, { description: 'The print areas of the base product.' }),
    pictures: Type.Array(Type.Object({ design: Type.String(), image_url: Type.String() }), {
      description: 'The pictures of all options, by their key. Addresses are signed and valid for one hour.',
    }),
    fonts: Type.Array(
      Type.Object({ family: Type.String(), style: Type.String(), scripts: Type.Array(Type.String()) }),
      { description: 'The families that a layer can have.' },
    ),
    scripts: Type.Array(Type.String(), { description: 'Scripts that a text can be in, whatever its family.' }),
  },
  { title: 'Template' },
);
export type Template = Static<typeof Template>;

export const ListTemplatesQuery = Type.Object(pageQuery('prod'));
export type ListTemplatesQuery = Static<typeof ListTemplatesQuery>;

const { base_product_id, name, variant_skus, retail_price } = CreateProductBody.properties;
export const CreateTemplateBody = Type.Object(
  { base_product_id, name, variant_skus },
  { title: 'CreateTemplateRequest' },
);
export type CreateTemplateBody = Static<typeof CreateTemplateBody>;

/** Only what is sent changes. */
export const ChangeTemplateProductBody = Type.Object(
  {
    name: Type.Optional(name),
    variant_skus: Type.Optional(variant_skus),
    retail_price,
    retail_prices: Type.Optional(RetailPrices),
  },
  { title: 'ChangeTemplateProductRequest' },
);

const version = Type.Integer({ minimum: 1, description: 'Of the draft that was changed.' });

/** The members of a template are checked one by one, so that each problem has the path of its member. */
export const SaveTemplateBody = Type.Object(
  {
    version,
    template: dictionary(Type.Unknown(), {
      maxProperties: 2,
      description:
        'The whole draft, `areas` and `layers`, as it is read, of at most 65,536 bytes. A name can be empty and options can lack.',
    }),
  },
  { title: 'SaveTemplateRequest' },
);
export type SaveTemplateBody = Static<typeof SaveTemplateBody>;

export const PublishTemplateBody = Type.Object({ version }, { title: 'PublishTemplateRequest' });

export const AddPictureBody = Type.Object(
  {
    url: Type.String({
      minLength: 1,
      maxLength: URL_LENGTH_MAX,
      description: 'Fetched over https, checked as artwork is, and stored.',
    }),
  },
  { title: 'AddTemplatePictureRequest' },
);

export const TemplatePicture = Type.Object(
  {
    design: Type.String({ description: 'The key of the picture, for an option.' }),
    image_url: Type.String({ description: 'Signed, valid for one hour.' }),
    width_px: Type.Integer(),
    height_px: Type.Integer(),
  },
  { title: 'TemplatePicture' },
);
export type TemplatePicture = Static<typeof TemplatePicture>;
