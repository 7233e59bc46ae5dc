import { pageQuery } from '../../lib/paging.ts';
import { oneOf, pageSchema, Timestamp } from '../../lib/schemas.ts';
import { type Static, Type } from '../../lib/typebox.ts';
import { PASSWORD_CHARACTERS_MAX, PASSWORD_CHARACTERS_MIN } from '../password.ts';
import { LinkTokenMember } from '../portal/link-schema.ts';
import { NAME_CHARACTERS_MAX } from '../portal/schema.ts';

const text = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, pattern: '\\S', description });

/** Stands in mails that go out in the shop's name, so that it may be no address of a page. */
const nameInMails = (maxLength: number, description: string) =>
  Type.String({
    minLength: 1,
    maxLength,
    pattern: '^(?!.*(://|[wW]{3}\\.)).*\\S',
    description: `${description} Without an address of a page.`,
  });

/** Who wants an account. */
export const SignUpBody = Type.Object(
  {
    email: text(1_000, 'The address that the person will sign in with; it is confirmed by a mail.'),
    name: nameInMails(NAME_CHARACTERS_MAX, 'The name of the person.'),
    company: nameInMails(200, 'What the account will be called.'),
    country_code: Type.String({ pattern: '^[A-Z]{2}$', description: 'ISO 3166-1 alpha-2, upper case.' }),
  },
  { title: 'SignUpRequest' },
);
export type SignUpBody = Static<typeof SignUpBody>;

/** What a link of a sign-up is for. */
export const SignUp = Type.Object(
  {
    email: Type.String(),
    name: Type.String(),
    company: Type.String(),
    needs_approval: Type.Boolean({ description: 'Whether the print shop decides before the account is opened.' }),
  },
  { title: 'SignUp' },
);
export type SignUp = Static<typeof SignUp>;
export const ReadSignUpBody = Type.Object({ token: LinkTokenMember }, { title: 'ReadSignUpRequest' });

/** The password of the account's first person. */
export const ConfirmSignUpBody = Type.Object(
  {
    token: LinkTokenMember,
    password: Type.String({
      description: `The password, ${PASSWORD_CHARACTERS_MIN} to ${PASSWORD_CHARACTERS_MAX} characters.`,
    }),
  },
  { title: 'ConfirmSignUpRequest' },
);
export const WaitingSignUp = Type.Object(
  { state: oneOf(['waiting'], { description: 'The print shop decides.' }) },
  { title: 'WaitingSignUp' },
);

/** A sign-up that an operator decides on. */
export const OpsSignUp = Type.Object(
  {
    id: Type.String(),
    email: Type.String({ description: 'Confirmed.' }),
    name: Type.String(),
    company: Type.String(),
    country_code: Type.String(),
    created_at: Timestamp,
    confirmed_at: Timestamp,
  },
  { title: 'SignUp' },
);
export type OpsSignUp = Static<typeof OpsSignUp>;
export const OpsSignUpPage = pageSchema(OpsSignUp);
export const ListSignUpsQuery = Type.Object(pageQuery('sup'));
export const OpsSignUpParams = Type.Object({ id: Type.String({ description: 'The sign-up, by its id: `sup_…`.' }) });

/** What was decided. */
export const DecidedSignUp = Type.Object(
  { id: Type.String(), approved: Type.Boolean(), account_id: Type.Union([Type.String(), Type.Null()]) },
  { title: 'DecidedSignUp' },
);
