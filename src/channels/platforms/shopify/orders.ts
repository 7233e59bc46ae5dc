import { isoTime } from '../../../lib/clock.ts';
import type { ShopItem, ShopOrder } from '../../shop-order.ts';
import { arrayOf, isMembers, type Members, textOf } from '../members.ts';
import {
  addressWith,
  clipped,
  LINES_MAX,
  optional,
  PIECES_MAX,
  PROPERTIES_MAX,
  TEXT_MAX,
  VALUE_MAX,
} from '../order-members.ts';
import type { ReadOrder } from '../port.ts';
import { membersOf, nodesOf, numberOf } from './ask.ts';

// Orders of the GraphQL Admin API. What is scalar and cannot be null there is held to be missing all the same.

/** What is read of an order beside its lines. */
export const SHOPIFY_ORDER_FIELDS = `id name createdAt processedAt updatedAt cancelledAt test email phone note
  displayFinancialStatus displayFulfillmentStatus risk { recommendation } shippingLine { title }
  shippingAddress { firstName lastName name company address1 address2 city province provinceCode zip countryCodeV2 phone }
  fulfillmentOrders(first: 10) {
    nodes { status requestStatus fulfillAt assignedLocation { location { id isFulfillmentService } } }
  }`;

/** What is read of a line. */
export const LINE_FIELDS = `id title sku variantTitle currentQuantity requiresShipping variant { id }
  customAttributes { key value } fulfillmentService { handle type }`;

const PAID = new Set(['PAID', 'PARTIALLY_REFUNDED']);
const SUSPECTED = new Set(['CANCEL', 'INVESTIGATE']);
/** What a fulfilment order of ours is while it is asked for, or may still be. */
const WANTED = new Set(['UNSUBMITTED', 'SUBMITTED', 'ACCEPTED', 'CANCELLATION_REJECTED']);
const TAKEN_BACK = new Set(['CANCELLATION_REQUESTED', 'CANCELLATION_ACCEPTED']);
const ASKED = new Set(['SUBMITTED', 'ACCEPTED', 'CANCELLATION_REJECTED']);
const ENDED = new Set(['CLOSED', 'CANCELLED', 'INCOMPLETE']);

const NOTE_MAX = 1_000;

/** Which fulfilment service and location of a shop are ours; empty where there is none. */
export type OurPlace = { readonly handle: string; readonly locationId: string };

/** An order as it is read from Shopify. Pure. */
export function readShopifyOrder(json: Members, lines: readonly Members[], ours: OurPlace): ReadOrder {
  const id = numberOf(json.id);
  const orderedAt = earlierOf(timeOf(json.createdAt), timeOf(json.processedAt));
  const updatedAt = timeOf(json.updatedAt);
  if (id === '' || orderedAt === undefined || updatedAt === undefined) {
    return { kind: 'unreadable', id, message: 'An order has no id or no time.' };
  }
  if (lines.length > LINES_MAX) {
    return { kind: 'unreadable', id, message: `The order has more than ${LINES_MAX} lines.` };
  }
  const items = lines.flatMap((line) => itemOf(line, ours));
  const isEmpty = lines.length > 0 && items.length === 0;
  const order: ShopOrder = {
    id,
    number: clipped(textOf(json.name) || id, 100),
    ordered_at: orderedAt,
    updated_at: updatedAt,
    ...flags(json, nodesOf(json.fulfillmentOrders), { isEmpty, ours }),
    ...optional('shipping_method', clipped(textOf(membersOf(json.shippingLine).title), TEXT_MAX)),
    ...optional('note', clipped(textOf(json.note), NOTE_MAX)),
    shipping_address: shopifyAddress(json),
    items: isEmpty ? lines.slice(0, 1).flatMap((line) => itemOf({ ...line, currentQuantity: 1 }, ours)) : items,
  };
  if (order.items.length === 0) return { kind: 'unreadable', id, message: 'The order has no lines.' };
  return { kind: 'order', order };
}

