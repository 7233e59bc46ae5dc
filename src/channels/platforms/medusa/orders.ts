import { parseTime } from '../../../lib/clock.ts';
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
import { ourPieces } from './our-parcels.ts';

// Orders of `/admin/orders`, as version 2 of Medusa answers them.

/** What is read of an order. Medusa answers with what is named, and little else. */
export const ORDER_FIELDS = [
  'id,display_id,status,created_at,updated_at,email,summary',
  '*items,*items.detail,*shipping_address,*billing_address,shipping_methods.id,shipping_methods.name',
  'payment_collections.updated_at,payment_collections.payments.provider_id',
  'payment_collections.payments.captured_at,payment_collections.payments.canceled_at',
  'fulfillments.id,fulfillments.canceled_at,fulfillments.metadata',
].join(',');

const PAID = new Set(['captured', 'partially_refunded']);
const UNPAID = new Set([
  'not_paid',
  'awaiting',
  'requires_action',
  'canceled',
  'partially_authorized',
  'partially_captured',
]);
const OVER = new Set(['completed', 'archived']);
/** The provider of a new shop, which approves of every payment: money comes by other ways, if it comes. */
const PROMISES_NOTHING = 'pp_system_default';

/** An order as it is read from Medusa; undefined for a draft. Pure. */
export function readMedusaOrder(json: unknown): ReadOrder | undefined {
  if (!isMembers(json)) return { kind: 'unreadable', id: '', message: 'An order is no object.' };
  const id = textOf(json.id);
  const status = textOf(json.status);
  if (status === 'draft') return undefined;
  const orderedAt = timeOf(json.created_at);
  const updatedAt = lastChange(json);
  const lines = inOrder(json.items);
  if (id === '' || orderedAt === undefined || updatedAt === undefined) {
    return { kind: 'unreadable', id, message: 'An order has no id or no time, by a plug-in of the shop.' };
  }
  if (lines.length > LINES_MAX) {
    return { kind: 'unreadable', id, message: `The order has ${lines.length} lines; ${LINES_MAX} can be read.` };
  }
  const items = lines.flatMap((line) => itemOf(line, leftOf(json, line)));
  const shown = items.length > 0 ? items : lines.slice(0, 1).flatMap((line) => itemOf(line, 1));
  if (shown.length === 0) return { kind: 'unreadable', id, message: 'The order has no lines.' };
  const number = textOf(json.display_id);
  const order: ShopOrder = {
    id,
    ...(number === '' ? {} : { number: `#${clipped(number, 99)}` }),
    ordered_at: orderedAt,
    updated_at: updatedAt,
    ...flags(json, status, items.length === 0),
    ...optional('shipping_method', clipped(textOf(inOrder(json.shipping_methods)[0]?.name), TEXT_MAX)),
    shipping_address: addressOf(json),
    items: shown,
  };
  return { kind: 'order', order };
}

/** Medusa answers what is in an order now in one sequence, now in another; that is no change of it. */
function inOrder(rows: unknown): Members[] {
  return arrayOf(rows)
    .filter(isMembers)
    .toSorted((one, other) => (textOf(one.id) < textOf(other.id) ? -1 : 1));
}

/** The time by which Medusa lists an order, for where the list goes on. */
export function listedAt(json: unknown): string | undefined {
  return isMembers(json) ? timeOf(json.updated_at) : undefined;
}

/** A payment changes without its order. */
function lastChange(json: Members): string | undefined {
  const payments = arrayOf(json.payment_collections).filter(isMembers);
  const times = [json, ...payments].map((one) => timeOf(one.updated_at)).filter((time) => time !== undefined);
  return times.toSorted().at(-1);
}

/**
 * What is left to be made of a line.
 * What the shop has packed itself is none of ours, and what we have sent stays in the order as it was placed. Returned
 * pieces were packed before; a line that is edited has its new quantity.
 */
function leftOf(json: Members, line: Members): number {
  return quantityOf(line) - Math.max(packedOf(line) - ourPieces(json, textOf(line.id)), 0);
}

function flags(json: Members, status: string, isNothingLeft: boolean): Partial<ShopOrder> {
  const isEmpty = !arrayOf(json.items).some((line) => isMembers(line) && quantityOf(line) > 0);
  const isCancelled = status === 'canceled' || isEmpty;
  const isOver = OVER.has(status);
  const payment = paymentOf(json);
  // Money that was given back, and what is not known here: the shop must move the order on.
  const isHeld = payment === 'unclear' || (status !== 'pending' && !isOver);
  return {
    ...(isCancelled ? { cancelled: true } : {}),
    ...(!isCancelled && payment === 'unpaid' ? { unpaid: true } : {}),
    ...(!isCancelled && isHeld ? { on_hold: true } : {}),
    ...((isNothingLeft && !isEmpty) || (isOver && isAnyOpen(json)) ? { fulfilled: true } : {}),
  };
}

