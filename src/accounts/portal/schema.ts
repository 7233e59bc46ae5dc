import { PERSON_ROLES, SCOPES } from '../../lib/caller.ts';
import { oneOf, Timestamp } from '../../lib/schemas.ts';
import { type Static, Type } from '../../lib/typebox.ts';
import { PASSWORD_CHARACTERS_MAX, PASSWORD_CHARACTERS_MIN } from '../password.ts';

/** Longer than any address or password that is stored; a longer one is refused unread. */
const SIGN_IN_CHARACTERS_MAX = 1_000;

/** A name is shown in lists and letters. */
export const NAME_CHARACTERS_MAX = 100;

/** A role of a person. */
export const PersonRoleMember = oneOf(PERSON_ROLES, { description: 'What the person may do for the account.' });

const Email = Type.String({
  minLength: 1,
  maxLength: SIGN_IN_CHARACTERS_MAX,
  description: 'The address of e-mail that the person signs in with.',
});
const Password = Type.String({ minLength: 1, maxLength: SIGN_IN_CHARACTERS_MAX, description: 'The password.' });

/** The code beside the password. */
export const CodeMember = Type.String({
  maxLength: 100,
  description: 'The six digits that the app shows, or a recovery code. Needed where there is a second factor.',
});

/** What a person signs in with. */
export const SignInBody = Type.Object(
  { email: Email, password: Password, code: Type.Optional(CodeMember) },
  { title: 'SignInRequest' },
);

/** What a person proves with that it is still they. */
export const ProofBody = Type.Object(
  { password: Password, code: Type.Optional(CodeMember) },
  { title: 'ProofRequest' },
);

/** A change of one's own password. */
export const ChangePasswordBody = Type.Object(
  {
    current: { ...Password, description: 'The password of now.' },
    new: Type.String({
      description: `The new password, ${PASSWORD_CHARACTERS_MIN} to ${PASSWORD_CHARACTERS_MAX} characters.`,
    }),
    code: Type.Optional(CodeMember),
  },
  { title: 'ChangePasswordRequest' },
);

/** Who is signed in, and what the page needs to go on. */
export const Session = Type.Object(
  {
    user: Type.Object(
      {
        id: Type.String(),
        email: Type.String(),
        name: Type.String({ description: 'Empty when the person has given none.' }),
        role: PersonRoleMember,
      },
      { title: 'SignedInUser' },
    ),
    account: Type.Object({ id: Type.String(), name: Type.String() }, { title: 'SignedInAccount' }),
    csrf_token: Type.String({ description: 'Send it as X-Platen-CSRF with each change, of the public API, too.' }),
    expires_at: { ...Timestamp, description: 'When the session ends, however much it is used.' },
    idle_ends_at: { ...Timestamp, description: 'When it ends if it is not used again.' },
    proven_until: {
      ...Timestamp,
      description: 'Until when the password counts as just given. From then on some operations ask for it again.',
    },
    second_factor: Type.Boolean({ description: 'Whether signing in needs a code from an app.' }),
    scopes: Type.Array(oneOf(SCOPES), { description: 'What the session may do in the public API.' }),
  },
  { title: 'Session' },
);
export type Session = Static<typeof Session>;

/** A browser in which a person is signed in. */
export const ListedSession = Type.Object(
  {
    id: Type.String(),
    created_at: Timestamp,
    last_seen_at: { ...Timestamp, description: 'To within two minutes.' },
    user_agent: Type.String({ description: 'What the browser says it is, shortened.' }),
    is_current: Type.Boolean({ description: 'Whether it is the session that asks.' }),
  },
  { title: 'ListedSession' },
);
export type ListedSession = Static<typeof ListedSession>;
export const SessionList = Type.Object({ data: Type.Array(ListedSession) }, { title: 'SessionList' });
export const SessionParams = Type.Object({ id: Type.String({ description: 'The session.' }) });
