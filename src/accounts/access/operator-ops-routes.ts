import type { Context } from '../../lib/context.ts';
import { noSuch } from '../../lib/errors.ts';
import { OPERATOR_ROLES } from '../../lib/operator.ts';
import { readPage } from '../../lib/paging.ts';
import { type OpsRoute, route } from '../../lib/route.ts';
import { idOr, operatorActor } from './act-on-access.ts';
import { disableOperator } from './disable-operator.ts';
import { enableOperator } from './enable-operator.ts';
import { getOperatorToken, listOperators, listOperatorTokens } from './list-access.ts';
import {
  DisabledOperator,
  DisableOperatorBody,
  EnabledOperator,
  EnableOperatorBody,
  ListOperatorsQuery,
  ListOperatorTokensQuery,
  OperatorPage,
  OperatorToken,
  OperatorTokenPage,
  OperatorTokenParams,
  WhyBody,
} from './ops-schema.ts';
import { revokeOperatorToken } from './revoke-token.ts';

/** The operators themselves, and their tokens. */
export const operatorOpsRoutes: readonly OpsRoute<Context>[] = [
  route({
    method: 'GET',
    path: '/operators',
    access: { roles: OPERATOR_ROLES },
    operationId: 'listOperators',
    summary: 'List the operators',
    description: 'The people who run the shop over this API, newest first, disabled ones too.',
    query: ListOperatorsQuery,
    replies: { 200: OperatorPage },
    csv: 'data',
    handle: async (ctx, _operator, { query }) => ({
      status: 200,
      body: await listOperators(ctx, readPage('op', query)),
    }),
  }),
  route({
    method: 'GET',
    path: '/operator-tokens',
    access: { roles: OPERATOR_ROLES },
    operationId: 'listOperatorTokens',
    summary: 'List the tokens of operators',
    description: 'Of all operators or of one, newest first, revoked ones too.',
    query: ListOperatorTokensQuery,
    replies: { 200: OperatorTokenPage },
    csv: 'data',
    handle: async (ctx, _operator, { query }) => ({
      status: 200,
      body: await listOperatorTokens(ctx, query.email, readPage('otk', query)),
    }),
  }),
  route({
    method: 'POST',
    path: '/operator-tokens/:id/revoke',
    access: { roles: [] },
    operationId: 'revokeOperatorToken',
    summary: 'Revoke a token of an operator',
    description: 'Within two seconds no node accepts it. The other tokens of the operator stay valid.',
    params: OperatorTokenParams,
    body: WhyBody,
    bodyIsOptional: true,
    replies: { 200: OperatorToken },
    handle: async (ctx, operator, { params, body, once }) => {
      const id = idOr(noSuch('token'), 'otk', params.id);
      await revokeOperatorToken(ctx, operatorActor(operator, once), id, body.reason);
      return { status: 200, body: await getOperatorToken(ctx, id) };
    },
  }),
  route({
    method: 'POST',
    path: '/operators/disable',
    access: { roles: [] },
    operationId: 'disableOperator',
    summary: 'Disable an operator',
    description:
      'Within two seconds none of their tokens is accepted, and no new one is minted. Enabling them again brings no token back.',
    body: DisableOperatorBody,
    replies: { 200: DisabledOperator },
    errors: ['not_found'],
    handle: async (ctx, operator, { body, once }) => {
      const { email } = await disableOperator(ctx, operatorActor(operator, once), body.email, body.reason);
      return { status: 200, body: { email, disabled: true } };
    },
  }),
  route({
    method: 'POST',
    path: '/operators/enable',
    access: { roles: [] },
    operationId: 'enableOperator',
    summary: 'Enable an operator',
    description: [
      'A disabled operator may work again, with the role of before. Their tokens stay revoked: mint a new one with',
      '`platen operator token`, which works within two seconds. Enabling them again changes nothing.',
    ].join(' '),
    body: EnableOperatorBody,
    replies: { 200: EnabledOperator },
    errors: ['not_found'],
    handle: async (ctx, operator, { body, once }) => {
      const { email } = await enableOperator(ctx, operatorActor(operator, once), body.email, body.reason);
      return { status: 200, body: { email, disabled: false } };
    },
  }),
];
