import { PERSON_ROLES } from '../../lib/caller.ts';
import { type PersonRoute, route } from '../../lib/route.ts';
import type { PaymentsContext } from '../context.ts';
import { beginSaving, lookAtOwnSaving } from './begin-saving.ts';
import { readOwnMethod, removeOwnMethod } from './own-method.ts';
import { BeginSavingBody, MethodSaving, PaymentMethod, SavingParams } from './saving-schema.ts';

/** The saved card or direct debit of an account, for its own people. */
export const savedMethodPortalRoutes: readonly PersonRoute<PaymentsContext>[] = [
  route({
    method: 'GET',
    path: '/payment-method',
    access: { people: PERSON_ROLES },
    operationId: 'getPaymentMethod',
    summary: 'Read the saved payment method',
    description: 'The card or direct debit that is charged for what the balance does not cover of an order.',
    replies: { 200: PaymentMethod },
    handle: async (ctx, person) => ({ status: 200, body: await readOwnMethod(ctx, person) }),
  }),
  route({
    method: 'POST',
    path: '/payment-method/savings',
    access: { people: ['owner', 'manager'] },
    takesKey: true,
    operationId: 'beginSavingMethod',
    summary: 'Begin to save a card or direct debit',
    description: [
      'Answers with the address of a page of the payment provider, which takes the details. Once it is saved, orders that',
      'wait are charged to it. The same key is the same page. Needs a password given in the last 15 minutes.',
    ].join(' '),
    body: BeginSavingBody,
    errors: ['proof_required', 'conflict', 'unavailable'],
    replies: { 201: MethodSaving },
    handle: async (ctx, person, { body, key }) => ({
      status: 201,
      body: await beginSaving(ctx, person, { kind: body.kind, key }),
    }),
  }),
  route({
    method: 'POST',
    path: '/payment-method/savings/:id/look',
    access: { people: ['owner', 'manager'] },
    operationId: 'lookAtSaving',
    summary: 'Ask the payment provider how a saving stands',
    description: 'For the return from its page, and for later. A saved method is that of the account then.',
    params: SavingParams,
    errors: ['conflict', 'unavailable'],
    replies: { 200: MethodSaving },
    handle: async (ctx, person, { params }) => ({ status: 200, body: await lookAtOwnSaving(ctx, person, params.id) }),
  }),
  route({
    method: 'DELETE',
    path: '/payment-method',
    access: { people: ['owner', 'manager'] },
    operationId: 'removePaymentMethod',
    summary: 'Remove the saved payment method',
    description: [
      'Nothing more is charged to it, and automatic top-ups end. A second time is 204, too. Needs a password given in the',
      'last 15 minutes.',
    ].join(' '),
    errors: ['proof_required'],
    replies: { 204: null },
    handle: async (ctx, person) => {
      await removeOwnMethod(ctx, person);
      return { status: 204 };
    },
  }),
];
