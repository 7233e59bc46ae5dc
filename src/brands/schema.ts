import { URL_LENGTH_MAX } from '../lib/outbound/addresses.ts';
import { pageQuery } from '../lib/paging.ts';
import { EmailAddress, nullable, oneOf, pageSchema, Timestamp, Warnings } from '../lib/schemas.ts';
import { type Static, Type } from '../lib/typebox.ts';

/** Lengths count Unicode code points (decisions, "Bounds"). */
const NAME_MAX = 100;
const MESSAGE_MAX = 500;
const MESSAGE_LINES_MAX = 20;
const WEBSITE_MAX = 200;
const RETURN_LINES_MAX = 6;
const RETURN_LINE_MAX = 100;

/** A shop name under which an account sells. */
export const Brand = Type.Object(
  {
    id: Type.String(),
    name: Type.String({ description: 'Stands on the packing slip in place of the name of the print shop.' }),
    message: Type.String(),
    support_email: Type.String(),
    website: Type.String(),
    return_lines: Type.Array(Type.String()),
    logo_url: nullable(
      Type.String({
        description:
          'The logo as it is printed: a PNG on white, at most 709 by 236 pixels. Signed, valid for one hour.',
      }),
    ),
    is_default: Type.Boolean({ description: 'Whether orders that name no brand have this one.' }),
    status: oneOf(['active', 'archived']),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Brand' },
);
export type Brand = Static<typeof Brand>;

/** The answer of `POST` and `PATCH /brands`. */
export const WrittenBrand = Type.Object({ ...Brand.properties, warnings: Warnings }, { title: 'WrittenBrand' });
export type WrittenBrand = Static<typeof WrittenBrand>;

export const BrandPage = pageSchema(Brand);

export const BrandParams = Type.Object({ id: Type.String({ description: 'Brand id.' }) });

export const ListBrandsQuery = Type.Object(pageQuery('brand'));
export type ListBrandsQuery = Static<typeof ListBrandsQuery>;

const OneLine = (maxLength: number, description: string) =>
  Type.String({
    minLength: 1,
    maxLength,
    pattern: '^[^\\r\\n]*[^\\s][^\\r\\n]*$',
    description,
    'x-message': `must be one line of 1 to ${maxLength} characters that is not blank.`,
  });

const PRINTED = {
  name: OneLine(NAME_MAX, 'Stands on the packing slip. No two brands of an account have the same, whatever its case.'),
  message: Type.Optional(
    Type.String({
      maxLength: MESSAGE_MAX,
      pattern: `^[^\\n]*(\\n[^\\n]*){0,${MESSAGE_LINES_MAX - 1}}$`,
      description: `To the recipient, below the pieces; at most ${MESSAGE_LINES_MAX} lines.`,
      'x-message': `must have at most ${MESSAGE_MAX} characters in at most ${MESSAGE_LINES_MAX} lines.`,
    }),
  ),
  support_email: Type.Optional({ ...EmailAddress, description: 'Where the recipient asks for help; "" is none.' }),
  website: Type.Optional(
    Type.String({
      maxLength: WEBSITE_MAX,
      pattern: '^(https://[^\\s/?#@]+\\.[^\\s/?#@]+([/?#]\\S*)?)?$',
      description: 'The address of the shop, printed as it stands; "" is none.',
      'x-message': `must be an address such as https://fern.example, of at most ${WEBSITE_MAX} characters.`,
    }),
  ),
  return_lines: Type.Optional(
    Type.Array(OneLine(RETURN_LINE_MAX, 'A line of the address.'), {
      maxItems: RETURN_LINES_MAX,
      description: 'Where returns go, line by line, as it is printed.',
    }),
  ),
};

const MEMBERS = {
  ...PRINTED,
  logo_url: Type.Optional(
    nullable(
      Type.String({
        minLength: 1,
        maxLength: URL_LENGTH_MAX,
        description:
          'A PNG, JPEG or WebP, fetched over https once and made small for paper, on white. null is no logo.',
      }),
    ),
  ),
  is_default: Type.Optional(
    Type.Boolean({ description: 'Orders that name no brand have this one, in place of the one before.' }),
  ),
};

/** The body of `POST /brands`. */
export const CreateBrandBody = Type.Object(MEMBERS, { title: 'CreateBrandRequest' });
export type CreateBrandBody = Static<typeof CreateBrandBody>;

/** A brand that is not saved, to look at its packing slip. */
export const BrandDraft = Type.Object(
  {
    ...PRINTED,
    logo_of: Type.Optional(Type.String({ description: 'The brand whose saved logo stands on it; left out for none.' })),
  },
  { title: 'BrandDraft' },
);
export type BrandDraft = Static<typeof BrandDraft>;

/** The body of `PATCH /brands/{id}`: what is sent changes. */
export const UpdateBrandBody = Type.Object(
  { ...MEMBERS, name: Type.Optional(MEMBERS.name) },
  { title: 'UpdateBrandRequest' },
);
export type UpdateBrandBody = Static<typeof UpdateBrandBody>;
