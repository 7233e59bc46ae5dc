import type { Context } from '../../lib/context.ts';
import { noSuch } from '../../lib/errors.ts';
import { pageQuery, readPage } from '../../lib/paging.ts';
import { type PersonRoute, route } from '../../lib/route.ts';
import { Type } from '../../lib/typebox.ts';
import { idOr } from '../access/act-on-access.ts';
import { listClients, listGrants } from '../access/list-access.ts';
import { ClientParams, GrantParams, ListClientsQuery, OauthClientPage, OauthGrantPage } from '../access/ops-schema.ts';
import { NewAppSecret, RegisterAppBody, RegisteredApp } from './app-schema.ts';
import { registerOwnApp, removeOwnApp, rotateOwnAppSecret } from './own-apps.ts';
import { revokeOwnGrant } from './own-grants.ts';

/** The OAuth apps that an account has registered, and the apps that may use it. */
export const ownAppPortalRoutes: readonly PersonRoute<Context>[] = [
  route({
    method: 'GET',
    path: '/apps',
    access: { people: ['owner', 'manager'] },
    operationId: 'listOwnApps',
    summary: 'List your apps',
    description: 'The OAuth apps that the account has registered, newest first, removed ones too.',
    query: ListClientsQuery,
    replies: { 200: OauthClientPage },
    csv: 'data',
    handle: async (ctx, { accountId }, { query }) => ({
      status: 200,
      body: await listClients(ctx, accountId, readPage('client', query)),
    }),
  }),
  route({
    method: 'POST',
    path: '/apps',
    access: { people: ['owner'] },
    operationId: 'registerOwnApp',
    summary: 'Register an app',
    description: [
      'Its people, and those of other accounts, may then allow it to act for them. The secret of a confidential app is in',
      'this answer alone. At most 20 apps an account. Needs a password given in the last 15 minutes.',
    ].join(' '),
    body: RegisterAppBody,
    errors: ['conflict', 'proof_required'],
    replies: { 201: RegisteredApp },
    handle: async (ctx, person, { body }) => ({ status: 201, body: await registerOwnApp(ctx, person, body) }),
  }),
  route({
    method: 'POST',
    path: '/apps/:id/secret',
    access: { people: ['owner'] },
    operationId: 'rotateOwnAppSecret',
    summary: 'Replace the secret of your app',
    description: [
      'Within two seconds the old secret and all access tokens of the app are refused. Its refresh tokens stay, and need the',
      'new secret, which is in this answer alone. Needs a password given in the last 15 minutes.',
    ].join(' '),
    params: ClientParams,
    errors: ['conflict', 'proof_required'],
    replies: { 200: NewAppSecret },
    handle: async (ctx, person, { params }) => {
      const id = idOr(noSuch('app'), 'client', params.id);
      return { status: 200, body: await rotateOwnAppSecret(ctx, person, id) };
    },
  }),
  route({
    method: 'DELETE',
    path: '/apps/:id',
    access: { people: ['owner'] },
    operationId: 'removeOwnApp',
    summary: 'Remove your app',
    description: [
      'Within two seconds it is refused as an unknown app is, with all its tokens and all that people have allowed it. There',
      'is no way back but to register it anew. A second time is 204, too.',
    ].join(' '),
    params: ClientParams,
    replies: { 204: null },
    handle: async (ctx, person, { params }) => {
      await removeOwnApp(ctx, person, idOr(noSuch('app'), 'client', params.id));
      return { status: 204 };
    },
  }),
  route({
    method: 'GET',
    path: '/grants',
    access: { people: ['owner', 'manager'] },
    operationId: 'listOwnGrants',
    summary: 'List the apps that may use your account',
    description: 'What people of the account have allowed to apps, of this account or another one, newest first.',
    query: Type.Object(pageQuery('gnt')),
    replies: { 200: OauthGrantPage },
    csv: 'data',
    handle: async (ctx, { accountId }, { query }) => ({
      status: 200,
      body: await listGrants(ctx, { accountId, clientId: undefined }, readPage('gnt', query)),
    }),
  }),
  route({
    method: 'DELETE',
    path: '/grants/:id',
    access: { people: ['owner', 'manager'] },
    operationId: 'revokeOwnGrant',
    summary: 'Revoke what an app may do',
    description: 'Within two seconds its codes and tokens of this grant are refused. A second time is 204, too.',
    params: GrantParams,
    replies: { 204: null },
    handle: async (ctx, person, { params }) => {
      await revokeOwnGrant(ctx, person, idOr(noSuch('grant'), 'gnt', params.id));
      return { status: 204 };
    },
  }),
];
