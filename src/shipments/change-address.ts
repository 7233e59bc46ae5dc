import { isCountryCode, unknownCountry } from '../lib/countries.ts';
import { ApiError, validationFailed } from '../lib/errors.ts';
import { actorOf, type Once, type Operator } from '../lib/operator.ts';
import type { OrdersContext } from '../orders/context.ts';
import { moveOrder } from '../orders/move-order.ts';
import { operateOn } from '../orders/operate.ts';
import type { OpsOrder } from '../orders/ops-schema.ts';
import type { StoredAddress } from '../orders/order-columns.ts';
import { refreshSearch } from '../orders/search/fill-search.ts';
import { isCancellable, type OrderState } from '../orders/status.ts';
import { ADDRESS_WARNINGS, addressWarnings } from '../pricing/quote.ts';
import { bookAt } from '../pricing/reference.ts';
import { type ShippingTable, zoneOf } from '../pricing/shipping.ts';
import { territoryOf } from '../pricing/territory.ts';
import type { AddressChange, ChangeAddressBody } from './schema.ts';
import { readAddress, updateAddress } from './sql.ts';

export type ChangeAddressRequest = { readonly id: string; readonly body: ChangeAddressBody; readonly once: Once };

/**
 * Changes the address of an order before it is dispatched (operating, `PATCH /orders/{id}/address`).
 * Changes only the members that were sent. The amounts stay, so the new address must lie in the same territory for
 * VAT and duty and in the same shipping zone: 409 otherwise, as for an order that is dispatched or cancelled.
 * Shipments that were sent keep their address; the history says which members changed, without their values. Warnings
 * of the old address make way for those of the new one. Throws 404, and 422 for a country that does not exist.
 */
export async function changeAddress(
  ctx: OrdersContext,
  operator: Operator,
  request: ChangeAddressRequest,
): Promise<OpsOrder> {
  const { shipping_address: wrapped, ...plain } = request.body;
  const change: AddressChange = { ...plain, ...wrapped };
  const prefix = wrapped?.country_code === undefined ? '' : 'shipping_address.';
  const members = membersOf(change);
  if (Object.keys(members).length === 0) {
    throw validationFailed([{ path: '', code: 'required', message: 'Send the members of the address that change.' }]);
  }
  const country = members.country_code;
  if (country !== undefined && !isCountryCode(country)) {
    throw validationFailed([unknownCountry(country, `${prefix}country_code`)]);
  }
  const { pricing } = await ctx.prices.latest();
  // Names, not values: what belongs to the recipient stands in the row of the order alone.
  const act = { action: 'change_address', detail: { changed: Object.keys(members) } };
  return operateOn(ctx, operator, request, act, async (tx, order, now) => {
    const orderId = order.id;
    refuseState(order.state);
    const { shipping_address: before, warnings } = await readAddress(tx, order.account_id, orderId);
    const after = { ...before, ...members };
    refuseElsewhere(bookAt(pricing, now).shipping, before, after);
    if (MEMBERS.every((name) => before[name] === after[name])) return;
    await updateAddress(tx, {
      accountId: order.account_id,
      orderId,
      address: after,
      warnings: [
        ...warnings.filter(({ code }) => !ADDRESS_WARNINGS.includes(code)),
        ...addressWarnings({ ...placeOf(after), county: after.county, phone: after.phone }),
      ],
    });
    await refreshSearch(tx, order.account_id, orderId);
    const changed = MEMBERS.filter((name) => (before[name] ?? '') !== (after[name] ?? ''));
    const reason = `changed: ${changed.join(', ')}`;
    const actor = actorOf(operator);
    const move = { to: order.state, action: 'change_address', actor, reason, events: [] };
    await moveOrder(tx, ctx.config, order, move, now);
  });
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

function refuseState(state: OrderState): void {
  if (isCancellable(state)) return;
  throw new ApiError('conflict', `This order is ${state}, so its address can no longer be changed.`);
}

function refuseElsewhere(table: ShippingTable, before: StoredAddress, after: StoredAddress): void {
  const [from, to] = [placeOf(before), placeOf(after)];
  const sameTerritory = territoryOf(from) === territoryOf(to);
  if (sameTerritory && zoneOf(table, from)?.zone === zoneOf(table, to)?.zone) return;
  throw new ApiError(
    'conflict',
    `The new address is in another ${sameTerritory ? 'shipping zone' : 'territory'}, where the order has another price. Cancel it and place it again.`,
  );
}

function placeOf(address: StoredAddress) {
  return { countryCode: address.country_code, postcode: address.postcode };
}
