import { arrayOf, isMembers, type Members, textOf } from '../members.ts';
import { missingNote, missingPieces } from '../missing-pieces.ts';
import type { Facts, OrderReport, ReportedParcel, Shop } from '../port.ts';
import { ShopFault, writeTo } from '../shop-call.ts';
import { isGoneFromMedusa } from './gone.ts';
import { findParcel, markedPieces, type Piece, parcelMark } from './our-parcels.ts';

const FIELDS = [
  'id,status,metadata,*items,*items.detail,shipping_methods.shipping_option_id',
  'fulfillments.id,fulfillments.shipped_at,fulfillments.canceled_at,fulfillments.metadata,*fulfillments.labels',
].join(',');

/**
 * Tells Medusa of an order.
 * A parcel is a fulfilment of its pieces that was shipped, with its tracking number. It is looked for in the shop
 * first, and a fulfilment that is not shipped yet goes on, so that a repeat makes no second one. What Medusa has no
 * place for stands in the metadata of the order, which its people see. The order is not cancelled: Medusa would give
 * the buyer's money back with it, and that is for its people to say.
 */
export async function reportToMedusa(shop: Shop, report: OrderReport): Promise<Facts> {
  for (const parcel of report.parcels.filter(({ id }) => report.news.has(id))) {
    await tellParcel(shop, report.shopOrderId, parcel);
  }
  if (report.isCancelled) await tellCancel(shop, report);
  else if (report.cancelled.length > 0) await tellPieces(shop, report);
  return {};
}

/** Tells of pieces that will not be sent, but for those that the shop's people took back. */
async function tellPieces(shop: Shop, report: OrderReport): Promise<void> {
  const order = await orderAt(shop, report.shopOrderId);
  if (order === undefined || textOf(order.status) === 'canceled') return;
  const lines = arrayOf(order.items).filter(isMembers);
  const there = lines.map((line): [string, number] => {
    const { quantity = line.quantity } = isMembers(line.detail) ? line.detail : {};
    return [textOf(line.id), Number(quantity ?? 0)];
  });
  const missing = missingPieces(report, new Map(there));
  if (missing.length === 0) return;
  const { note, isIn } = missingNote(report, missing);
  if (isIn(textOf(metadataOf(order).platen_cancelled_pieces))) return;
  await noteOnce(shop, order, { platen_cancelled_pieces: `${note} Refund your buyer.` });
}

/** Its people know of a cancel of their own, and Medusa takes no note for a cancelled order. */
async function tellCancel(shop: Shop, { shopOrderId, reference }: OrderReport): Promise<void> {
  const order = await orderAt(shop, shopOrderId);
  if (order === undefined || textOf(order.status) === 'canceled') return;
  const note = `The print shop has cancelled its order ${reference}: nothing of it will be sent. Refund your buyer.`;
  await noteOnce(shop, order, { platen_cancelled: note });
}

async function tellParcel(shop: Shop, orderId: string, parcel: ReportedParcel): Promise<void> {
  const order = await orderAt(shop, orderId);
  if (order === undefined) return;
  const known = findParcel(order, parcel.id);
  const pieces = known === undefined ? openPieces(order, parcel) : [];
  if (known === undefined && pieces.length === 0) {
    await noteOnce(shop, order, { [`platen_${parcel.id}`]: parcelNote(parcel) });
    return;
  }
  const fulfilment = known ?? (await fulfil(shop, { order, parcel, pieces }));
  if (textOf(fulfilment.shipped_at) === '') {
    await writeTo(shop, 'POST', `${pathOf(order)}/fulfillments/${textOf(fulfilment.id)}/shipments`, {
      // Medusa refuses more than was fulfilled, and of what the shop has sent itself nothing was.
      items: markedPieces(fulfilment),
      labels: labelsOf(parcel),
    });
    return;
  }
  const isTold = parcel.number === '' || arrayOf(fulfilment.labels).some((label) => numberOn(label) === parcel.number);
  // The labels of what is shipped cannot be changed.
  if (!isTold) await noteOnce(shop, order, { [`platen_${parcel.id}`]: parcelNote(parcel) });
}

