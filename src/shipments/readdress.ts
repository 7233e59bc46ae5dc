import { isCountryCode, unknownCountry } from '../lib/countries.ts';
import type { Db } from '../lib/db.ts';
import { ApiError, validationFailed } from '../lib/errors.ts';
import type { OrdersContext } from '../orders/context.ts';
import { moveOrder } from '../orders/move-order.ts';
import type { LockedOrder } from '../orders/move-sql.ts';
import type { StoredAddress } from '../orders/order-columns.ts';
import { refreshSearch } from '../orders/search/fill-search.ts';
import { hasSameDuty } from '../pricing/duty.ts';
import { ADDRESS_WARNINGS, addressWarnings } from '../pricing/quote.ts';
import type { PricingReference } from '../pricing/reference.ts';
import { bookAt, type CompiledBook } from '../pricing/reference.ts';
import { zoneOf } from '../pricing/shipping.ts';
import { type Place, territoryOf } from '../pricing/territory.ts';
import type { AddressChange, ChangeAddressBody } from './schema.ts';
import { readAddress, updateAddress } from './sql.ts';

/**
 * The members of an address that a request changes.
 * Throws 422 when there are none, or for a country that does not exist.
 */
export function addressChangeOf(body: ChangeAddressBody): Partial<StoredAddress> {
  const { shipping_address: wrapped, ...plain } = body;
  const members = membersOf({ ...plain, ...wrapped });
  if (Object.keys(members).length === 0) {
    throw validationFailed([{ path: '', code: 'required', message: 'Send the members of the address that change.' }]);
  }
  const { country_code: country } = members;
  if (country !== undefined && !isCountryCode(country)) {
    const prefix = wrapped?.country_code === undefined ? '' : 'shipping_address.';
    throw validationFailed([unknownCountry(country, `${prefix}country_code`)]);
  }
  return members;
}

/**
 * Changes the address of a locked order, with its warnings, its search and its history.
 * The amounts stay. So the new address must lie in the same territory for VAT and duty, in the same shipping zone, and
 * in a country with the same duty: 409 otherwise. Parcels that were sent keep theirs. The history says which members
 * changed, without their values; what changes nothing leaves no trace.
 */
export async function readdress(
  tx: Db,
  config: OrdersContext['config'],
  order: LockedOrder,
  by: {
    readonly members: Partial<StoredAddress>;
    readonly actor: string;
    readonly pricing: PricingReference;
    readonly now: Date;
  },
): Promise<void> {
  const { members, actor, pricing, now } = by;
  const of = { accountId: order.account_id, orderId: order.id };
  const { shipping_address: before, warnings } = await readAddress(tx, of.accountId, of.orderId);
  const after = { ...before, ...members };
  refuseElsewhere(bookAt(pricing, now), before, after);
  const changed = MEMBERS.filter((name) => (before[name] ?? '') !== (after[name] ?? ''));
  if (changed.length === 0) return;
  await updateAddress(tx, {
    ...of,
    address: after,
    warnings: [
      ...warnings.filter(({ code }) => !ADDRESS_WARNINGS.includes(code)),
      ...addressWarnings({ ...placeOf(after), county: after.county, phone: after.phone }),
    ],
  });
  await refreshSearch(tx, of.accountId, of.orderId);
  const reason = `changed: ${changed.join(', ')}`;
  await moveOrder(tx, config, order, { to: order.state, action: 'change_address', actor, reason, events: [] }, now);
}

const MEMBERS = [
  'contact_name',
  'company_name',
  'line1',
  'line2',
  'city',
  'county',
  'postcode',
  'country_code',
  'phone',
  'email',
] as const satisfies readonly (keyof StoredAddress)[];

/** Picks the members of an address that were sent, and nothing else of the body. */
function membersOf(change: AddressChange): Partial<StoredAddress> {
  return Object.fromEntries(
    MEMBERS.flatMap((name) => (change[name] === undefined ? [] : [[name, change[name]] as const])),
  );
}

function refuseElsewhere(book: CompiledBook, before: StoredAddress, after: StoredAddress): void {
  const where = whereElse(book, placeOf(before), placeOf(after));
  if (where === undefined) return;
  throw new ApiError(
    'conflict',
    `The new address is in another ${where}, where the order has another price. Cancel it and place it again.`,
  );
}

/** In what way a place has other prices than the one before; undefined where it has the same. */
function whereElse({ shipping, duty }: CompiledBook, from: Place, to: Place): string | undefined {
  const territory = territoryOf(from);
  if (territory !== territoryOf(to)) return 'territory';
  if (zoneOf(shipping, from)?.zone !== zoneOf(shipping, to)?.zone) return 'shipping zone';
  if (!hasSameDuty(duty, territory, from.countryCode, to.countryCode)) return 'country, with a duty of its own';
  return undefined;
}

function placeOf(address: StoredAddress): Place {
  return { countryCode: address.country_code, postcode: address.postcode };
}
