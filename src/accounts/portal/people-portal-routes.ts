import type { Context } from '../../lib/context.ts';
import { noSuch } from '../../lib/errors.ts';
import { readPage } from '../../lib/paging.ts';
import { type PersonRoute, route } from '../../lib/route.ts';
import { idOr } from '../access/act-on-access.ts';
import { changePerson, listPeople } from './people.ts';
import { ChangePersonBody, ListPeopleQuery, PeoplePage, PersonOfAccount, PersonParams } from './people-schema.ts';

/** The people of an account, for its owners. */
export const peoplePortalRoutes: readonly PersonRoute<Context>[] = [
  route({
    method: 'GET',
    path: '/people',
    access: { people: ['owner', 'manager'] },
    operationId: 'listPeople',
    summary: 'List the people of the account',
    description: 'Those who may sign in, and those who may not any more, in the order in which they were added.',
    query: ListPeopleQuery,
    replies: { 200: PeoplePage },
    csv: 'data',
    handle: async (ctx, person, { query }) => ({
      status: 200,
      body: await listPeople(ctx, person, readPage('user', query)),
    }),
  }),
  route({
    method: 'PATCH',
    path: '/people/:id',
    access: { people: ['owner'] },
    operationId: 'changePerson',
    summary: 'Change a person of the account',
    description: [
      'Holds on every node within two seconds. Disabling ends the sessions of the person and what they have allowed to apps,',
      'for good. Disabling, and taking the role of an owner or manager, ends the open invitations of the account.',
      'An account keeps an owner who can sign in. Needs a password given in the last 15 minutes.',
    ].join(' '),
    params: PersonParams,
    body: ChangePersonBody,
    errors: ['conflict', 'proof_required'],
    replies: { 200: PersonOfAccount },
    handle: async (ctx, person, { params, body }) => {
      const id = idOr(noSuch('user'), 'user', params.id);
      return { status: 200, body: await changePerson(ctx, person, id, body) };
    },
  }),
];
