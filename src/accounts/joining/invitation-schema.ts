import { pageQuery } from '../../lib/paging.ts';
import { nullable, pageSchema, Timestamp } from '../../lib/schemas.ts';
import { type Static, Type } from '../../lib/typebox.ts';
import { WhyBody } from '../access/ops-schema.ts';
import { Invitation, InviteBody } from '../portal/link-schema.ts';

export const InvitationPage = pageSchema(Invitation);
export const ListUserInvitationsQuery = Type.Object(pageQuery('lnk'));
export const UserInvitationParams = Type.Object({
  id: Type.String({ description: 'The invitation, by its id: `lnk_…`.' }),
});

/** Whom an operator invites, and why. */
export const InviteUserBody = Type.Object(
  { ...InviteBody.properties, ...WhyBody.properties },
  { title: 'InviteUserRequest' },
);

/** An invitation that an operator made, with its link. */
export const InvitedUser = Type.Object(
  {
    id: Invitation.properties.id,
    account_id: Type.String(),
    email: Invitation.properties.email,
    role: Invitation.properties.role,
    name: Invitation.properties.name,
    url: nullable(
      Type.String({
        description:
          'The link to pass on, shown this once; null when it was mailed, and when the request repeats an earlier one under its key.',
      }),
    ),
    mailed: Type.Boolean({ description: 'Whether the link is on its way to the person by mail.' }),
    expires_at: nullable(Timestamp),
  },
  { title: 'InvitedUser' },
);
export type InvitedUser = Static<typeof InvitedUser>;

export const WithdrawnInvitation = Type.Object(
  { id: Type.String(), withdrawn: Type.Boolean({ description: 'Always true.' }) },
  { title: 'WithdrawnInvitation' },
);
