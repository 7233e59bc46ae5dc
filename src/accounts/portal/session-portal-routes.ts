import { PERSON_ROLES } from '../../lib/caller.ts';
import type { Context } from '../../lib/context.ts';
import { noSuch } from '../../lib/errors.ts';
import { type OpenRoute, type PersonRoute, route } from '../../lib/route.ts';
import { idOr } from '../access/act-on-access.ts';
import { changePassword } from './change-password.ts';
import { openPortalSession } from './open-session.ts';
import { giveProof } from './prove.ts';
import { closeSession, endSessionOf, listOwnSessions, readSession } from './read-session.ts';
import { ChangePasswordBody, ProofBody, Session, SessionList, SessionParams, SignInBody } from './schema.ts';
import { clearSessionCookie, setSessionCookie } from './session-cookie.ts';

/** Signing in. */
export const signInPortalRoutes: readonly OpenRoute<Context>[] = [
  route({
    method: 'POST',
    path: '/session',
    access: { anyone: true },
    operationId: 'signIn',
    summary: 'Sign in',
    description: [
      'Opens a session of twelve idle hours and seven days at most. The cookie holds its secret, which no script can',
      'read. Needs the header Origin of this service, and no X-Platen-CSRF.',
    ].join(' '),
    body: SignInBody,
    errors: ['sign_in_refused', 'second_factor_required'],
    replies: { 201: Session },
    replyHeaders: { 201: ['Set-Cookie'] },
    handle: async (ctx, { body, browser }) => {
      const { secret, session } = await openPortalSession(ctx, browser, body);
      return { status: 201, body: session, headers: { 'set-cookie': setSessionCookie(ctx.config.baseUrl, secret) } };
    },
  }),
];

/** Signing out, and the sessions of the person who is signed in. */
export const sessionPortalRoutes: readonly PersonRoute<Context>[] = [
  route({
    method: 'GET',
    path: '/session',
    access: { people: PERSON_ROLES },
    operationId: 'getSession',
    summary: 'Read the session',
    description: 'Who is signed in, what they may do, and the token that changes need.',
    replies: { 200: Session },
    handle: async (ctx, person) => ({ status: 200, body: await readSession(ctx, person) }),
  }),
  route({
    method: 'DELETE',
    path: '/session',
    access: { people: PERSON_ROLES },
    operationId: 'signOut',
    summary: 'Sign out',
    description: 'Ends the session on every node, and removes the cookie.',
    replies: { 204: null },
    replyHeaders: { 204: ['Set-Cookie'] },
    handle: async (ctx, person, { browser }) => {
      await closeSession(ctx, person, browser);
      return { status: 204, headers: { 'set-cookie': clearSessionCookie(ctx.config.baseUrl) } };
    },
  }),
  route({
    method: 'POST',
    path: '/session/proof',
    access: { people: PERSON_ROLES },
    operationId: 'proveSession',
    summary: 'Give your password again',
    description: [
      'For 15 minutes from now on the session may do what asks for the password again. A wrong one counts as an attempt to',
      'sign in, and does not end the session.',
    ].join(' '),
    body: ProofBody,
    errors: ['sign_in_refused', 'second_factor_required'],
    replies: { 200: Session },
    handle: async (ctx, person, { body, browser }) => ({
      status: 200,
      body: await giveProof(ctx, person, browser, body),
    }),
  }),
  route({
    method: 'POST',
    path: '/password',
    access: { people: PERSON_ROLES },
    operationId: 'changePassword',
    summary: 'Change your password',
    description: [
      'Ends all other sessions of the person, and all that they have allowed to apps, within two seconds on every node.',
      'The session that asks goes on.',
    ].join(' '),
    body: ChangePasswordBody,
    errors: ['sign_in_refused', 'second_factor_required'],
    replies: { 204: null },
    handle: async (ctx, person, { body, browser }) => {
      await changePassword(ctx, person, browser, body);
      return { status: 204 };
    },
  }),
  route({
    method: 'GET',
    path: '/sessions',
    access: { people: PERSON_ROLES },
    operationId: 'listOwnSessions',
    summary: 'List your sessions',
    description: 'The browsers in which the person who asks is signed in, newest first.',
    replies: { 200: SessionList },
    handle: async (ctx, person) => ({ status: 200, body: { data: await listOwnSessions(ctx, person) } }),
  }),
  route({
    method: 'DELETE',
    path: '/sessions/:id',
    access: { people: PERSON_ROLES },
    operationId: 'endOwnSession',
    summary: 'End one of your sessions',
    description: 'The browser has to sign in again, within two seconds on every node.',
    params: SessionParams,
    replies: { 204: null },
    handle: async (ctx, person, { params, browser }) => {
      await endSessionOf(ctx, person, idOr(noSuch('session'), 'ses', params.id), browser);
      return { status: 204 };
    },
  }),
];
