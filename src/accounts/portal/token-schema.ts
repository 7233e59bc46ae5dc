import { SCOPES } from '../../lib/caller.ts';
import { nullable, oneOf, Timestamp } from '../../lib/schemas.ts';
import { type Static, Type } from '../../lib/typebox.ts';

/** Ten years. */
const VALID_DAYS_MAX = 3_650;

const Scopes = Type.Array(oneOf(SCOPES), {
  minItems: 1,
  maxItems: SCOPES.length,
  uniqueItems: true,
  description: 'What the token may do.',
});

/** A token to be minted. */
export const MintTokenBody = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: 100,
      pattern: '\\S',
      description: 'What it is for, to tell it from others.',
      'x-message': 'must be a text of 1 to 100 characters that is not blank.',
    }),
    scopes: Scopes,
    valid_days: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: VALID_DAYS_MAX,
        description: 'For how many days it is valid; until it is revoked when left out.',
      }),
    ),
  },
  { title: 'MintTokenRequest' },
);

/** A token with its secret. */
export const MintedToken = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    scopes: Type.Array(oneOf(SCOPES)),
    token: Type.String({ description: 'Shown this once.' }),
    created_at: Timestamp,
    expires_at: nullable({ ...Timestamp, description: 'Null where it is valid until it is revoked.' }),
  },
  { title: 'MintedToken' },
);
export type MintedToken = Static<typeof MintedToken>;
