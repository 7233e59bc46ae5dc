import { arrayOf, isMembers, type Members, textOf } from '../members.ts';
import { cancelledInAll, missingPieces } from '../missing-pieces.ts';
import type { Facts, OrderReport, ReportedParcel, Shop } from '../port.ts';
import { ShopFault, WAITS_FOR_SHOP } from '../shop-call.ts';
import { ask, change, gidOf, membersOf } from './ask.ts';
import {
  type Assigned,
  FIRST_ASSIGNED,
  isWaiting,
  readAssigned,
  readAssignedLines,
  TOO_MANY_ASSIGNED,
} from './fulfillment-orders.ts';
import { FIRST_FULFILMENTS, packedIn, standingFulfilments } from './fulfilments.ts';
import { refuseHidden } from './hidden.ts';
import { type OpenLine, type OrderPart, orderPartsOf } from './parts.ts';
import { refundableLines } from './refunds.ts';
import { claimedIn, fulfilledBy, type KnownFulfilment, mayBeOf, type Written } from './reported-parcels.ts';
import { ourPlace } from './set-up.ts';
import { begunWith, keepWritten, WRITTEN_FIELDS, writtenIn } from './written-parcels.ts';

const READ = `query KnownToShop($id: ID!) {
  order(id: $id) {
    id cancelledAt
    ${WRITTEN_FIELDS}
    ${FIRST_FULFILMENTS}
    ${FIRST_ASSIGNED}
  }
}`;

const CREATE = `mutation Sent($fulfillment: FulfillmentInput!) {
  fulfillmentCreate(fulfillment: $fulfillment) { fulfillment { id } userErrors { field } }
}`;

const CORRECT = `mutation Correct($id: ID!, $tracking: FulfillmentTrackingInput!) {
  fulfillmentTrackingInfoUpdate(fulfillmentId: $id, trackingInfoInput: $tracking, notifyCustomer: true) {
    fulfillment { id } userErrors { field }
  }
}`;

const CLOSE = `mutation Close($id: ID!, $message: String) {
  fulfillmentOrderClose(id: $id, message: $message) { fulfillmentOrder { id } userErrors { field } }
}`;

const REJECT = `mutation Reject($id: ID!, $message: String) {
  fulfillmentOrderRejectFulfillmentRequest(id: $id, message: $message) { fulfillmentOrder { id } userErrors { field } }
}`;

const ACCEPT = `mutation Accept($id: ID!) {
  fulfillmentOrderAcceptFulfillmentRequest(id: $id) { fulfillmentOrder { id } userErrors { field } }
}`;

/** Characters that a tag may have. */
const TAG_MAX = 40;

const TAG = `mutation Tag($id: ID!, $tags: [String!]!) { tagsAdd(id: $id, tags: $tags) { node { id } userErrors { field } } }`;

/**
 * Tells Shopify of an order.
 * A parcel is a fulfilment for each location that its lines are at. Which fulfilment is which parcel is written in the
 * order; one that was made before that was written is known by its number and by what is in it.
 */
export async function reportToShopify(shop: Shop, report: OrderReport): Promise<Facts> {
  const { order } = await ask(shop, READ, { id: gidOf('Order', report.shopOrderId) });
  if (!isMembers(order)) {
    if (report.news.size > 0 || report.cancelled.length > 0) refuseHidden(shop, report.orderedAt);
    return {};
  }
  const orders = await fulfillmentOrdersOf(order, shop);
  const hasNews = report.parcels.some(({ id }) => report.news.has(id));
  const isHeld = hasNews && (await tellParcels(shop, order, orders, report)) === 'held';
  if (report.isCancelled && textOf(order.cancelledAt) === '') await tellCancel(shop, order, orders, report);
  else if (report.cancelled.length > 0 && textOf(order.cancelledAt) === '') await tellPieces(shop, order, report);
  if (report.isComplete && textOf(order.cancelledAt) === '') await giveBackRest(shop, orders, report);
  if (isHeld) throw new ShopFault('rejected', HELD, undefined, WAITS_FOR_SHOP);
  return {};
}

/** Ours first; those of other services are left to them. */
async function fulfillmentOrdersOf(order: Members, shop: Shop): Promise<Assigned[]> {
  const all = await readAssigned(shop, order, ourPlace(shop.facts));
  if (all === undefined) throw new ShopFault('rejected', TOO_MANY_ASSIGNED);
  return all
    .filter((one) => one.of !== 'others')
    .toSorted((one, other) => Number(other.of === 'us') - Number(one.of === 'us'));
}