function flags(
  json: Members,
  all: readonly Members[],
  { isEmpty, ours }: { readonly isEmpty: boolean; readonly ours: OurPlace },
): Partial<ShopOrder> {
  const others = all.filter((one) => isOfOtherService(one, ours));
  const open = all.filter((one) => !others.includes(one) && !ENDED.has(textOf(one.status)));
  const days = open
    .filter(({ status }) => status === 'SCHEDULED')
    .flatMap(({ fulfillAt }) => timeOf(fulfillAt) ?? [])
    .toSorted();
  const day = days.at(-1);
  const isCancelled = isEmpty || textOf(json.cancelledAt) !== '' || isTakenBack(all, ours);
  return {
    ...(json.test === true ? { test: true } : {}),
    ...(isCancelled ? { cancelled: true } : {}),
    ...(textOf(json.displayFulfillmentStatus) === 'FULFILLED' ? { fulfilled: true } : {}),
    ...(PAID.has(textOf(json.displayFinancialStatus)) ? {} : { unpaid: true }),
    ...(open.some(({ status }) => status === 'ON_HOLD') ? { on_hold: true } : {}),
    ...(SUSPECTED.has(textOf(membersOf(json.risk).recommendation)) ? { high_risk: true } : {}),
    ...(day === undefined ? {} : { scheduled_for: day }),
  };
}

/**
 * Whether the shop has taken back all that it had asked our service for.
 * Where that was granted, Shopify makes a new fulfilment order at our location that no one has asked for: it is not
 * to be made before its people do.
 */
function isTakenBack(all: readonly Members[], { locationId }: OurPlace): boolean {
  const own = all.filter((one) => locationId !== '' && locationOf(one).id === locationId);
  if (!own.some(({ requestStatus }) => TAKEN_BACK.has(textOf(requestStatus)))) return false;
  const isAsked = own.some(
    ({ status, requestStatus }) => ASKED.has(textOf(requestStatus)) && !ENDED.has(textOf(status)),
  );
  const isElsewhere = all.some(
    (one) =>
      !own.includes(one) && locationOf(one).isFulfillmentService !== true && WANTED.has(textOf(one.requestStatus)),
  );
  return !isAsked && !isElsewhere;
}

function isOfOtherService(one: Members, { locationId }: OurPlace): boolean {
  const location = locationOf(one);
  return location.isFulfillmentService === true && location.id !== locationId;
}

function locationOf(one: Members): Members {
  return membersOf(membersOf(one.assignedLocation).location);
}

function itemOf(line: Members, { handle }: OurPlace): ShopItem[] {
  const id = numberOf(line.id);
  const quantity = Math.min(Math.round(Number(line.currentQuantity ?? 0)), PIECES_MAX);
  if (id === '' || !(quantity > 0)) return [];
  const service = membersOf(line.fulfillmentService);
  const isOfOthers = service.type === 'THIRD_PARTY' && service.handle !== handle;
  const options = textOf(line.variantTitle);
  const properties = arrayOf(line.customAttributes)
    .filter(isMembers)
    .map(({ key, value }) => ({ name: clipped(textOf(key), TEXT_MAX), value: clipped(textOf(value), VALUE_MAX) }))
    .filter(({ name, value }) => name !== '' && value !== '' && !name.startsWith('_'))
    .slice(0, PROPERTIES_MAX);
  return [
    {
      id,
      ...optional('variant_id', numberOf(membersOf(line.variant).id)),
      ...optional('sku', clipped(textOf(line.sku), TEXT_MAX)),
      title: clipped(textOf(line.title), TEXT_MAX) || 'An item without a name',
      ...(options === 'Default Title' ? {} : optional('options', clipped(options, TEXT_MAX))),
      quantity,
      ...(isOfOthers || line.requiresShipping === false ? { made_by_others: true } : {}),
      ...(properties.length === 0 ? {} : { properties }),
    },
  ];
}

function shopifyAddress(json: Members): ShopOrder['shipping_address'] {
  const address = membersOf(json.shippingAddress);
  const names = [textOf(address.firstName), textOf(address.lastName)].filter((part) => part !== '').join(' ');
  return addressWith({
    contact_name: names || textOf(address.name),
    company_name: textOf(address.company),
    line1: textOf(address.address1),
    line2: textOf(address.address2),
    city: textOf(address.city),
    county: textOf(address.provinceCode) || textOf(address.province),
    postcode: textOf(address.zip),
    country_code: textOf(address.countryCodeV2),
    phone: textOf(address.phone) || textOf(json.phone),
    email: textOf(json.email),
  });
}

/** Shopify writes times to the second, some with the offset of the shop. */
function timeOf(value: unknown): string | undefined {
  const text = textOf(value);
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text)) return undefined;
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? undefined : isoTime(time);
}

/** An order that was taken over from elsewhere was made there before it was here. */
function earlierOf(one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Date.parse(other) < Date.parse(one) ? other : one;
}
