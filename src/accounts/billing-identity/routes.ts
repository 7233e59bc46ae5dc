import type { Context } from '../../lib/context.ts';
import { type Route, route } from '../../lib/route.ts';
import { getBilling } from './read-billing.ts';
import { AccountBilling } from './schema.ts';

/** What a customer reads of its own account. */
export const accountRoutes: readonly Route<Context>[] = [
  route({
    method: 'GET',
    path: '/account/billing',
    access: { scope: 'orders:read' },
    operationId: 'getBilling',
    summary: 'Fetch whom invoices are addressed to',
    description: [
      'The legal name and address on the invoices of the account, and its VAT number. `billing` is null while they are not',
      'known; ask support to set or change them. Invoices that are issued never change.',
    ].join(' '),
    replies: { 200: AccountBilling },
    handle: async (ctx, caller) => ({ status: 200, body: await getBilling(ctx, caller) }),
  }),
];
