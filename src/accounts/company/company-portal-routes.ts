import { PERSON_ROLES } from '../../lib/caller.ts';
import type { Context } from '../../lib/context.ts';
import { type PersonRoute, route } from '../../lib/route.ts';
import { ChangeBillingBody } from '../billing-identity/schema.ts';
import { changeCompany, proposeVatNumber, readCompany } from './company.ts';
import { Company, ProposeVatBody } from './company-schema.ts';

/** The company of an account, for its own people. */
export const companyPortalRoutes: readonly PersonRoute<Context>[] = [
  route({
    method: 'GET',
    path: '/company',
    access: { people: PERSON_ROLES },
    operationId: 'getCompany',
    summary: 'Read the company of the account',
    replies: { 200: Company },
    handle: async (ctx, person) => ({ status: 200, body: await readCompany(ctx, person) }),
  }),
  route({
    method: 'PATCH',
    path: '/company',
    access: { people: ['owner', 'manager'] },
    operationId: 'changeCompany',
    summary: 'Change whom invoices are addressed to',
    description: 'What is left out stays. Invoices that are issued keep what they had.',
    body: ChangeBillingBody,
    replies: { 200: Company },
    handle: async (ctx, person, { body }) => ({ status: 200, body: await changeCompany(ctx, person, body) }),
  }),
  route({
    method: 'POST',
    path: '/company/vat-number',
    access: { people: ['owner', 'manager'] },
    operationId: 'proposeVatNumber',
    summary: 'Propose a VAT number',
    description: [
      'The print shop checks it and enters it, since it changes what orders are charged. Until then the one on record',
      'counts. A newer proposal replaces an earlier one.',
    ].join(' '),
    body: ProposeVatBody,
    errors: ['conflict'],
    replies: { 200: Company },
    handle: async (ctx, person, { body }) => ({
      status: 200,
      body: await proposeVatNumber(ctx, person, body.vat_number),
    }),
  }),
];
