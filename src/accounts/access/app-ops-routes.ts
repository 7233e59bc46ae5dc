import type { Context } from '../../lib/context.ts';
import { noSuch, validationFailed } from '../../lib/errors.ts';
import { parseId } from '../../lib/ids.ts';
import { OPERATOR_ROLES } from '../../lib/operator.ts';
import { readPage } from '../../lib/paging.ts';
import { type OpsRoute, route } from '../../lib/route.ts';
import { idOr, operatorActor } from './act-on-access.ts';
import type { GrantsOf } from './app-sql.ts';
import { removeClient, rotateClient } from './change-client.ts';
import { getClient, getGrant, listClients, listGrants } from './list-access.ts';
import {
  AccountParams,
  ClientParams,
  GrantParams,
  ListClientsQuery,
  ListGrantsQuery,
  OauthClient,
  OauthClientPage,
  OauthGrant,
  OauthGrantPage,
  RevokedGrants,
  RevokeGrantsBody,
  RotatedClient,
  WhyBody,
} from './ops-schema.ts';
import { revokeGrantById, revokeGrants } from './revoke-grants.ts';

/** The apps of accounts, and what people have allowed them. */
export const appOpsRoutes: readonly OpsRoute<Context>[] = [
  route({
    method: 'GET',
    path: '/accounts/:id/oauth-clients',
    access: { roles: OPERATOR_ROLES },
    operationId: 'listOauthClients',
    summary: 'List the apps of an account',
    description: 'The OAuth apps that it has registered, newest first, removed ones too.',
    params: AccountParams,
    query: ListClientsQuery,
    replies: { 200: OauthClientPage },
    csv: 'data',
    handle: async (ctx, _operator, { params, query }) => {
      const id = idOr(noSuch('account'), 'acct', params.id);
      return { status: 200, body: await listClients(ctx, id, readPage('client', query)) };
    },
  }),
  route({
    method: 'POST',
    path: '/oauth-clients/:id/rotate',
    access: { roles: [] },
    operationId: 'rotateOauthClient',
    summary: 'Rotate the secret of an app',
    description: [
      'Within two seconds, on every node, the old secret and all access tokens of the app are refused. Its refresh',
      'tokens stay, and need the new secret. The answer has the new secret, which is shown this once.',
    ].join(' '),
    params: ClientParams,
    body: WhyBody,
    bodyIsOptional: true,
    replies: { 200: RotatedClient },
    handle: async (ctx, operator, { params, body, once }) => {
      const id = idOr(noSuch('app'), 'client', params.id);
      const secret = await rotateClient(ctx, operatorActor(operator, once), id, body.reason);
      return { status: 200, body: { client_id: params.id, client_secret: secret ?? null } };
    },
  }),
  route({
    method: 'POST',
    path: '/oauth-clients/:id/remove',
    access: { roles: [] },
    operationId: 'removeOauthClient',
    summary: 'Remove an app',
    description: [
      'Within two seconds, on every node, it is refused as an unknown app is, with all its tokens and all that people',
      'have allowed it. There is no way back but to register it anew.',
    ].join(' '),
    params: ClientParams,
    body: WhyBody,
    bodyIsOptional: true,
    replies: { 200: OauthClient },
    handle: async (ctx, operator, { params, body, once }) => {
      const id = idOr(noSuch('app'), 'client', params.id);
      await removeClient(ctx, operatorActor(operator, once), id, body.reason);
      return { status: 200, body: await getClient(ctx, id) };
    },
  }),
  route({
    method: 'GET',
    path: '/oauth-grants',
    access: { roles: OPERATOR_ROLES },
    operationId: 'listOauthGrants',
    summary: 'List grants',
    description:
      'What the users of an account have allowed to apps, what was allowed to an app, or both; newest first.',
    query: ListGrantsQuery,
    replies: { 200: OauthGrantPage },
    errors: ['not_found'],
    csv: 'data',
    handle: async (ctx, _operator, { query }) => ({
      status: 200,
      body: await listGrants(ctx, grantsOf(query), readPage('gnt', query)),
    }),
  }),
  route({
    method: 'POST',
    path: '/oauth-grants/:id/revoke',
    access: { roles: [] },
    operationId: 'revokeOauthGrant',
    summary: 'Revoke a grant',
    description: 'Within two seconds, on every node, its codes, refresh tokens and access tokens are refused.',
    params: GrantParams,
    body: WhyBody,
    bodyIsOptional: true,
    replies: { 200: OauthGrant },
    handle: async (ctx, operator, { params, body, once }) => {
      const id = idOr(noSuch('grant'), 'gnt', params.id);
      await revokeGrantById(ctx, operatorActor(operator, once), id, body.reason);
      return { status: 200, body: await getGrant(ctx, id) };
    },
  }),
  route({
    method: 'POST',
    path: '/oauth-grants/revoke',
    access: { roles: [] },
    operationId: 'revokeOauthGrants',
    summary: 'Revoke all grants of an account or app',
    description: [
      'Those of the users of `account`, those to the app `client`, or with both those that are both. At most ten thousand',
      'at a time.',
    ].join(' '),
    body: RevokeGrantsBody,
    replies: { 200: RevokedGrants },
    errors: ['not_found'],
    handle: async (ctx, operator, { body, once }) => {
      const { revoked, hasMore } = await revokeGrants(ctx, operatorActor(operator, once), grantsOf(body), body.reason);
      return { status: 200, body: { revoked, has_more: hasMore } };
    },
  }),
];

/** Throws 422 when neither an account nor an app is named: all grants of all accounts are never meant. */
function grantsOf({ account, client }: { account?: string | undefined; client?: string | undefined }): GrantsOf {
  const accountId = account === undefined ? undefined : parseId('acct', account);
  const clientId = client === undefined ? undefined : parseId('client', client);
  if (accountId !== undefined) return { accountId, clientId };
  if (clientId !== undefined) return { accountId, clientId };
  const message = 'must be given, or client, or both.';
  throw validationFailed([{ path: 'account', code: 'required', message }]);
}
