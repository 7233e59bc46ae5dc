import { type PersonRoute, route } from '../../lib/route.ts';
import type { PaymentsContext } from '../context.ts';
import { beginTopUp, listOwnTopUps, lookAtOwnTopUp } from './begin-top-up.ts';
import { BeginTopUpBody, CardTopUp, CardTopUpPage, ListTopUpsQuery, TopUpParams } from './top-up-schema.ts';

/** Top-ups by card, for the people of an account. */
export const topUpPortalRoutes: readonly PersonRoute<PaymentsContext>[] = [
  route({
    method: 'POST',
    path: '/top-ups',
    access: { people: ['owner', 'manager'] },
    takesKey: true,
    operationId: 'beginTopUp',
    summary: 'Begin a top-up by card',
    description: [
      'Answers with the address of a page of the payment provider, which takes the card. The balance has the money once',
      'the provider says so. The same key is the same top-up, and nothing is charged twice.',
    ].join(' '),
    body: BeginTopUpBody,
    errors: ['conflict', 'unavailable'],
    replies: { 201: CardTopUp },
    handle: async (ctx, person, { body, key }) => ({ status: 201, body: await beginTopUp(ctx, person, { body, key }) }),
  }),
  route({
    method: 'GET',
    path: '/top-ups',
    access: { people: ['owner', 'manager'] },
    operationId: 'listTopUps',
    summary: 'List top-ups by card',
    description: 'Newest first. Those that came to nothing are kept for a month.',
    query: ListTopUpsQuery,
    replies: { 200: CardTopUpPage },
    csv: 'data',
    csvWithout: ['pay_url'],
    handle: async (ctx, person, { query }) => ({ status: 200, body: await listOwnTopUps(ctx, person, query) }),
  }),
  route({
    method: 'POST',
    path: '/top-ups/:id/look',
    access: { people: ['owner', 'manager'] },
    operationId: 'lookAtTopUp',
    summary: 'Ask the payment provider how a top-up stands',
    description: 'For the return from its page, and for later. Money that was taken is on the balance then.',
    params: TopUpParams,
    errors: ['conflict', 'unavailable'],
    replies: { 200: CardTopUp },
    handle: async (ctx, person, { params }) => ({ status: 200, body: await lookAtOwnTopUp(ctx, person, params.id) }),
  }),
];
