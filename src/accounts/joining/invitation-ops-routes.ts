import type { Context } from '../../lib/context.ts';
import { noSuch } from '../../lib/errors.ts';
import { OPERATOR_ROLES } from '../../lib/operator.ts';
import { readPage } from '../../lib/paging.ts';
import { type OpsRoute, route } from '../../lib/route.ts';
import { idOr, operatorActor } from '../access/act-on-access.ts';
import { AccountParams, WhyBody } from '../access/ops-schema.ts';
import {
  InvitationPage,
  InvitedUser,
  InviteUserBody,
  ListUserInvitationsQuery,
  UserInvitationParams,
  WithdrawnInvitation,
} from './invitation-schema.ts';
import { inviteUser, listUserInvitations, withdrawUserInvitation } from './invite-user.ts';

/** Invitations to the accounts of customers, on the word of the print shop. */
export const invitationOpsRoutes: readonly OpsRoute<Context>[] = [
  route({
    method: 'POST',
    path: '/accounts/:id/invitations',
    access: { roles: [] },
    operationId: 'inviteUser',
    summary: 'Invite a person to an account',
    description: [
      'By a link that works once, within an hour: mailed, or to be passed on where no mail is sent. The person chooses their own',
      'password. An address that signs in already, or to which an invitation of the account is open, is 409.',
    ].join(' '),
    params: AccountParams,
    body: InviteUserBody,
    errors: ['conflict'],
    replies: { 201: InvitedUser },
    handle: async (ctx, operator, { params, body, once }) => {
      const id = idOr(noSuch('account'), 'acct', params.id);
      return { status: 201, body: await inviteUser(ctx, operatorActor(operator, once), id, body) };
    },
  }),
  route({
    method: 'GET',
    path: '/accounts/:id/invitations',
    access: { roles: OPERATOR_ROLES },
    operationId: 'listUserInvitations',
    summary: 'List open invitations to an account',
    description:
      'Those that can still be used, of its owners and of the print shop, newest first; without their links.',
    params: AccountParams,
    query: ListUserInvitationsQuery,
    replies: { 200: InvitationPage },
    csv: 'data',
    handle: async (ctx, _operator, { params, query }) => {
      const id = idOr(noSuch('account'), 'acct', params.id);
      return { status: 200, body: await listUserInvitations(ctx, id, readPage('lnk', query)) };
    },
  }),
  route({
    method: 'POST',
    path: '/invitations/:id/withdraw',
    access: { roles: [] },
    operationId: 'withdrawUserInvitation',
    summary: 'Withdraw an invitation to an account',
    description: 'Its link cannot be used any more. One that was used, withdrawn or is over is 404.',
    params: UserInvitationParams,
    body: WhyBody,
    bodyIsOptional: true,
    replies: { 200: WithdrawnInvitation },
    handle: async (ctx, operator, { params, body, once }) => {
      const id = idOr(noSuch('invitation'), 'lnk', params.id);
      await withdrawUserInvitation(ctx, operatorActor(operator, once), id, body.reason);
      return { status: 200, body: { id: params.id, withdrawn: true } };
    },
  }),
];
