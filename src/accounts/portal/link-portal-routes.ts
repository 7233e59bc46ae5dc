import type { Context } from '../../lib/context.ts';
import { noSuch } from '../../lib/errors.ts';
import { type OpenRoute, type PersonRoute, route } from '../../lib/route.ts';
import { idOr } from '../access/act-on-access.ts';
import { invitePerson, listInvitations, withdrawInvitation } from './invite.ts';
import {
  AcceptLinkBody,
  InvitationParams,
  Invitations,
  InviteBody,
  Link,
  NewInvitation,
  ReadLinkBody,
} from './link-schema.ts';
import { Session } from './schema.ts';
import { setSessionCookie } from './session-cookie.ts';
import { acceptLink, readLink } from './use-link.ts';

/** Links that work once, for those who have them. */
export const linkPortalRoutes: readonly OpenRoute<Context>[] = [
  route({
    method: 'POST',
    path: '/links/read',
    access: { anyone: true },
    operationId: 'readLink',
    summary: 'Read what a link is for',
    description: [
      'Does not use it. A link that was used, withdrawn or is over is answered as one that never was. A POST, since what',
      'stands in an address is kept in the logs of proxies.',
    ].join(' '),
    body: ReadLinkBody,
    errors: ['not_found'],
    replies: { 200: Link },
    handle: async (ctx, { body }) => ({ status: 200, body: await readLink(ctx, body.token) }),
  }),
  route({
    method: 'POST',
    path: '/links/accept',
    access: { anyone: true },
    operationId: 'acceptLink',
    summary: 'Use a link',
    description: [
      'Sets the password, makes the person that was invited, and signs in. A link works once, within an hour. A new',
      'password ends all sessions of the person, and what they have allowed to apps. It takes the code of their second',
      'factor, where there is one.',
    ].join(' '),
    body: AcceptLinkBody,
    errors: ['sign_in_refused', 'second_factor_required', 'not_found'],
    replies: { 201: Session },
    replyHeaders: { 201: ['Set-Cookie'] },
    handle: async (ctx, { body, browser }) => {
      const { secret, session } = await acceptLink(ctx, browser, body);
      return { status: 201, body: session, headers: { 'set-cookie': setSessionCookie(ctx.config.baseUrl, secret) } };
    },
  }),
];

/** Invitations to an account. */
export const invitationPortalRoutes: readonly PersonRoute<Context>[] = [
  route({
    method: 'POST',
    path: '/people/invitations',
    access: { people: ['owner'] },
    operationId: 'invitePerson',
    summary: 'Invite a person',
    description: [
      'By a link that works once, within an hour; a newer one to the same address replaces it. Needs a password given in the',
      'last 15 minutes.',
    ].join(' '),
    body: InviteBody,
    errors: ['conflict', 'proof_required'],
    replies: { 201: NewInvitation },
    handle: async (ctx, person, { body }) => ({ status: 201, body: await invitePerson(ctx, person, body) }),
  }),
  route({
    method: 'GET',
    path: '/people/invitations',
    access: { people: ['owner'] },
    operationId: 'listInvitations',
    summary: 'List open invitations',
    description:
      'Those that can still be used, newest first. The link of one is shown when it is made, and never again.',
    replies: { 200: Invitations },
    handle: async (ctx, person) => ({ status: 200, body: { data: await listInvitations(ctx, person) } }),
  }),
  route({
    method: 'DELETE',
    path: '/people/invitations/:id',
    access: { people: ['owner'] },
    operationId: 'withdrawInvitation',
    summary: 'Withdraw an invitation',
    description: 'Its link cannot be used any more.',
    params: InvitationParams,
    replies: { 204: null },
    handle: async (ctx, person, { params }) => {
      await withdrawInvitation(ctx, person, idOr(noSuch('invitation'), 'lnk', params.id));
      return { status: 204 };
    },
  }),
];
