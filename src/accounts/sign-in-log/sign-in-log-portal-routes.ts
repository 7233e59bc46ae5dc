import { PERSON_ROLES } from '../../lib/caller.ts';
import type { Context } from '../../lib/context.ts';
import { noSuch } from '../../lib/errors.ts';
import { type PersonRoute, route } from '../../lib/route.ts';
import { idOr } from '../access/act-on-access.ts';
import { PersonParams } from '../portal/people-schema.ts';
import { listOwnSignIns, listSignInsOf } from './own-sign-ins.ts';
import { ListSignInsQuery, SignInEntryPage } from './sign-in-log-schema.ts';

/** What happened to the sign-in of people. */
export const signInLogPortalRoutes: readonly PersonRoute<Context>[] = [
  route({
    method: 'GET',
    path: '/sign-ins',
    access: { people: PERSON_ROLES },
    operationId: 'listOwnSignIns',
    summary: 'List what happened to your sign-in',
    description: 'Of the last 90 days, newest first. What is alike within an hour is one entry.',
    query: ListSignInsQuery,
    replies: { 200: SignInEntryPage },
    csv: 'data',
    handle: async (ctx, person, { query }) => ({ status: 200, body: await listOwnSignIns(ctx, person, query) }),
  }),
  route({
    method: 'GET',
    path: '/sign-ins/:id',
    access: { people: ['owner'] },
    operationId: 'listSignInsOfPerson',
    summary: 'List what happened to the sign-in of a person',
    description: 'As `GET /sign-ins`, without addresses of the network.',
    params: PersonParams,
    query: ListSignInsQuery,
    replies: { 200: SignInEntryPage },
    csv: 'data',
    handle: async (ctx, person, { params, query }) => ({
      status: 200,
      body: await listSignInsOf(ctx, person, idOr(noSuch('user'), 'user', params.id), query),
    }),
  }),
];
