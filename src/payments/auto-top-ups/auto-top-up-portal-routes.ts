import { PERSON_ROLES } from '../../lib/caller.ts';
import { type PersonRoute, route } from '../../lib/route.ts';
import type { PaymentsContext } from '../context.ts';
import { AutoTopUp, SetAutoTopUpBody } from './auto-top-up-schema.ts';
import { readOwnAutoTopUp, removeOwnAutoTopUp, setOwnAutoTopUp } from './own-auto-top-up.ts';

/** Top-ups that begin by themselves, for the people of an account. */
export const autoTopUpPortalRoutes: readonly PersonRoute<PaymentsContext>[] = [
  route({
    method: 'GET',
    path: '/auto-top-up',
    access: { people: PERSON_ROLES },
    operationId: 'getAutoTopUp',
    summary: 'Read how the balance is topped up by itself',
    replies: { 200: AutoTopUp },
    handle: async (ctx, person) => ({ status: 200, body: await readOwnAutoTopUp(ctx, person) }),
  }),
  route({
    method: 'POST',
    path: '/auto-top-up',
    access: { people: ['owner', 'manager'] },
    operationId: 'setAutoTopUp',
    summary: 'Top up the balance by itself',
    description: [
      'The saved card is charged whenever the balance is below the threshold, at most so much within 24 hours. Two failures',
      'in a row stop it, with a mail. Needs a password given in the last 15 minutes.',
    ].join(' '),
    body: SetAutoTopUpBody,
    errors: ['proof_required', 'conflict'],
    replies: { 200: AutoTopUp },
    handle: async (ctx, person, { body }) => ({ status: 200, body: await setOwnAutoTopUp(ctx, person, body) }),
  }),
  route({
    method: 'DELETE',
    path: '/auto-top-up',
    access: { people: ['owner', 'manager'] },
    operationId: 'removeAutoTopUp',
    summary: 'Stop topping up by itself',
    description: 'A charge that is under way is not stopped. A second time is 204, too.',
    replies: { 204: null },
    handle: async (ctx, person) => {
      await removeOwnAutoTopUp(ctx, person);
      return { status: 204 };
    },
  }),
];