/**
 * Reports the parcels that are news, each as far as the shop does not know it.
 * That they are begun is written first: whatever answer is lost, and whatever number is corrected meanwhile, the next
 * report finds what there is of them.
 */
async function tellParcels(
  shop: Shop,
  order: Members,
  orders: readonly Assigned[],
  { parcels, news }: OrderReport,
): Promise<'reported' | 'held'> {
  const written = writtenIn(order);
  const known = await knownFulfilments(shop, order, { parcels, news, written });
  const reported = fulfilledBy(parcels, known, { written, news });
  const made = new Map<string, readonly string[]>();
  const due: { readonly parcel: ReportedParcel; readonly parts: readonly OrderPart[] }[] = [];
  const held = new Set<string>();
  let lines: readonly OpenLine[] | undefined;
  for (const parcel of parcels) {
    const { ids, left: items } = reported.get(parcel.id) ?? { ids: [], left: parcel.items };
    if (ids.length > 0 || news.has(parcel.id)) made.set(parcel.id, ids);
    if (!news.has(parcel.id)) continue;
    await correct(shop, ids, known, parcel);
    if (items.length === 0) continue;
    lines ??= await openLines(shop, orders);
    const left = lines.map((line) => ({ ...line }));
    const parts = orderPartsOf({ items }, left);
    if (parts.flat().some(({ fulfillmentOrderId: id }) => orders.some((one) => one.id === id && isWaiting(one)))) {
      held.add(parcel.id);
      continue;
    }
    lines = left;
    if (parts.length > 0) due.push({ parcel, parts });
  }
  const before = { made: { ...written.made, ...Object.fromEntries(made) }, begun: written.begun };
  const parcelsDue = due.map(({ parcel }) => parcel);
  const begun = { ...written, begun: begunWith(before, parcelsDue, known) };
  await keepWritten(shop, textOf(order.id), written, begun);
  for (const { parcel, parts } of due) {
    made.set(parcel.id, [...(made.get(parcel.id) ?? []), ...(await send(shop, parcel, parts))]);
  }
  const isOpen = (id: string): boolean => held.has(id) || parcels.every((parcel) => parcel.id !== id);
  await keepWritten(shop, textOf(order.id), begun, {
    made: { ...written.made, ...Object.fromEntries(made) },
    begun: Object.fromEntries(Object.entries(begun.begun).filter(([id]) => isOpen(id))),
  });
  return held.size > 0 ? 'held' : 'reported';
}

const HELD =
  'The shop holds this order, or has put it off to a day, and takes no parcel before that ends. It is reported then by itself.';

/**
 * The fulfilments of an order that stand.
 * What is in one is read only where that tells whether it is a parcel, and what is left of that.
 */
async function knownFulfilments(
  shop: Shop,
  order: Members,
  by: {
    readonly parcels: readonly ReportedParcel[];
    readonly news: ReadonlySet<string>;
    readonly written: Written;
  },
): Promise<KnownFulfilment[]> {
  const { parcels, news, written } = by;
  const standing = (await standingFulfilments(shop, order)).map((one) => ({
    id: textOf(one.id),
    numbers: arrayOf(one.trackingInfo)
      .filter(isMembers)
      .map(({ number }) => textOf(number)),
  }));
  const claimed = claimedIn(written.made);
  const ofParcel = ({ id }: ReportedParcel): readonly string[] => written.made[id] ?? [];
  const isWanted = (one: KnownFulfilment): boolean =>
    parcels.some((parcel) => {
      if (claimed.has(one.id)) return news.has(parcel.id) && ofParcel(parcel).includes(one.id);
      const isWhole = !news.has(parcel.id) && standing.some(({ id }) => ofParcel(parcel).includes(id));
      return !isWhole && mayBeOf(one, parcel, written.begun);
    });
  const known: KnownFulfilment[] = [];
  for (const one of standing) known.push(isWanted(one) ? { ...one, items: await packedIn(shop, one.id) } : one);
  return known;
}

/**
 * The lines that can be sent, with how many pieces are left.
 * A request that waits for our word is accepted first.
 */
async function openLines(shop: Shop, orders: readonly Assigned[]): Promise<OpenLine[]> {
  const lines: OpenLine[] = [];
  for (const { id, status, requestStatus, locationId } of orders) {
    if (status !== 'OPEN' && status !== 'IN_PROGRESS' && status !== 'ON_HOLD' && status !== 'SCHEDULED') continue;
    if (requestStatus === 'SUBMITTED') await change(shop, 'fulfillmentOrderAcceptFulfillmentRequest', ACCEPT, { id });
    for (const { id: lineId, line, left } of await readAssignedLines(shop, id)) {
      lines.push({ id: lineId, lineId: gidOf('LineItem', line), orderId: id, locationId, left });
    }
  }
  return lines;
}

