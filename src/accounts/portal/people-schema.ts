import { pageQuery } from '../../lib/paging.ts';
import { nullable, pageSchema, Timestamp } from '../../lib/schemas.ts';
import { type Static, Type } from '../../lib/typebox.ts';
import { NAME_CHARACTERS_MAX, PersonRoleMember } from './schema.ts';

/** When and with what a person signed in last; the address of the network may say where they live. */
const LastSignIn = Type.Object(
  {
    at: Timestamp,
    user_agent: Type.String({ description: 'What the browser said of itself.' }),
  },
  { description: 'The last one of the last 90 days, for owners of the account; null for all others, too.' },
);

/** A person of an account. */
export const PersonOfAccount = Type.Object(
  {
    id: Type.String(),
    email: Type.String(),
    name: Type.String({ description: 'Empty when none was given.' }),
    role: PersonRoleMember,
    second_factor: Type.Boolean({ description: 'Whether signing in needs a code from an app.' }),
    disabled_at: nullable({ ...Timestamp, description: 'Null while the person may sign in.' }),
    last_seen_at: nullable({
      ...Timestamp,
      description: 'When a session of theirs was last used; null when none is on record.',
    }),
    last_sign_in: nullable(LastSignIn),
  },
  { title: 'PersonOfAccount' },
);
export type PersonOfAccount = Static<typeof PersonOfAccount>;

export const PeoplePage = pageSchema(PersonOfAccount);
export const ListPeopleQuery = Type.Object(pageQuery('user'));
export const PersonParams = Type.Object({ id: Type.String({ description: 'The person.' }) });

/** A change of a person. */
export const ChangePersonBody = Type.Object(
  {
    role: Type.Optional(PersonRoleMember),
    name: Type.Optional(Type.String({ maxLength: NAME_CHARACTERS_MAX, description: 'The name; empty for none.' })),
    disabled: Type.Optional(Type.Boolean({ description: 'Whether the person is kept from signing in.' })),
    second_factor: Type.Optional(
      Type.Literal(false, { description: 'Removes the second factor of a person who has lost it.' }),
    ),
  },
  { title: 'ChangePersonRequest' },
);
