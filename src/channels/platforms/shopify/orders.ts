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
import { membersOf, numberOf } from './ask.ts';
import {
  type Assigned,
  FIRST_ASSIGNED,
  isEnded,
  isWaiting,
  type OurPlace,
  type PiecesBack,
  takenBack,
} from './fulfillment-orders.ts';
import { piecesOf, type SentOfLines } from './sent-pieces.ts';

// Orders of the GraphQL Admin API. What is scalar and cannot be null there is held to be missing all the same.

/** What is read of an order beside its lines. */
export const SHOPIFY_ORDER_FIELDS = `id name createdAt processedAt updatedAt cancelledAt test email phone note
  displayFinancialStatus displayFulfillmentStatus risk { recommendation assessments { riskLevel } } shippingLine { title }
  shippingAddress { firstName lastName name company address1 address2 city province provinceCode zip countryCodeV2 phone }
  ${FIRST_ASSIGNED}`;

/** What is read of a line. */
export const LINE_FIELDS = `id title sku variantTitle quantity currentQuantity unfulfilledQuantity requiresShipping
  variant { id } customAttributes { key value } fulfillmentService { handle type }`;

const PAID = new Set(['PAID', 'PARTIALLY_REFUNDED']);
const SUSPECTED = new Set(['CANCEL', 'INVESTIGATE']);
const NOTE_MAX = 1_000;

/**
 * An order as it is read from Shopify.
 * Its fulfilment orders have their lines, and it has the pieces that were sent, where what it is depends on them. Pure.
 */
export function readShopifyOrder(
  json: Members,
  lines: readonly Members[],
  {
    ours,
    assigned,
    sent = new Map(),
  }: { readonly ours: OurPlace; readonly assigned: readonly Assigned[]; readonly sent?: SentOfLines },
): ReadOrder {
  const id = numberOf(json.id);
  const orderedAt = earlierOf(timeOf(json.createdAt), timeOf(json.processedAt));
  const updatedAt = timeOf(json.updatedAt);
  if (id === '' || orderedAt === undefined || updatedAt === undefined) {
    return { kind: 'unreadable', id, message: 'An order has no id or no time.' };
  }
  if (lines.length > LINES_MAX) {
    return { kind: 'unreadable', id, message: `The order has more than ${LINES_MAX} lines.` };
  }
  const [back, delays] = [takenBack(assigned), delaysOf(assigned)];
  const items = lines.flatMap((line) => itemOf(line, { ours, back, sent, delays: delays.ofLines }));
  const isEmpty = lines.length > 0 && items.length === 0;
  const order: ShopOrder = {
    id,
    number: clipped(textOf(json.name) || id, 100),
    ordered_at: orderedAt,
    updated_at: updatedAt,
    ...flags(json, isEmpty),
    ...delays.ofAll,
    ...optional('shipping_method', clipped(textOf(membersOf(json.shippingLine).title), TEXT_MAX)),
    ...optional('note', clipped(textOf(json.note), NOTE_MAX)),
    shipping_address: shopifyAddress(json),
    items: isEmpty ? lines.slice(0, 1).flatMap((line) => itemOf({ ...line, currentQuantity: 1 }, { ours })) : items,
  };
  if (order.items.length === 0) return { kind: 'unreadable', id, message: 'The order has no lines.' };
  return { kind: 'order', order };
}

function flags(json: Members, isEmpty: boolean): Partial<ShopOrder> {
  return {
    ...(json.test === true ? { test: true } : {}),
    ...(isEmpty || textOf(json.cancelledAt) !== '' ? { cancelled: true } : {}),
    ...(textOf(json.displayFulfillmentStatus) === 'FULFILLED' ? { fulfilled: true } : {}),
    ...(PAID.has(textOf(json.displayFinancialStatus)) ? {} : { unpaid: true }),
    ...riskOf(membersOf(json.risk)),
  };
}

/** An assessment comes some time after its order; one that says no risk may be followed by another. */
function riskOf({ recommendation, assessments }: Members): Partial<ShopOrder> {
  if (SUSPECTED.has(textOf(recommendation))) return { high_risk: true };
  const isPending = arrayOf(assessments)
    .filter(isMembers)
    .some(({ riskLevel }) => textOf(riskLevel) === 'PENDING');
  return isPending ? { risk_pending: true } : {};
}

type Delay = { readonly on_hold?: true; readonly scheduled_for?: string };

/**
 * What an order waits for as a whole, and what its lines do.
 * Where all that is open waits, it is the order that does; else the lines of what waits, which may be others' alone.
 */
function delaysOf(assigned: readonly Assigned[]): {
  readonly ofAll: Delay;
  readonly ofLines: ReadonlyMap<string, Delay>;
} {
  const open = assigned.filter((one) => one.of !== 'others' && !isEnded(one));
  const waiting = open.filter(isWaiting);
  if (waiting.length === open.length) return { ofAll: delayOf(waiting), ofLines: new Map() };
  const lines = new Set(waiting.flatMap((one) => (one.lines ?? []).map(({ line }) => line)));
  const ofLines = [...lines].map((line): [string, Delay] => [
    line,
    delayOf(waiting.filter((one) => one.lines?.some((each) => each.line === line && each.left > 0))),
  ]);
  return { ofAll: {}, ofLines: new Map(ofLines) };
}

function delayOf(waiting: readonly Assigned[]): Delay {
  const day = waiting
    .filter(({ status }) => status === 'SCHEDULED')
    .flatMap(({ fulfillAt }) => timeOf(fulfillAt) ?? [])
    .toSorted()
    .at(-1);
  return {
    ...(waiting.some(({ status }) => status === 'ON_HOLD') ? { on_hold: true } : {}),
    ...(day === undefined ? {} : { scheduled_for: day }),
  };
}

type OfLines = {
  readonly ours: OurPlace;
  /** Pieces that were taken back, by the numbers of their lines. */
  readonly back?: ReadonlyMap<string, PiecesBack>;
  readonly sent?: SentOfLines;
  readonly delays?: ReadonlyMap<string, Delay>;
};

function itemOf(line: Members, { ours, back, sent: sentPieces = new Map(), delays }: OfLines): ShopItem[] {
  const id = numberOf(line.id);
  const current = piecesOf(line, sentPieces);
  const { all: gone, left: goneOpen } = back?.get(id) ?? { all: 0, left: 0 };
  const quantity = Math.min(current - gone, PIECES_MAX);
  if (id === '' || !(quantity > 0)) return [];
  // Without what was refunded before it was sent, as are the pieces: what is not open was sent.
  const open = Number(line.unfulfilledQuantity ?? current) - goneOpen;
  const sent = quantity - Math.min(Math.max(open, 0), quantity);
  const service = membersOf(line.fulfillmentService);
  const isOfOthers = service.type === 'THIRD_PARTY' && service.handle !== ours.handle;
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
      ...(sent > 0 ? { sent_quantity: sent } : {}),
      ...delays?.get(id),
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
