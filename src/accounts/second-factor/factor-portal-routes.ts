import { PERSON_ROLES } from '../../lib/caller.ts';
import type { Context } from '../../lib/context.ts';
import { type PersonRoute, route } from '../../lib/route.ts';
import { beginFactor, confirmFactor, readFactor, removeOwnFactor } from './factor.ts';
import { ConfirmFactorBody, NewSecondFactor, RecoveryCodes, SecondFactor } from './factor-schema.ts';

/** The second factor of the person who is signed in. */
export const factorPortalRoutes: readonly PersonRoute<Context>[] = [
  route({
    method: 'GET',
    path: '/second-factor',
    access: { people: PERSON_ROLES },
    operationId: 'getSecondFactor',
    summary: 'Read your second factor',
    replies: { 200: SecondFactor },
    handle: async (ctx, person) => ({ status: 200, body: await readFactor(ctx, person) }),
  }),
  route({
    method: 'POST',
    path: '/second-factor',
    access: { people: PERSON_ROLES },
    operationId: 'beginSecondFactor',
    summary: 'Begin a second factor',
    description: [
      'Makes a secret for an app that shows codes (RFC 6238). It counts once a code was confirmed; a newer one replaces it',
      'until then. Needs a password given in the last 15 minutes.',
    ].join(' '),
    errors: ['conflict', 'proof_required'],
    replies: { 201: NewSecondFactor },
    handle: async (ctx, person) => ({ status: 201, body: await beginFactor(ctx, person) }),
  }),
  route({
    method: 'POST',
    path: '/second-factor/confirm',
    access: { people: PERSON_ROLES },
    operationId: 'confirmSecondFactor',
    summary: 'Confirm your second factor',
    description: [
      'From now on signing in takes a code beside the password, also at the consent page of apps. The answer has ten codes',
      'for a person who has lost the app. Needs a password given in the last 15 minutes.',
    ].join(' '),
    body: ConfirmFactorBody,
    errors: ['conflict', 'proof_required'],
    replies: { 200: RecoveryCodes },
    handle: async (ctx, person, { body }) => ({ status: 200, body: await confirmFactor(ctx, person, body.code) }),
  }),
  route({
    method: 'DELETE',
    path: '/second-factor',
    access: { people: PERSON_ROLES },
    operationId: 'removeOwnSecondFactor',
    summary: 'Remove your second factor',
    description: 'The password alone signs in again. Needs a password, and a code, given in the last 15 minutes.',
    errors: ['not_found', 'proof_required'],
    replies: { 204: null },
    handle: async (ctx, person) => {
      await removeOwnFactor(ctx, person);
      return { status: 204 };
    },
  }),
];
