import type { Context } from '../../lib/context.ts';
import { noSuch } from '../../lib/errors.ts';
import { OPERATOR_ROLES } from '../../lib/operator.ts';
import { readPage } from '../../lib/paging.ts';
import { type OpsRoute, route } from '../../lib/route.ts';
import { OpsAccount } from '../ops-schema.ts';
import { getOpsAccount } from '../read-for-ops.ts';
import { idOr, operatorActor } from './act-on-access.ts';
import { getToken, listTokens } from './list-access.ts';
import {
  AccessToken,
  AccessTokenPage,
  AccountParams,
  ListTokensQuery,
  SuspendBody,
  TokenParams,
  WhyBody,
} from './ops-schema.ts';
import { revokeToken } from './revoke-token.ts';
import { resumeAccount, suspendAccount } from './suspend-account.ts';

/** Suspending accounts, and ending tokens of customers. */
export const tokenOpsRoutes: readonly OpsRoute<Context>[] = [
  route({
    method: 'POST',
    path: '/accounts/:id/suspend',
    access: { roles: [] },
    operationId: 'suspendAccount',
    summary: 'Suspend an account',
    description: [
      'Within two seconds, on every node, its tokens, sessions and apps are refused as unknown ones are. Its orders',
      'go on being made, and its webhooks being sent. Suspending it again changes nothing: the first reason stays.',
    ].join(' '),
    params: AccountParams,
    body: SuspendBody,
    replies: { 200: OpsAccount },
    handle: async (ctx, operator, { params, body, once }) => {
      const id = idOr(noSuch('account'), 'acct', params.id);
      await suspendAccount(ctx, operatorActor(operator, once), id, body.reason);
      return { status: 200, body: await getOpsAccount(ctx, params.id) };
    },
  }),
  route({
    method: 'POST',
    path: '/accounts/:id/resume',
    access: { roles: [] },
    operationId: 'resumeAccount',
    summary: 'Resume a suspended account',
    description: 'All that it had before works again: tokens, sessions and apps, unless they were ended or expired.',
    params: AccountParams,
    body: WhyBody,
    bodyIsOptional: true,
    replies: { 200: OpsAccount },
    handle: async (ctx, operator, { params, body, once }) => {
      const id = idOr(noSuch('account'), 'acct', params.id);
      await resumeAccount(ctx, operatorActor(operator, once), id, body.reason);
      return { status: 200, body: await getOpsAccount(ctx, params.id) };
    },
  }),
  route({
    method: 'GET',
    path: '/accounts/:id/tokens',
    access: { roles: OPERATOR_ROLES },
    operationId: 'listTokens',
    summary: 'List the tokens of an account',
    description: 'Its personal tokens, newest first, revoked ones too. Tokens of apps end with their grant or app.',
    params: AccountParams,
    query: ListTokensQuery,
    replies: { 200: AccessTokenPage },
    csv: 'data',
    handle: async (ctx, _operator, { params, query }) => {
      const id = idOr(noSuch('account'), 'acct', params.id);
      return { status: 200, body: await listTokens(ctx, id, readPage('tok', query)) };
    },
  }),
  route({
    method: 'POST',
    path: '/tokens/:id/revoke',
    access: { roles: [] },
    operationId: 'revokeToken',
    summary: 'Revoke a token',
    description: 'Within two seconds no node accepts it. Revoking it again changes nothing.',
    params: TokenParams,
    body: WhyBody,
    bodyIsOptional: true,
    replies: { 200: AccessToken },
    handle: async (ctx, operator, { params, body, once }) => {
      const id = idOr(noSuch('token'), 'tok', params.id);
      await revokeToken(ctx, operatorActor(operator, once), id, body.reason);
      return { status: 200, body: await getToken(ctx, id) };
    },
  }),
];
