import { PERSON_ROLES } from '../../lib/caller.ts';
import { type PersonRoute, route } from '../../lib/route.ts';
import type { PaymentsContext } from '../context.ts';
import { LowBalanceMail, SetLowBalanceMailBody } from './low-balance-schema.ts';
import { readOwnLowBalanceMail, removeOwnLowBalanceMail, setOwnLowBalanceMail } from './own-low-balance-mail.ts';

/** The mail that says that the balance is low, for the people of an account. */
export const lowBalancePortalRoutes: readonly PersonRoute<PaymentsContext>[] = [
  route({
    method: 'GET',
    path: '/money/low-balance-mail',
    access: { people: PERSON_ROLES },
    operationId: 'getLowBalanceMail',
    summary: 'Read when a mail says that the balance is low',
    replies: { 200: LowBalanceMail },
    handle: async (ctx, person) => ({ status: 200, body: await readOwnLowBalanceMail(ctx, person) }),
  }),
  route({
    method: 'POST',
    path: '/money/low-balance-mail',
    access: { people: ['owner', 'manager'] },
    operationId: 'setLowBalanceMail',
    summary: 'Have a mail say that the balance is low',
    description: [
      'Sent when the balance falls below the threshold, once, and again only after it has been above; at most one a day.',
      'While the balance is topped up by itself none is sent, until that has stopped. `getNotifications` says who gets it.',
    ].join(' '),
    body: SetLowBalanceMailBody,
    replies: { 200: LowBalanceMail },
    handle: async (ctx, person, { body }) => ({ status: 200, body: await setOwnLowBalanceMail(ctx, person, body) }),
  }),
  route({
    method: 'DELETE',
    path: '/money/low-balance-mail',
    access: { people: ['owner', 'manager'] },
    operationId: 'removeLowBalanceMail',
    summary: 'Send no mail about a low balance',
    description: 'A second time is 204, too.',
    replies: { 204: null },
    handle: async (ctx, person) => {
      await removeOwnLowBalanceMail(ctx, person);
      return { status: 204 };
    },
  }),
];
