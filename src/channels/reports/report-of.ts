import { publicId } from '../../lib/ids.ts';
import type { Secrets } from '../../lib/secrets.ts';
import type { CancelledPieces, OrderReport, ReportedParcel } from '../platforms/port.ts';
import { piecesIn } from '../shop-order.ts';
import type { KnownToShop, LinePieces, OrderToReport } from './report-sql.ts';

/** A report that is due, and what its shop knows once it has heard it. */
export type Reporting = { readonly report: OrderReport; readonly after: KnownToShop };

/**
 * What to report of an order, and what its shop knows then; undefined when it knows all.
 * Of a parcel a keyed digest is kept: a tracking number is forgotten with its order. Money is to be given back for
 * pieces that are cancelled while the rule is on, and never for what was cancelled before. Pure.
 */
export function reportOf(
  order: OrderToReport,
  reported: KnownToShop,
  { everyDigest, isRefunding }: Pick<Secrets, 'everyDigest'> & { readonly isRefunding: boolean },
): Reporting | undefined {
  const parcels = order.parcels.map((parcel) => ({ key: parcel.id, parcel: parcelOf(order, parcel) }));
  const known = reported.parcels ?? {};
  const digested = parcels.map(({ key, parcel }) => {
    const every = everyDigest.map((digest) => digest(JSON.stringify(parcel)).toString('base64url'));
    return { key, id: parcel.id, present: every[0], isKnown: every.includes(known[key] ?? '') };
  });
  const digests = Object.fromEntries(digested.map(({ key, present = '' }) => [key, present]));
  const news = new Set(digested.flatMap(({ id, isKnown }) => (isKnown ? [] : [id])));
  const isCancelled = order.state === 'cancelled' && !order.others_go_on;
  const isSent = order.lines.every(({ left }) => left === 0) && order.lines.some(({ shipped }) => shipped > 0);
  const isComplete = isSent && !order.others_are_open;
  // What a person has declined of an addition is others' to send, unless its shop has taken it back.
  const added = order.others.flatMap(({ items, is_taken_back: isTakenBack }) => (isTakenBack ? [] : items));
  const standing = added.filter(({ quantity }) => quantity > 0);
  const pieces = cancelledOf(order);
  const isCancelNews = pieces.some((one) => one.cancelled > piecesIn(reported.pieces ?? {}, one.shopItemId));
  const refunds = refundsOf(pieces, reported, isRefunding && !order.is_cancelled_there);
  const isNews =
    news.size > 0 ||
    isCancelNews ||
    (isCancelled && reported.cancelled !== true) ||
    (isComplete && reported.complete !== true) ||
    !isSame(refunds.toRefund, refunds.refunded) ||
    !isSame(refunds.toRefund, reported.toRefund ?? {});
  if (!isNews) return undefined;
  return {
    report: {
      shopOrderId: order.id,
      orderedAt: order.ordered_at,
      reference: order.reference,
      parcels: parcels.map(({ parcel }) => parcel),
      isCancelled,
      cancelled: isCancelNews ? pieces : [],
      everCancelled: pieces,
      isRefunded: isRefunding,
      isComplete,
      isAllOurs: [...order.items, ...(order.base_items ?? []), ...standing].every(({ line }) => line !== undefined),
      news,
    },
    after: {
      parcels: digests,
      cancelled: isCancelled,
      complete: isComplete,
      pieces: Object.fromEntries(pieces.map((one) => [one.shopItemId, one.cancelled])),
      ...refunds,
    },
  };
}

/** Lines of which pieces are cancelled, with those of each that are made in all its orders. Pure. */
export function cancelledOf(order: OrderToReport): CancelledPieces[] {
  return order.items.flatMap(({ id, title, line }) => {
    const of = line === undefined ? undefined : order.lines[line];
    if (of === undefined || of.cancelled === 0) return [];
    const elsewhere = order.others.reduce((sum, other) => {
      const same = other.items.filter((item) => item.id === id);
      const made = same.map((item) => (other.is_open ? item.quantity : (other.made?.[item.line ?? -1] ?? 0)));
      return sum + made.reduce((all, count) => all + count, 0);
    }, 0);
    return [{ shopItemId: id, title, cancelled: of.cancelled, made: of.left + of.shipped + elsewhere }];
  });
}

/** Whether two have the same pieces; none is as good as zero. Pure. */
export function isSame(one: LinePieces, other: LinePieces): boolean {
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].every(
    (id) => piecesIn(one, id) === piecesIn(other, id),
  );
}

/**
 * What is to be given back in all, and is.
 * Where the rule is off, what is open is given up, once it is known that the shop has not done it.
 */
function refundsOf(
  pieces: readonly CancelledPieces[],
  { pieces: before = {}, toRefund = {}, refunded = {}, ...known }: KnownToShop,
  isRefunding: boolean,
) {
  const { begunAt, begunFor = toRefund, refusal, refusals } = known;
  if (!isRefunding) {
    return begunAt === undefined
      ? { toRefund: refunded, refunded }
      : { toRefund: begunFor, refunded, begunAt, begunFor };
  }
  const more = pieces.map((one): [string, number] => {
    const isNew = Math.max(one.cancelled - piecesIn(before, one.shopItemId), 0);
    return [one.shopItemId, piecesIn(toRefund, one.shopItemId) + isNew];
  });
  return {
    toRefund: { ...toRefund, ...Object.fromEntries(more) },
    refunded,
    ...(begunAt === undefined ? {} : { begunAt, begunFor }),
    ...(refusal === undefined ? {} : { refusal }),
    ...(refusals === undefined ? {} : { refusals }),
  };
}

function parcelOf(
  order: OrderToReport,
  { id, carrier, number, url, items }: OrderToReport['parcels'][number],
): ReportedParcel {
  const reported = items.flatMap(({ line, quantity }) => {
    const place = order.lines.findIndex((one) => one.id === line);
    const item = order.items.find((one) => one.line === place);
    return item === undefined ? [] : [{ shopItemId: item.id, title: item.title, quantity }];
  });
  return { id: publicId('shp', id), carrier, number, url, items: reported };
}
