import type { Context } from '../../lib/context.ts';
import { noSuch } from '../../lib/errors.ts';
import { publicId } from '../../lib/ids.ts';
import { OPERATOR_ROLES } from '../../lib/operator.ts';
import { readPage } from '../../lib/paging.ts';
import { type OpsRoute, route } from '../../lib/route.ts';
import { idOr, operatorActor } from '../access/act-on-access.ts';
import { WhyBody } from '../access/ops-schema.ts';
import { approveSignUp, listSignUps, refuseSignUp } from './decide-sign-up.ts';
import { DecidedSignUp, ListSignUpsQuery, OpsSignUpPage, OpsSignUpParams } from './sign-up-schema.ts';

/** Sign-ups that wait for a decision. */
export const signUpOpsRoutes: readonly OpsRoute<Context>[] = [
  route({
    method: 'GET',
    path: '/sign-ups',
    access: { roles: OPERATOR_ROLES },
    operationId: 'listSignUps',
    summary: 'List sign-ups that wait',
    description: 'Those whose address was confirmed, newest first. What is not decided within 30 days is deleted.',
    query: ListSignUpsQuery,
    replies: { 200: OpsSignUpPage },
    csv: 'data',
    handle: async (ctx, _operator, { query }) => ({
      status: 200,
      body: await listSignUps(ctx, readPage('sup', query)),
    }),
  }),
  route({
    method: 'POST',
    path: '/sign-ups/:id/approve',
    access: { roles: [] },
    operationId: 'approveSignUp',
    summary: 'Approve a sign-up',
    description: 'Opens the account, with the person as its owner, and mails that they can sign in.',
    params: OpsSignUpParams,
    body: WhyBody,
    bodyIsOptional: true,
    errors: ['conflict'],
    replies: { 200: DecidedSignUp },
    handle: async (ctx, operator, { params, body, once }) => {
      const id = idOr(noSuch('sign-up'), 'sup', params.id);
      await approveSignUp(ctx, operatorActor(operator, once), id, body.reason);
      return { status: 200, body: { id: params.id, approved: true, account_id: publicId('acct', id) } };
    },
  }),
  route({
    method: 'POST',
    path: '/sign-ups/:id/refuse',
    access: { roles: [] },
    operationId: 'refuseSignUp',
    summary: 'Refuse a sign-up',
    description: 'Deletes all that is known of the person, who gets no mail.',
    params: OpsSignUpParams,
    body: WhyBody,
    bodyIsOptional: true,
    replies: { 200: DecidedSignUp },
    handle: async (ctx, operator, { params, body, once }) => {
      const id = idOr(noSuch('sign-up'), 'sup', params.id);
      await refuseSignUp(ctx, operatorActor(operator, once), id, body.reason);
      return { status: 200, body: { id: params.id, approved: false, account_id: null } };
    },
  }),
];
