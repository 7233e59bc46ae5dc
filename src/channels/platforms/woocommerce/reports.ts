import { arrayOf, isMembers, type Members, textOf } from '../members.ts';
import { missingNote, missingPieces } from '../missing-pieces.ts';
import type { Facts, OrderReport, ReportedParcel, Shop } from '../port.ts';
import { ShopFault, writeTo } from '../shop-call.ts';
import { metaOf } from './meta.ts';
import { hasRefunds, refundedPieces } from './orders.ts';
import { hasWooRoute, thereInWoo, wooRows } from './there.ts';

/** The name under which a parcel keeps our id in the shop, so that it is reported once. */
const OUR_PARCEL = '_platen_shipment';
/** Where the best-known plug-in for tracking, and the pages that read it, keep parcels. */
const TRACKED = '_wc_shipment_tracking_items';

/**
 * Tells WooCommerce of an order.
 * Parcels are fulfilments by line where the shop has them switched on, else notes for the buyer and what a tracking
 * plug-in reads. Each is looked for in the shop first. The status is moved only of an order that is all ours.
 */
export async function reportToWoo(shop: Shop, report: OrderReport): Promise<Facts> {
  const path = `/wp-json/wc/v3/orders/${report.shopOrderId}`;
  const order = await thereInWoo(shop, 'orders', report.shopOrderId);
  if (order === undefined) return {};
  const hasFulfilments = await reportFulfilments(shop, path, report);
  if (!hasFulfilments) await reportNotes(shop, path, order, report);
  const missing = missingPieces(report, await piecesThere(shop, path, order, report));
  if (report.isCancelled) await noteOnce(shop, path, cancelNote(report), false);
  else if (missing.length > 0) {
    const { note, isIn } = missingNote(report, missing);
    await noteUnless(shop, path, isIn, { note: `${note}${report.isRefunded ? '' : REFUND}`, isForBuyer: false });
  }
  if (report.isComplete && report.isAllOurs && textOf(order.status) === 'processing') {
    await writeTo(shop, 'PUT', path, { status: 'completed' });
  }
  return { fulfilments: hasFulfilments };
}

/** Tells parcels as fulfilments; false where the shop has none. */
async function reportFulfilments(shop: Shop, path: string, { parcels, news }: OrderReport): Promise<boolean> {
  const answer = await fulfilmentsOf(shop, path);
  if (answer === undefined) return false;
  const known = arrayOf(answer).filter(isMembers);
  for (const parcel of parcels.filter(({ id }) => news.has(id))) {
    const before = known.find((one) => metaOf(one, OUR_PARCEL) === parcel.id);
    if (before === undefined) await writeTo(shop, 'POST', `${path}/fulfillments`, fulfilment(parcel));
    else await correct(shop, path, before, fulfilment(parcel));
  }
  return true;
}

/**
 * Brings a fulfilment to what the parcel is now.
 * WooCommerce mails the buyer each time it is asked to, changed or not: another number alone is news for who waits.
 */
async function correct(shop: Shop, path: string, before: Members, after: Members): Promise<void> {
  const isSame = (key: string): boolean => textOf(metaOf(before, key)) === textOf(metaOf(after, key));
  const isSent = before.is_fulfilled === true || textOf(before.status) === 'fulfilled';
  const isNews = !isSent || !isSame('_tracking_number');
  if (!isNews && isSame('_shipment_provider') && isSame('_tracking_url')) return;
  await writeTo(shop, 'PUT', `${path}/fulfillments/${textOf(before.id)}`, { ...after, notify_customer: isNews });
}

/**
 * The fulfilments of an order that is there; undefined where the shop has that feature off.
 * Throws `ShopFault` where only this request has found no page: WooCommerce was off for it.
 */
export async function fulfilmentsOf(shop: Shop, path: string): Promise<unknown> {
  const route = `${path}/fulfillments`;
  const answer = await shop.call('GET', route);
  if (answer !== undefined) return listIn(answer.json);
  // It was off the last time, too.
  if (shop.facts.fulfilments === false) return undefined;
  const hasRoute = await hasWooRoute(shop, /\/fulfillments$/);
  if (hasRoute === false) return undefined;
  // Where the shop does not list what it has: twice in a row, and not its order between them, is no moment.
  const again = hasRoute === undefined && (await shop.call('GET', path)) !== undefined;
  if (!again) throw new ShopFault('broken', 'This site has no page of fulfilments for a moment: WooCommerce was off.');
  return listIn((await shop.call('GET', route))?.json);
}

