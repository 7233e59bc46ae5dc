import { type Static, Type } from 'typebox';
import { SCOPES } from '../../lib/caller.ts';
import { oneOf, Timestamp } from '../../lib/schemas.ts';

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
  },
  { title: 'MintedToken' },
);
export type MintedToken = Static<typeof MintedToken>;
