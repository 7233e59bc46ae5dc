import { oneOf, Timestamp } from '../../lib/schemas.ts';
import { type Static, Type } from '../../lib/typebox.ts';
import { PASSWORD_CHARACTERS_MAX, PASSWORD_CHARACTERS_MIN } from '../password.ts';
import { LINK_KINDS } from './link-sql.ts';
import { CodeMember, NAME_CHARACTERS_MAX, PersonRoleMember } from './schema.ts';

const Name = Type.String({ maxLength: NAME_CHARACTERS_MAX, description: 'The name; empty for none.' });

/** Whom to invite. */
export const InviteBody = Type.Object(
  {
    email: Type.String({
      minLength: 1,
      maxLength: 1_000,
      description: 'The address that the person will sign in with.',
    }),
    role: PersonRoleMember,
    name: Type.Optional(Name),
  },
  { title: 'InvitePersonRequest' },
);

const invitationFields = {
  id: Type.String(),
  email: Type.String(),
  role: PersonRoleMember,
  name: Type.String({ description: 'Empty when none was given.' }),
  created_at: Timestamp,
  expires_at: { ...Timestamp, description: 'Until when the link can be used.' },
};

/** An invitation that can still be used. */
export const Invitation = Type.Object(invitationFields, { title: 'Invitation' });
export type Invitation = Static<typeof Invitation>;
export const Invitations = Type.Object({ data: Type.Array(Invitation) }, { title: 'Invitations' });

/** An invitation with its link. */
export const NewInvitation = Type.Object(
  {
    ...invitationFields,
    mailed: Type.Boolean({ description: 'Whether the link is on its way by mail.' }),
    url: Type.Optional(Type.String({ description: 'The link to pass on, shown this once, where it was not mailed.' })),
  },
  { title: 'NewInvitation' },
);
export type NewInvitation = Static<typeof NewInvitation>;
export const InvitationParams = Type.Object({ id: Type.String({ description: 'The invitation.' }) });

/** What a link is for. */
export const Link = Type.Object(
  {
    kind: oneOf(LINK_KINDS, { description: 'To come in for the first time, or to choose a new password.' }),
    email: Type.String({ description: 'What the person signs in with.' }),
    name: Type.String({ description: 'Empty when none was given.' }),
    account: Type.Object({ name: Type.String() }, { title: 'AccountOfLink' }),
  },
  { title: 'Link' },
);
export type Link = Static<typeof Link>;

/** The secret of a link, in a body: addresses of requests stand in the logs of proxies. */
export const LinkTokenMember = Type.String({ maxLength: 200, description: 'What stands behind # in the link.' });
export const ReadLinkBody = Type.Object({ token: LinkTokenMember }, { title: 'ReadLinkRequest' });

/** What a person chooses by a link. */
export const AcceptLinkBody = Type.Object(
  {
    token: LinkTokenMember,
    password: Type.String({
      description: `The new password, ${PASSWORD_CHARACTERS_MIN} to ${PASSWORD_CHARACTERS_MAX} characters.`,
    }),
    name: Type.Optional(Name),
    code: Type.Optional(CodeMember),
  },
  { title: 'AcceptLinkRequest' },
);