function listIn(json: unknown): unknown {
  return Array.isArray(json) ? json : isMembers(json) ? json.fulfillments : undefined;
}

function fulfilment({ id, carrier, number, url, items }: ReportedParcel): Members {
  const meta = {
    _items: items.map(({ shopItemId, quantity }) => ({ item_id: Number(shopItemId), qty: quantity })),
    _shipment_provider: carrier,
    _provider_name: carrier,
    _shipping_option: number === '' ? 'no-info' : 'manual-entry',
    ...(number === '' ? {} : { _tracking_number: number }),
    ...(url === null ? {} : { _tracking_url: url }),
    [OUR_PARCEL]: id,
  };
  return {
    status: 'fulfilled',
    is_fulfilled: true,
    notify_customer: true,
    meta_data: Object.entries(meta).map(([key, value]) => ({ id: 0, key, value })),
  };
}

async function reportNotes(shop: Shop, path: string, order: Members, { parcels, news }: OrderReport): Promise<void> {
  const reported = parcels.filter(({ id }) => news.has(id));
  if (reported.length === 0) return;
  for (const parcel of reported) await noteOnce(shop, path, parcelNote(parcel), true);
  const before = metaOf(order, TRACKED);
  const others = arrayOf(before).filter((one) => !isMembers(one) || !parcels.some(({ id }) => id === one.tracking_id));
  const ours = parcels
    .filter(({ number }) => number !== '')
    .map(({ id, carrier, number, url }) => ({
      tracking_id: id,
      tracking_provider: '',
      custom_tracking_provider: carrier,
      custom_tracking_link: url ?? '',
      tracking_number: number,
    }));
  if (ours.length > 0) await writeTo(shop, 'PUT', path, { meta_data: [{ key: TRACKED, value: [...others, ...ours] }] });
}

function parcelNote({ id, carrier, number, url, items }: ReportedParcel): string {
  const packed = items.map(({ title, quantity }) => `${quantity} × ${title}`).join(', ');
  const tracking = [carrier, number].filter((part) => part !== '').join(' ');
  return `Sent: ${packed}. ${tracking}${url === null ? '' : `, ${url}`} (${id})`;
}

function cancelNote({ reference, isRefunded }: OrderReport): string {
  return `The print shop has cancelled its order ${reference}: nothing of it will be sent.${isRefunded ? '' : REFUND}`;
}

const REFUND = ' Refund your buyer.';

/** Pieces of the lines that the shop has itself; what was refunded there is not among them. */
async function piecesThere(
  shop: Shop,
  path: string,
  order: Members,
  { cancelled, isCancelled }: OrderReport,
): Promise<ReadonlyMap<string, number>> {
  if (cancelled.length === 0 || isCancelled) return new Map();
  const refunds = hasRefunds(order) ? await wooRows(shop, `${path}/refunds?per_page=100`) : [];
  const refunded = refundedPieces(refunds);
  const lines = arrayOf(order.line_items).filter(isMembers);
  return new Map(
    lines.map((line) => [textOf(line.id), Number(line.quantity ?? 0) - (refunded.get(textOf(line.id)) ?? 0)]),
  );
}

/** Adds a note unless the order has it. */
async function noteOnce(shop: Shop, path: string, note: string, isForBuyer: boolean): Promise<void> {
  await noteUnless(shop, path, (text) => text.includes(note), { note, isForBuyer });
}

async function noteUnless(
  shop: Shop,
  path: string,
  isTold: (text: string) => boolean,
  { note, isForBuyer }: { readonly note: string; readonly isForBuyer: boolean },
): Promise<void> {
  const notes = (await wooRows(shop, `${path}/notes`)).filter(isMembers);
  if (notes.some((one) => isTold(textOf(one.note)))) return;
  await writeTo(shop, 'POST', `${path}/notes`, { note, customer_note: isForBuyer });
}
