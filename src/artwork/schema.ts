import { URL_LENGTH_MAX } from '../lib/outbound/addresses.ts';
import { nullable, oneOf } from '../lib/schemas.ts';
import { type Static, Type } from '../lib/typebox.ts';

/** Spec 8. */
export const URLS_MAX = 10;

const Url = Type.String({ minLength: 1, maxLength: URL_LENGTH_MAX, description: 'The https URL of an image.' });

/** Further than ten times the print area away from it, nothing of any artwork is left to print. */
const OFFSET_MAX = 10;
const SCALE_MAX = 100;

/** Spec 2.3, `position`: each member may be left out. */
export const PositionBody = Type.Object(
  {
    x: Type.Optional(
      Type.Number({ minimum: -OFFSET_MAX, maximum: OFFSET_MAX, description: 'Of the centre: 0.5 is the middle.' }),
    ),
    y: Type.Optional(
      Type.Number({ minimum: -OFFSET_MAX, maximum: OFFSET_MAX, description: 'Of the centre: 0.5 is the middle.' }),
    ),
    scale: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: SCALE_MAX,
        description: 'At 1 the artwork just fits its area.',
      }),
    ),
    rotation: Type.Optional(Type.Number({ description: 'Degrees clockwise; whole turns are removed.' })),
  },
  { title: 'PositionBody', description: 'x and y are fractions of the print area. Centred, at scale 1, unless given.' },
);
export type PositionBody = Static<typeof PositionBody>;

const Code = (description: string) => Type.String({ minLength: 1, maxLength: 40, description });

/** Exactly one of url and urls, which `validate-uploads.ts` checks so that the message can say so. */
export const ValidateUploadsBody = Type.Object(
  {
    url: Type.Optional(Url),
    urls: Type.Optional(
      Type.Array(Url, { minItems: 1, maxItems: URLS_MAX, description: 'Several URLs, instead of url.' }),
    ),
    base_product_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'With print_area: each result also says how the artwork prints there.',
      }),
    ),
    print_area: Type.Optional(Code('A print area of the base product.')),
    method: Type.Optional(Code('A method of the area; the one that needs the most dpi when left out.')),
    variant_sku: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'A SKU of the base product, to be warned of a background that its colour would show.',
      }),
    ),
    position: Type.Optional(PositionBody),
  },
  {
    title: 'ValidateUploadsBody',
    description: 'Exactly one of url and urls; base_product_id and print_area together or not at all.',
  },
);
export type ValidateUploadsBody = Static<typeof ValidateUploadsBody>;

const PX = 'In pixels, after any rotation that EXIF asks for.';

/** What an image is (decisions, addition 3): on the result of a check, and on a line of an order. */
export const ARTWORK_REPORT = {
  width: Type.Integer({ description: PX }),
  height: Type.Integer({ description: PX }),
  sha256: Type.String({ description: 'Hash of the file, in hex. Equal files are one design.' }),
  has_transparency: Type.Boolean({ description: 'Whether the file has an alpha channel.' }),
  background: nullable(
    Type.String({ description: 'The one opaque colour along its edge, such as #ffffff; null when there is none.' }),
  ),
  colour_space: oneOf(['rgb', 'grey', 'cmyk']),
  colour_profile: nullable(Type.String({ description: 'The name of its ICC profile; null counts as sRGB.' })),
};

/** How an image prints at its place. */
export const PrintedArtwork = Type.Object(
  {
    width_mm: Type.Number({ description: 'Of the whole artwork on the product.' }),
    height_mm: Type.Number({ description: 'Of the whole artwork on the product.' }),
    dpi: Type.Integer({ description: 'The pixels of the artwork for each inch of the print.' }),
    share_outside: Type.Number({ description: 'From 0 to 1: the part that its print area cuts off.' }),
  },
  { title: 'PrintedArtwork', description: 'How the artwork prints on the area, at its position.' },
);
export type PrintedArtwork = Static<typeof PrintedArtwork>;

const UploadResult = Type.Object(
  {
    url: Type.String(),
    valid: Type.Boolean(),
    mime: Type.Optional(
      Type.String({ description: 'Detected from the content: image/png, image/jpeg or image/webp.' }),
    ),
    width: Type.Optional(ARTWORK_REPORT.width),
    height: Type.Optional(ARTWORK_REPORT.height),
    bytes: Type.Optional(Type.Integer()),
    sha256: Type.Optional(ARTWORK_REPORT.sha256),
    has_transparency: Type.Optional(ARTWORK_REPORT.has_transparency),
    background: Type.Optional(ARTWORK_REPORT.background),
    colour_space: Type.Optional(ARTWORK_REPORT.colour_space),
    colour_profile: Type.Optional(ARTWORK_REPORT.colour_profile),
    print: Type.Optional(PrintedArtwork),
    warnings: Type.Optional(
      Type.Array(
        Type.Object({
          code: Type.String({
            description: 'Machine-readable. /docs/errors#warnings lists the codes; more may be added.',
          }),
          path: Type.String({ description: 'The member with the address: url or urls[0].' }),
          message: Type.String(),
        }),
        { description: 'What would be accepted but may not print as it looks.' },
      ),
    ),
    code: Type.Optional(
      Type.String({
        description:
          'What is wrong, machine-readable; on failure. /docs/errors#problems lists the codes; more may be added.',
      }),
    ),
    message: Type.Optional(Type.String({ description: 'What is wrong, in words; on failure.' })),
  },
  { title: 'UploadResult' },
);
export type UploadResult = Static<typeof UploadResult>;

/** Spec 2.7. */
export const UploadValidation = Type.Object(
  {
    valid: Type.Boolean({ description: 'True only if every URL passed.' }),
    results: Type.Array(UploadResult, { description: 'One for each URL, in the order of the request.' }),
  },
  { title: 'UploadValidation' },
);
export type UploadValidation = Static<typeof UploadValidation>;