/** Of a parcel what the shop has not packed itself meanwhile. */
function openPieces(order: Members, { items }: ReportedParcel): Piece[] {
  if (textOf(order.status) === 'canceled') return [];
  const lines = arrayOf(order.items).filter(isMembers);
  return items.flatMap(({ shopItemId, quantity }) => {
    const line = lines.find(({ id }) => id === shopItemId);
    const detail = isMembers(line?.detail) ? line.detail : {};
    const open = Number(detail.quantity ?? line?.quantity ?? 0) - Number(detail.fulfilled_quantity ?? 0);
    const pieces = Math.min(quantity, open);
    return pieces > 0 ? [{ id: shopItemId, quantity: pieces }] : [];
  });
}

/**
 * Makes the fulfilment of a parcel, from the place that its shipping option belongs to.
 * Medusa takes the first option of an order, and refuses goods of another profile: then the next one is tried. A
 * refusal has made nothing.
 */
async function fulfil(
  shop: Shop,
  of: { readonly order: Members; readonly parcel: ReportedParcel; readonly pieces: readonly Piece[] },
): Promise<Members> {
  const { order, parcel, pieces } = of;
  const options = new Set(
    arrayOf(order.shipping_methods)
      .filter(isMembers)
      .map((method) => textOf(method.shipping_option_id)),
  );
  let refusal = new ShopFault('rejected', 'The shop has no way of shipping for this order.');
  for (const option of options.size === 0 ? [''] : options) {
    const query = new URLSearchParams({ fields: FIELDS }).toString();
    const body = {
      items: pieces,
      ...(option === '' ? {} : { shipping_option_id: option }),
      metadata: parcelMark(parcel.id, pieces),
    };
    const answer = await writeTo(shop, 'POST', `${pathOf(order)}/fulfillments?${query}`, body).catch(refusalOf);
    if (answer instanceof ShopFault) {
      refusal = answer;
      continue;
    }
    const made =
      isMembers(answer.json) && isMembers(answer.json.order) ? findParcel(answer.json.order, parcel.id) : undefined;
    if (made === undefined) throw new ShopFault('rejected', 'The shop made a fulfilment, and does not show it.');
    return made;
  }
  throw refusal;
}

/** A refusal of one request; throws every other error. */
function refusalOf(error: unknown): ShopFault {
  if (error instanceof ShopFault && error.kind === 'rejected') return error;
  throw error;
}

function labelsOf({ number, url }: ReportedParcel): Members[] {
  if (number === '') return [];
  const isAddress = url !== null && /^https?:\/\//i.test(url);
  return [{ tracking_number: number, tracking_url: isAddress ? url : '', label_url: '' }];
}

function numberOn(label: unknown): string {
  return isMembers(label) ? textOf(label.tracking_number) : '';
}

function parcelNote({ carrier, number, url, items }: ReportedParcel): string {
  const packed = items.map(({ title, quantity }) => `${quantity} × ${title}`).join(', ');
  const tracking = [carrier, number].filter((part) => part !== '').join(' ');
  return `Sent: ${packed}. ${tracking}${url === null ? '' : `, ${url}`}`;
}

const pathOf = ({ id }: Members): string => `/admin/orders/${textOf(id)}`;

/** An order as the shop has it; undefined once it is gone. Throws `ShopFault` where neither is known. */
async function orderAt(shop: Shop, id: string): Promise<Members | undefined> {
  const answer = await shop.call('GET', `${pathOf({ id })}?${new URLSearchParams({ fields: FIELDS }).toString()}`);
  if (isMembers(answer?.json) && isMembers(answer.json.order)) return answer.json.order;
  if (answer === undefined && (await isGoneFromMedusa(shop, 'orders', id))) return undefined;
  throw new ShopFault('broken', 'The shop does not give out an order that its list says is there.');
}

/** Adds to the metadata of an order unless it stands there; Medusa leaves what else is there. */
async function noteOnce(shop: Shop, order: Members, note: Readonly<Record<string, string>>): Promise<void> {
  const before = metadataOf(order);
  if (Object.entries(note).every(([name, text]) => before[name] === text)) return;
  await writeTo(shop, 'POST', pathOf(order), { metadata: note });
}

function metadataOf({ metadata }: Members): Members {
  return isMembers(metadata) ? metadata : {};
}
