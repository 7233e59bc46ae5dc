import type { SignedIn } from '../../lib/caller.ts';
import type { Context } from '../../lib/context.ts';
import { validationFailed } from '../../lib/errors.ts';
import type { PriceCache } from '../price-cache.ts';
import { bookAt } from '../reference.ts';
import type { ShippingPreference } from './preference-schema.ts';
import { dropPreferredService, findPreferredService, savePreferredService } from './preference-sql.ts';

export type PreferenceContext = Pick<Context, 'database' | 'clock'> & { readonly prices: PriceCache };

/**
 * The shipping service that the account's order form begins with, and those there are.
 * One that is not offered any more counts as none.
 */
export async function readShippingPreference(
  ctx: PreferenceContext,
  { accountId }: SignedIn,
): Promise<ShippingPreference> {
  const services = await servicesOf(ctx);
  const preferred = await findPreferredService(ctx.database, accountId);
  return { service: preferred !== undefined && services.includes(preferred) ? preferred : null, services };
}

/** Chooses that service; null chooses none. Throws 422 for a service that there is not. */
export async function changeShippingPreference(
  ctx: PreferenceContext,
  caller: SignedIn,
  service: string | null,
): Promise<ShippingPreference> {
  const services = await servicesOf(ctx);
  if (service === null) {
    await dropPreferredService(ctx.database, caller.accountId);
  } else {
    if (!services.includes(service)) throw unknownService(services);
    await savePreferredService(ctx.database, caller.accountId, service);
  }
  return readShippingPreference(ctx, caller);
}

/** The names of all services, each once: a service of one name may have prices in several zones. */
async function servicesOf({ prices, clock }: PreferenceContext): Promise<string[]> {
  const { zones } = bookAt((await prices.latest()).pricing, clock.now()).shipping;
  return [...new Set([...zones.values()].flatMap(({ services }) => services.map(({ service }) => service)))];
}

function unknownService(services: readonly string[]) {
  const message = `The services are ${services.join(', ')}.`;
  return validationFailed([{ path: 'service', code: 'unknown_value', message, valid_values: [...services] }]);
}
