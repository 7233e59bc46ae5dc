import { PERSON_ROLES } from '../../lib/caller.ts';
import { type PersonRoute, route } from '../../lib/route.ts';
import { changeShippingPreference, type PreferenceContext, readShippingPreference } from './preference.ts';
import { ChangeShippingPreferenceBody, ShippingPreference } from './preference-schema.ts';

/** How an account likes its orders sent. */
export const preferencePortalRoutes: readonly PersonRoute<PreferenceContext>[] = [
  route({
    method: 'GET',
    path: '/shipping-preference',
    access: { people: PERSON_ROLES },
    operationId: 'getShippingPreference',
    summary: 'Read the preferred shipping service',
    replies: { 200: ShippingPreference },
    handle: async (ctx, person) => ({ status: 200, body: await readShippingPreference(ctx, person) }),
  }),
  route({
    method: 'PATCH',
    path: '/shipping-preference',
    access: { people: ['owner', 'manager'] },
    operationId: 'changeShippingPreference',
    summary: 'Choose the preferred shipping service',
    description: 'The order form begins with it where it is offered. Orders over the public API do not change.',
    body: ChangeShippingPreferenceBody,
    replies: { 200: ShippingPreference },
    handle: async (ctx, person, { body }) => ({
      status: 200,
      body: await changeShippingPreference(ctx, person, body.service),
    }),
  }),
];
