import { PERSON_ROLES } from '../../lib/caller.ts';
import { type PersonRoute, route } from '../../lib/route.ts';
import type { PaymentsContext } from '../context.ts';
import { AccountMoney } from './money-schema.ts';
import { readMoney } from './read-money.ts';

/** The money of an account at a glance, for its own people. */
export const moneyPortalRoutes: readonly PersonRoute<PaymentsContext>[] = [
  route({
    method: 'GET',
    path: '/money',
    access: { people: PERSON_ROLES },
    operationId: 'getMoney',
    summary: 'Read the money of the account',
    description:
      'The balance, what waits for it and how much would free all of that, and what is still to be paid back.',
    replies: { 200: AccountMoney },
    handle: async (ctx, person) => ({ status: 200, body: await readMoney(ctx, person) }),
  }),
];