/**
 * Whether the shop has the money, or a bank has promised it: many shops take it only once they send.
 * The payment of a new shop promises nothing, so that it counts once it is captured. What costs nothing is paid.
 */
function paymentOf(json: Members): 'paid' | 'unpaid' | 'unclear' {
  const status = textOf(json.payment_status);
  if (status === 'refunded') return 'unclear';
  if (isMembers(json.summary) && json.summary.current_order_total === 0) return 'paid';
  if (status === 'authorized') return isPromised(json) ? 'paid' : 'unpaid';
  return PAID.has(status) ? 'paid' : UNPAID.has(status) ? 'unpaid' : 'unclear';
}

function isPromised(json: Members): boolean {
  return !arrayOf(json.payment_collections)
    .filter(isMembers)
    .flatMap(({ payments }) => arrayOf(payments))
    .filter(isMembers)
    .some(
      (payment) =>
        textOf(payment.provider_id) === PROMISES_NOTHING &&
        textOf(payment.captured_at) === '' &&
        textOf(payment.canceled_at) === '',
    );
}

/** Whether pieces are neither packed by the shop nor sent by us. */
function isAnyOpen(json: Members): boolean {
  return arrayOf(json.items)
    .filter(isMembers)
    .some((line) => quantityOf(line) > packedOf(line));
}

function quantityOf({ detail, quantity }: Members): number {
  return numberOf((isMembers(detail) ? detail.quantity : undefined) ?? quantity);
}

/** Medusa calls what is packed fulfilled, and counts what was sent with it. */
function packedOf({ detail }: Members): number {
  return numberOf(isMembers(detail) ? detail.fulfilled_quantity : 0);
}

function itemOf(line: Members, left: number): ShopItem[] {
  const id = textOf(line.id);
  if (id === '' || !(left > 0)) return [];
  const properties = Object.entries(isMembers(line.metadata) ? line.metadata : {})
    .map(([name, value]) => ({ name: clipped(name.trim(), TEXT_MAX), value: clipped(entryOf(value), VALUE_MAX) }))
    .filter(({ name, value }) => name !== '' && !name.startsWith('_') && value !== '')
    .slice(0, PROPERTIES_MAX);
  return [
    {
      id,
      ...optional('variant_id', clipped(textOf(line.variant_id), TEXT_MAX)),
      ...optional('sku', clipped(textOf(line.variant_sku), TEXT_MAX)),
      title: clipped(textOf(line.title) || textOf(line.product_title), TEXT_MAX) || 'An item without a name',
      ...optional('options', clipped(textOf(line.variant_title), TEXT_MAX)),
      quantity: Math.min(Math.round(left), PIECES_MAX),
      ...(properties.length === 0 ? {} : { properties }),
    },
  ];
}

/** An order that names no other address is sent to the one of its bill. */
function addressOf(json: Members): ShopOrder['shipping_address'] {
  const billing = isMembers(json.billing_address) ? json.billing_address : {};
  const given = isMembers(json.shipping_address) ? json.shipping_address : {};
  const shipping = textOf(given.address_1) === '' ? billing : given;
  const name = [shipping.first_name, shipping.last_name].map(textOf).filter((part) => part !== '');
  return addressWith({
    contact_name: name.join(' ') || textOf(shipping.company),
    company_name: textOf(shipping.company),
    line1: textOf(shipping.address_1),
    line2: textOf(shipping.address_2),
    city: textOf(shipping.city),
    county: textOf(shipping.province),
    postcode: textOf(shipping.postal_code),
    country_code: textOf(shipping.country_code).toUpperCase(),
    phone: textOf(shipping.phone) || textOf(billing.phone),
    email: textOf(json.email),
  });
}

/** A storefront may keep an object with a line; what reads as one value is an entry of the buyer. */
function entryOf(value: unknown): string {
  return typeof value === 'boolean' ? String(value) : textOf(value);
}

function timeOf(value: unknown): string | undefined {
  const text = textOf(value);
  return parseTime(text) === undefined ? undefined : text;
}

function numberOf(value: unknown): number {
  const number = Number(value ?? 0);
  return Number.isFinite(number) ? number : 0;
}
