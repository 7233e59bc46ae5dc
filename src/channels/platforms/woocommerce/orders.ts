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
import { DECIMALS, decimalsOf, toScale } from './amounts.ts';
import { metaOf } from './meta.ts';
import { isTestPayment } from './test-payments.ts';

// Orders of `/wp-json/wc/v3/orders`. Plug-ins add to them and leave out of them, so that no member is taken for
// granted.

/** Orders that the buyer has not finished. */
const UNFINISHED = new Set(['checkout-draft', 'auto-draft', 'draft']);
const UNPAID = new Set(['pending', 'failed']);
const CANCELLED = new Set(['cancelled', 'refunded', 'trash']);
const KNOWN = new Set([...UNPAID, 'on-hold', 'processing', 'completed']);

const NOTE_MAX = 1_000;

/** Pieces of the lines of an order, by their ids. */
export type PiecesOfLines = ReadonlyMap<string, number>;

/** An order as read from WooCommerce; undefined for an unfinished one. Pure. */
export function readWooOrder(
  json: unknown,
  { refunded = new Map(), sent = new Map() }: { readonly refunded?: PiecesOfLines; readonly sent?: PiecesOfLines } = {},
): ReadOrder | undefined {
  if (!isMembers(json)) return { kind: 'unreadable', id: '', message: 'An order is no object.' };
  const id = textOf(json.id);
  const status = statusOf(json);
  if (UNFINISHED.has(status)) return undefined;
  if (isOfFeesAlone(json)) return { kind: 'nothing', id };
  const orderedAt = timeOf(json.date_created_gmt);
  const updatedAt = timeOf(json.date_modified_gmt) ?? orderedAt;
  const lines = arrayOf(json.line_items).filter(isMembers);
  if (id === '' || orderedAt === undefined || updatedAt === undefined) {
    return { kind: 'unreadable', id, message: 'An order has no id or no time, by a plug-in of the shop.' };
  }
  if (lines.length > LINES_MAX) {
    return { kind: 'unreadable', id, message: `The order has ${lines.length} lines; ${LINES_MAX} can be read.` };
  }
  const items = lines.flatMap((line) => itemOf(line, refunded, sent));
  const isCancelled = CANCELLED.has(status) || (lines.length > 0 && items.length === 0);
  const order: ShopOrder = {
    id,
    number: `#${clipped(textOf(json.number) || id, 99)}`,
    ordered_at: orderedAt,
    updated_at: updatedAt,
    ...flags(json, status, isCancelled),
    ...optional('shipping_method', clipped(textOf(firstOf(json.shipping_lines).method_title), TEXT_MAX)),
    ...optional('note', clipped(textOf(json.customer_note), NOTE_MAX)),
    shipping_address: addressOf(json),
    items: items.length > 0 ? items : lines.slice(0, 1).flatMap((line) => itemOf(line, new Map())),
  };
  if (order.items.length === 0) return { kind: 'unreadable', id, message: 'The order has no lines.' };
  return { kind: 'order', order };
}

/**
 * Whether nothing of an order is a thing, as of one for a service.
 * Its fees and its shipping must be all of its money: lines that a plug-in has taken away would be missing.
 */
function isOfFeesAlone(json: Members): boolean {
  const fees = arrayOf(json.fee_lines).filter(isMembers);
  if (!Array.isArray(json.line_items) || json.line_items.length > 0 || fees.length === 0) return false;
  const amounts = [...fees.map(({ total }) => total), json.shipping_total, json.total_tax];
  const missing = toScale(json.total) - amounts.reduce<bigint>((sum, one) => sum + toScale(one), 0n);
  // Each is rounded by itself.
  const rounded = BigInt(amounts.length) * 10n ** BigInt(DECIMALS - decimalsOf(json.total));
  return missing < rounded && missing > -rounded;
}

/** What was completed before it was put into the bin is put away, and not cancelled. */
function statusOf(json: Members): string {
  const status = textOf(json.status);
  const before = textOf(metaOf(json, '_wp_trash_meta_status'));
  return status === 'trash' && /^(wc-)?completed$/.test(before) ? 'completed' : status;
}

/** The time of an order's last change, for where the list goes on. */
export function changedAt(json: unknown): string | undefined {
  return isMembers(json) ? timeOf(json.date_modified_gmt) : undefined;
}

/** Whether part of an order was refunded, so that its refunds must be read. */
export function hasRefunds(json: unknown): boolean {
  return isMembers(json) && arrayOf(json.refunds).length > 0;
}

/** How many pieces of each line were refunded. Pure. */
export function refundedPieces(refunds: unknown): Map<string, number> {
  const pieces = new Map<string, number>();
  for (const refund of arrayOf(refunds).filter(isMembers)) {
    for (const line of arrayOf(refund.line_items).filter(isMembers)) {
      const id = refundedLine(line);
      const quantity = Math.abs(Number(line.quantity ?? 0));
      if (id !== '' && quantity > 0 && Number.isFinite(quantity)) pieces.set(id, (pieces.get(id) ?? 0) + quantity);
    }
  }
  // A shop may refund half a piece, and is sent the whole of it.
  return new Map([...pieces].flatMap(([id, quantity]) => (quantity < 1 ? [] : [[id, Math.floor(quantity)]])));
}

