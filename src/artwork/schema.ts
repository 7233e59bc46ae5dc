import { type Static, Type } from 'typebox';
import { URL_LENGTH_MAX } from '../lib/outbound/addresses.ts';

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

/** Exactly one of the two, which `validate-uploads.ts` checks so that the message can say so. */
export const ValidateUploadsBody = Type.Object(
  {
    url: Type.Optional(Url),
    urls: Type.Optional(
      Type.Array(Url, { minItems: 1, maxItems: URLS_MAX, description: 'Several URLs, instead of url.' }),
    ),
  },
  { title: 'ValidateUploadsBody', description: 'Exactly one of url and urls.' },
);
export type ValidateUploadsBody = Static<typeof ValidateUploadsBody>;

const UploadResult = Type.Object(
  {
    url: Type.String(),
    valid: Type.Boolean(),
    mime: Type.Optional(
      Type.String({ description: 'Detected from the content: image/png, image/jpeg or image/webp.' }),
    ),
    width: Type.Optional(Type.Integer({ description: 'In pixels, after any rotation that EXIF asks for.' })),
    height: Type.Optional(Type.Integer({ description: 'In pixels, after any rotation that EXIF asks for.' })),
    bytes: Type.Optional(Type.Integer()),
    sha256: Type.Optional(Type.String({ description: 'Hash of the file, in hex. Equal files are one design.' })),
    warnings: Type.Optional(Type.Array(Type.Object({ code: Type.String(), message: Type.String() }))),
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