/** What the shop has sent by itself meanwhile is not reported again. */
async function send(shop: Shop, parcel: ReportedParcel, parts: readonly OrderPart[]): Promise<string[]> {
  const ids: string[] = [];
  for (const part of parts) {
    const fulfillment = { lineItemsByFulfillmentOrder: part, trackingInfo: trackingOf(parcel), notifyCustomer: true };
    const made = await change(shop, 'fulfillmentCreate', CREATE, { fulfillment });
    ids.push(textOf(membersOf(made.fulfillment).id));
  }
  return ids;
}

async function correct(
  shop: Shop,
  ids: readonly string[],
  known: readonly KnownFulfilment[],
  parcel: ReportedParcel,
): Promise<void> {
  for (const id of ids) {
    const numbers = known.find((one) => one.id === id)?.numbers ?? [];
    // A carrier or an address alone is no news for the buyer who waits for the parcel.
    if (parcel.number === '' ? numbers.length === 0 : numbers.includes(parcel.number)) continue;
    await change(shop, 'fulfillmentTrackingInfoUpdate', CORRECT, { id, tracking: trackingOf(parcel) });
  }
}

function trackingOf({ carrier, number, url }: ReportedParcel): Members {
  return {
    ...(carrier === '' ? {} : { company: carrier }),
    ...(number === '' ? {} : { number }),
    ...(url === null ? {} : { url }),
  };
}

/** Gives back what our service was asked for, and marks the order for the shop's people. */
async function tellCancel(
  shop: Shop,
  order: Members,
  orders: readonly Assigned[],
  { reference }: OrderReport,
): Promise<void> {
  const message = `The print shop has cancelled its order ${reference}: nothing of it will be sent.`;
  for (const { id, status, requestStatus } of orders.filter((one) => one.of === 'us')) {
    if (requestStatus === 'SUBMITTED') {
      await unlessRefused(change(shop, 'fulfillmentOrderRejectFulfillmentRequest', REJECT, { id, message }));
    } else if (status === 'IN_PROGRESS' && requestStatus !== 'CANCELLATION_REQUESTED') {
      await unlessRefused(change(shop, 'fulfillmentOrderClose', CLOSE, { id, message }));
    }
  }
  // A tag is there once, however often it is added; a note would read as a change of the order.
  await change(shop, 'tagsAdd', TAG, { id: order.id, tags: [`Print shop cancelled ${reference}`] });
}

/** Marks an order for the shop's people of which it has pieces that will not be sent. */
async function tellPieces(shop: Shop, order: Members, report: OrderReport): Promise<void> {
  const lines = await refundableLines(shop, textOf(order.id));
  const there = new Map([...lines].map(([id, { current }]) => [id, current]));
  if (missingPieces(report, there).length === 0) return;
  await change(shop, 'tagsAdd', TAG, { id: order.id, tags: [partTag(report)] });
}

/** With the count of all: a tag that is there already says nothing of pieces that are cancelled later. */
function partTag(report: OrderReport): string {
  const what = `cancelled ${cancelledInAll(report)} of ${report.reference}`;
  const tag = `Print shop ${what}`;
  return tag.length <= TAG_MAX ? tag : what;
}

/**
 * Gives back what is left at our service of an order that is sent else.
 * Those are pieces that were cancelled here.
 * What the shop has added since is not, as it may be asked for.
 */
async function giveBackRest(
  shop: Shop,
  orders: readonly Assigned[],
  { reference, everCancelled }: OrderReport,
): Promise<void> {
  const cancelled = new Map(everCancelled.map(({ shopItemId, cancelled: pieces }) => [shopItemId, pieces]));
  const message = `The print shop has sent its order ${reference}. What is left of it is cancelled, and will not be sent.`;
  for (const { id } of orders.filter((one) => one.of === 'us' && one.status === 'IN_PROGRESS')) {
    const left = (await readAssignedLines(shop, id)).filter((line) => line.left > 0);
    const isRest = left.length > 0 && left.every((line) => line.left <= (cancelled.get(line.line) ?? 0));
    if (isRest) await unlessRefused(change(shop, 'fulfillmentOrderClose', CLOSE, { id, message }));
  }
}

async function unlessRefused(changed: Promise<unknown>): Promise<void> {
  try {
    await changed;
  } catch (error) {
    if (!(error instanceof ShopFault) || error.kind !== 'rejected') throw error;
  }
}
