import { arrayOf, isMembers, type Members, textOf } from '../members.ts';
import type { Shop } from '../port.ts';
import { ShopFault } from '../shop-call.ts';

// What a shop of Medusa must have before a product of it can be sold.

/** A place that goods are sent from, with the sales channels that it serves. */
export async function placeOf(shop: Shop): Promise<{ readonly locationId: string; readonly channelIds: string[] }> {
  const places = await allOf(shop, 'stock-locations', 'stock_locations', 'id,sales_channels.id');
  for (const place of places) {
    const channelIds = arrayOf(place.sales_channels)
      .filter(isMembers)
      .map(({ id }) => textOf(id));
    if (channelIds.length > 0) return { locationId: textOf(place.id), channelIds };
  }
  const message = 'The shop has no stock location with a sales channel. Make one in the settings of Medusa.';
  throw new ShopFault('rejected', message);
}

/**
 * The shipping profile of a new product: one that the shop ships by, of the type `default` if any.
 * Medusa begins with a profile that nothing is shipped by, and completes no cart with a product of it.
 */
export async function profileOf(shop: Shop): Promise<string> {
  const options = await allOf(
    shop,
    'shipping-options',
    'shipping_options',
    'id,shipping_profile_id,shipping_profile.type',
  );
  const isDefault = ({ shipping_profile: profile }: Members) => isMembers(profile) && profile.type === 'default';
  const [option] = [...options.filter(isDefault), ...options];
  if (option !== undefined) return textOf(option.shipping_profile_id);
  throw new ShopFault('rejected', 'The shop has no way of shipping. Make a shipping option in the settings of Medusa.');
}

async function allOf(shop: Shop, path: string, member: string, fields: string): Promise<Members[]> {
  const query = new URLSearchParams({ fields, limit: '100', order: 'created_at' }).toString();
  const answer = await shop.call('GET', `/admin/${path}?${query}`);
  if (isMembers(answer?.json)) return arrayOf(answer.json[member]).filter(isMembers);
  throw new ShopFault('broken', 'Medusa does not say what the shop has to send from: it may be switched off.');
}
