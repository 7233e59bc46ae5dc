import type { IdPrefix } from './ids.ts';
import { type Static, type TSchema, type TUnsafe, Type } from './typebox.ts';

/** The one form of a time (spec 2.1); `parseTime` checks that the day exists. */
export const TIMESTAMP_PATTERN = '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$';

/** ISO 8601, UTC, milliseconds, `Z` (spec 2.1). */
export const Timestamp = Type.String({
  pattern: TIMESTAMP_PATTERN,
  description: 'ISO 8601, UTC, with milliseconds and Z.',
  'x-openapi': {
    type: 'string',
    format: 'date-time',
    pattern: TIMESTAMP_PATTERN,
    examples: ['2026-11-21T09:30:00.000Z'],
  },
  'x-message': 'must be a time such as 2026-11-21T09:30:00.000Z: in UTC, with milliseconds.',
});

/** A day of the seller, or a time. */
export const Moment = (description: string) =>
  Type.String({
    pattern: '^\\d{4}-\\d{2}-\\d{2}(T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z)?$',
    description,
    examples: ['2026-11-21'],
    'x-message': 'must be a date such as 2026-11-21, or a time such as 2026-11-21T09:30:00.000Z.',
  });

/** A money amount of a reply: GBP in major units, at most two decimals (spec 2.1). */
export const Money = Type.Number({ description: 'GBP in major units, rounded to 2 decimals.', examples: [15.98] });

/** One of a finite set of words. A refusal lists them in `valid_values`. */
export function oneOf<const Values extends readonly [string, ...string[]]>(
  values: Values,
  options: { description?: string } = {},
): TUnsafe<Values[number]> {
  return Type.Unsafe<Values[number]>({ type: 'string', enum: [...values], ...options });
}

/** A schema that also takes null. */
export function nullable<Schema extends TSchema>(schema: Schema): TUnsafe<Static<Schema> | null> {
  return Type.Unsafe<Static<Schema> | null>({ anyOf: [schema, { type: 'null' }] });
}

/**
 * An object with names of the caller's choosing.
 * Use it in place of `Type.Record`, whose pattern does not match a name with a line break, so that
 * such a member's value would go unchecked.
 */
export function dictionary<Schema extends TSchema>(
  schema: Schema,
  options: { maxProperties: number; description?: string },
): TUnsafe<Record<string, Static<Schema>>> {
  return Type.Unsafe<Record<string, Static<Schema>>>({ type: 'object', additionalProperties: schema, ...options });
}

/** What the answer to a write tells beside its result; the codes are in `validation/problem-codes.ts`. */
export const Warnings = Type.Array(
  Type.Object(
    {
      code: Type.String({ description: 'Machine-readable. /docs/errors#warnings lists the codes; more may be added.' }),
      path: Type.String({ description: 'The member it is about, such as items[0].quantity.' }),
      message: Type.String(),
    },
    { title: 'Warning' },
  ),
  { description: 'What was accepted but may not be what was meant.' },
);
export type Warning = Static<typeof Warnings>[number];

/** The regular expression of a well-formed public id of a kind; agrees with `parseId`. */
export function publicIdPattern(prefix: IdPrefix): string {
  return `^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`;
}

/**
 * The pagination envelope of all collections (spec 2.1).
 * Named after what it holds: a page of `Order` is an `OrderPage`.
 */
export function pageSchema<Item extends TSchema>(item: Item) {
  return Type.Object(
    {
      data: Type.Array(item),
      has_more: Type.Boolean({ description: 'True when another page exists.' }),
      next_cursor: nullable(Type.String({ description: 'Pass as cursor to get the next page.' })),
    },
    'title' in item ? { title: `${String(item.title)}Page` } : {},
  );
}

/** The number of a trader with customs: GB or XI and 12 digits, or that of a member of the EU. */
export const EoriNumber = Type.String({
  pattern: '^((GB|XI)[0-9]{12}|(?!GB|XI)[A-Z]{2}[A-Z0-9]{1,15})$',
  description: 'Economic operator registration and identification number, such as GB123456789000.',
  'x-message':
    'must be an EORI number in capitals without blanks: GB or XI and 12 digits, or a country code and up to 15 letters and digits.',
});

/** The number of a seller in the EU's import one-stop shop. */
export const IossNumber = Type.String({
  pattern: '^IM[0-9]{10}$',
  description: 'Number in the import one-stop shop of the EU, such as IM0360000001.',
  'x-message': 'must be an IOSS number without blanks: IM and 10 digits.',
});

/** The longest address that mail servers take (RFC 5321). */
const EMAIL_MAX = 254;

/** An e-mail address, or `""`. Its form is checked roughly: whether it works is known by sending alone. */
export const EmailAddress = Type.String({
  maxLength: EMAIL_MAX,
  pattern: '^([^\\s\\u0000-\\u001f\\u007f@]{1,64}@[^\\s\\u0000-\\u001f\\u007f@]+\\.[^\\s\\u0000-\\u001f\\u007f@.]+)?$',
  description:
    'E-mail address of the recipient. Nothing is sent to it: it names the recipient, for support and for requests about personal data.',
  'x-message': `must be an e-mail address such as ada@example.com, of at most ${EMAIL_MAX} characters.`,
});
