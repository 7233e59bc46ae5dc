import { pageQuery } from '../../lib/paging.ts';
import { nullable, oneOf, pageSchema, Timestamp } from '../../lib/schemas.ts';
import { type Static, Type } from '../../lib/typebox.ts';
import { SIGN_IN_EVENTS } from './sign-in-log-sql.ts';

/** Something that happened to a person's sign-in. */
export const SignInEntry = Type.Object(
  {
    id: Type.String(),
    event: oneOf(SIGN_IN_EVENTS, {
      description: 'refused: a wrong password. code_refused: a right password and a wrong code.',
    }),
    at: { ...Timestamp, description: 'Of the last, where it happened several times within an hour.' },
    times: Type.Integer({ description: 'How often within the hour.' }),
    address: nullable(
      Type.String({ description: 'The address of the network; null for the entries of another person.' }),
    ),
    user_agent: Type.String({ description: 'What the browser says of itself.' }),
  },
  { title: 'SignInEntry' },
);
export type SignInEntry = Static<typeof SignInEntry>;

export const SignInEntryPage = pageSchema(SignInEntry);
export const ListSignInsQuery = Type.Object(pageQuery('act'));
export type ListSignInsQuery = Static<typeof ListSignInsQuery>;