/** The id of the line that a line of a refund is about; it may be about money alone. Pure. */
export function refundedLine(line: Members): string {
  const of = arrayOf(line.meta_data)
    .filter(isMembers)
    .find(({ key }) => key === '_refunded_item_id');
  return textOf(of?.value);
}

/** Whether something of an order was sent as a fulfilment of WooCommerce's own. */
export function hasFulfilments(json: unknown): boolean {
  return isMembers(json) && SENT.has(textOf(metaOf(json, '_fulfillment_status')));
}

/** What the order's own mark says once a fulfilment is sent (WooCommerce 10.1, `FulfillmentUtils`). */
const SENT = new Set(['partially_fulfilled', 'fulfilled']);

/** How many pieces of each line were sent; what is packed and not sent may be taken back. Pure. */
export function sentPieces(fulfilments: unknown): Map<string, number> {
  const pieces = new Map<string, number>();
  for (const one of arrayOf(fulfilments).filter(isMembers)) {
    if (one.is_fulfilled !== true && textOf(one.status) !== 'fulfilled') continue;
    for (const { item_id: item, qty } of arrayOf(metaOf(one, '_items')).filter(isMembers)) {
      const quantity = Math.round(Number(qty ?? 0));
      if (quantity > 0) pieces.set(textOf(item), (pieces.get(textOf(item)) ?? 0) + quantity);
    }
  }
  return pieces;
}

function flags(json: Members, status: string, isCancelled: boolean): Partial<ShopOrder> {
  return {
    ...(isTestPayment(json) ? { test: true } : {}),
    ...(isCancelled ? { cancelled: true } : {}),
    ...(UNPAID.has(status) ? { unpaid: true } : {}),
    ...(status === 'on-hold' && !isCancelled ? { on_hold: true } : {}),
    // A status of a plug-in says nothing that is known here, so that the shop must move the order on.
    ...(isCancelled || KNOWN.has(status) ? {} : { unknown_status: true }),
    ...(status === 'completed' ? { fulfilled: true } : {}),
  };
}

function itemOf(line: Members, refunded: PiecesOfLines, sent: PiecesOfLines = new Map()): ShopItem[] {
  const id = textOf(line.id);
  const quantity = Math.min(Math.round(Number(line.quantity ?? 0)) - (refunded.get(id) ?? 0), PIECES_MAX);
  if (id === '' || !(quantity > 0)) return [];
  const sentQuantity = Math.min(sent.get(id) ?? 0, quantity);
  const variation = textOf(line.variation_id);
  const variant = variation === '' || variation === '0' ? textOf(line.product_id) : variation;
  const meta = arrayOf(line.meta_data)
    .filter(isMembers)
    .map((each) => ({ key: textOf(each.key), name: textOf(each.display_key), value: textOf(each.display_value) }))
    .filter(({ key, value }) => !key.startsWith('_') && value !== '');
  const options = meta.filter(({ key }) => key.startsWith('pa_')).map(({ value }) => value);
  const properties = meta
    .filter(({ key, name }) => !key.startsWith('pa_') && (name || key) !== '')
    .slice(0, PROPERTIES_MAX)
    .map(({ key, name, value }) => ({ name: clipped(name || key, TEXT_MAX), value: clipped(plain(value), VALUE_MAX) }));
  return [
    {
      id,
      ...(variant === '' || variant === '0' ? {} : { variant_id: variant }),
      ...optional('sku', clipped(textOf(line.sku), TEXT_MAX)),
      title: clipped(textOf(line.name), TEXT_MAX) || 'An item without a name',
      ...optional('options', clipped(plain(options.join(' / ')), TEXT_MAX)),
      quantity,
      ...(sentQuantity > 0 ? { sent_quantity: sentQuantity } : {}),
      ...(properties.length === 0 ? {} : { properties }),
    },
  ];
}

/** An order that names no other address is sent to the one of its bill. */
function addressOf(json: Members): ShopOrder['shipping_address'] {
  const billing = isMembers(json.billing) ? json.billing : {};
  const shipping = isMembers(json.shipping) && textOf(json.shipping.address_1) !== '' ? json.shipping : billing;
  const name = [shipping.first_name, shipping.last_name].map(textOf).filter((part) => part !== '');
  return addressWith({
    contact_name: name.join(' ') || textOf(shipping.company),
    company_name: textOf(shipping.company),
    line1: textOf(shipping.address_1),
    line2: textOf(shipping.address_2),
    city: textOf(shipping.city),
    county: textOf(shipping.state),
    postcode: textOf(shipping.postcode),
    country_code: textOf(shipping.country),
    phone: textOf(shipping.phone) || textOf(billing.phone),
    email: textOf(billing.email),
  });
}

/** WooCommerce leaves out that its times are of Greenwich. */
function timeOf(value: unknown): string | undefined {
  const text = textOf(value);
  const time = Date.parse(/Z$|[+-]\d\d:\d\d$/.test(text) ? text : `${text}Z`);
  return Number.isNaN(time) ? undefined : isoTime(new Date(time));
}

/** What is shown of an option or an entry may be a piece of a page. */
function plain(text: string): string {
  return text
    .replace(/<[^>]*>/g, '')
    .replaceAll('&amp;', '&')
    .trim();
}

function firstOf(value: unknown): Members {
  const [first] = arrayOf(value);
  return isMembers(first) ? first : {};
}
