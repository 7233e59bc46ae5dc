import type { Context } from '../../lib/context.ts';
import { noSuch } from '../../lib/errors.ts';
import { OPERATOR_ROLES } from '../../lib/operator.ts';
import { readPage } from '../../lib/paging.ts';
import { type OpsRoute, route } from '../../lib/route.ts';
import { makeResetLink } from '../portal/make-reset-link.ts';
import { idOr, operatorActor } from './act-on-access.ts';
import { disableUser, enableUser, removeSecondFactor, setPassword } from './change-user.ts';
import { getUser, listSessions, listUsers } from './list-access.ts';
import {
  AccountParams,
  ListSessionsQuery,
  ListUsersQuery,
  PasswordBody,
  PasswordLink,
  RevokedSession,
  SessionPage,
  SessionParams,
  User,
  UserPage,
  UserParams,
  WhyBody,
} from './ops-schema.ts';
import { revokeSession } from './revoke-session.ts';

/** The people who sign in for accounts, and their sessions. */
export const peopleOpsRoutes: readonly OpsRoute<Context>[] = [
  route({
    method: 'GET',
    path: '/accounts/:id/users',
    access: { roles: OPERATOR_ROLES },
    operationId: 'listUsers',
    summary: 'List the users of an account',
    description: 'The people who may sign in for it, newest first, disabled ones too.',
    params: AccountParams,
    query: ListUsersQuery,
    replies: { 200: UserPage },
    csv: 'data',
    handle: async (ctx, _operator, { params, query }) => {
      const id = idOr(noSuch('account'), 'acct', params.id);
      return { status: 200, body: await listUsers(ctx, id, readPage('user', query)) };
    },
  }),
  route({
    method: 'POST',
    path: '/users/:id/disable',
    access: { roles: [] },
    operationId: 'disableUser',
    summary: 'Disable a user',
    description: [
      'The user cannot sign in. Within two seconds, on every node, their sessions end, and so does all that they have',
      'allowed to apps. What ended stays ended when they are enabled again.',
    ].join(' '),
    params: UserParams,
    body: WhyBody,
    bodyIsOptional: true,
    replies: { 200: User },
    handle: async (ctx, operator, { params, body, once }) => {
      const id = idOr(noSuch('user'), 'user', params.id);
      await disableUser(ctx, operatorActor(operator, once), id, body.reason);
      return { status: 200, body: await getUser(ctx, id) };
    },
  }),
  route({
    method: 'POST',
    path: '/users/:id/enable',
    access: { roles: [] },
    operationId: 'enableUser',
    summary: 'Enable a user',
    description: 'The user may sign in again, by the same password.',
    params: UserParams,
    body: WhyBody,
    bodyIsOptional: true,
    replies: { 200: User },
    handle: async (ctx, operator, { params, body, once }) => {
      const id = idOr(noSuch('user'), 'user', params.id);
      await enableUser(ctx, operatorActor(operator, once), id, body.reason);
      return { status: 200, body: await getUser(ctx, id) };
    },
  }),
  route({
    method: 'POST',
    path: '/users/:id/password',
    access: { roles: [] },
    operationId: 'setUserPassword',
    summary: 'Set the password of a user',
    description: [
      'Within two seconds, on every node, their sessions end, and so does all that they have allowed to apps. A disabled',
      'user stays disabled. The password stands nowhere but in the request: it is stored as its Argon2id hash.',
    ].join(' '),
    params: UserParams,
    body: PasswordBody,
    replies: { 200: User },
    handle: async (ctx, operator, { params, body, once }) => {
      const id = idOr(noSuch('user'), 'user', params.id);
      await setPassword(ctx, operatorActor(operator, once), id, body);
      return { status: 200, body: await getUser(ctx, id) };
    },
  }),
  route({
    method: 'POST',
    path: '/users/:id/password-link',
    access: { roles: [] },
    operationId: 'makePasswordLink',
    summary: 'Make a link to choose a new password',
    description: [
      'The link works once, within an hour, and replaces any earlier one. Pass it on to the user, after making sure who asks.',
      'Nothing of the user ends before it is used; then all their sessions end, and what they have allowed to apps.',
    ].join(' '),
    params: UserParams,
    body: WhyBody,
    bodyIsOptional: true,
    replies: { 200: PasswordLink },
    handle: async (ctx, operator, { params, body, once }) => {
      const id = idOr(noSuch('user'), 'user', params.id);
      const made = await makeResetLink(ctx, operatorActor(operator, once), id, body.reason);
      return { status: 200, body: { id: params.id, ...(made ?? { url: null, mailed: false, expires_at: null }) } };
    },
  }),
  route({
    method: 'POST',
    path: '/users/:id/remove-second-factor',
    access: { roles: [] },
    operationId: 'removeSecondFactor',
    summary: 'Remove the second factor of a user',
    description: [
      'For a user who has lost the app and the recovery codes, after making sure who asks: the password alone signs in again.',
      'Sessions go on.',
    ].join(' '),
    params: UserParams,
    body: WhyBody,
    bodyIsOptional: true,
    replies: { 200: User },
    handle: async (ctx, operator, { params, body, once }) => {
      const id = idOr(noSuch('user'), 'user', params.id);
      await removeSecondFactor(ctx, operatorActor(operator, once), id, body.reason);
      return { status: 200, body: await getUser(ctx, id) };
    },
  }),
  route({
    method: 'GET',
    path: '/accounts/:id/sessions',
    access: { roles: OPERATOR_ROLES },
    operationId: 'listSessions',
    summary: 'List the sessions of an account',
    description: 'The browsers in which its users are signed in, newest first.',
    params: AccountParams,
    query: ListSessionsQuery,
    replies: { 200: SessionPage },
    csv: 'data',
    handle: async (ctx, _operator, { params, query }) => {
      const id = idOr(noSuch('account'), 'acct', params.id);
      return { status: 200, body: await listSessions(ctx, id, readPage('ses', query)) };
    },
  }),
  route({
    method: 'POST',
    path: '/sessions/:id/revoke',
    access: { roles: [] },
    operationId: 'revokeSession',
    summary: 'Revoke a session',
    description: 'The browser has to sign in again. What was allowed to apps in it stays allowed.',
    params: SessionParams,
    body: WhyBody,
    bodyIsOptional: true,
    replies: { 200: RevokedSession },
    handle: async (ctx, operator, { params, body, once }) => {
      const id = idOr(noSuch('session'), 'ses', params.id);
      await revokeSession(ctx, operatorActor(operator, once), id, body.reason);
      return { status: 200, body: { id: params.id, revoked: true } };
    },
  }),
];
