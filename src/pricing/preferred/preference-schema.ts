import { nullable } from '../../lib/schemas.ts';
import { type Static, Type } from '../../lib/typebox.ts';

/** The shipping service that an account's order form begins with. */
export const ShippingPreference = Type.Object(
  {
    service: nullable(
      Type.String({ description: 'Send it as shipping_service where it is offered; null for the usual one.' }),
    ),
    services: Type.Array(Type.String(), { description: 'Those that there are, to some destination.' }),
  },
  { title: 'ShippingPreference' },
);
export type ShippingPreference = Static<typeof ShippingPreference>;

/** Which service to begin with. */
export const ChangeShippingPreferenceBody = Type.Object(
  { service: nullable(Type.String({ maxLength: 200, description: 'Null for the usual one.' })) },
  { title: 'ChangeShippingPreferenceRequest' },
);
