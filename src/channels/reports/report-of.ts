import { publicId } from '../../lib/ids.ts';
import type { OrderReport, ToldParcel } from '../platforms/port.ts';
import type { ReportedOrder, Told } from './report-sql.ts';

/**
 * What a shop is to be told of an order, and what it knows afterwards; undefined when it knows all of it.
 * Of a parcel a keyed digest is kept: a tracking number is forgotten with its order. Pure.
 */
export function reportOf(
  order: ReportedOrder,
  told: Told,
  digest: (text: string) => Buffer,
): { readonly report: OrderReport; readonly after: Told } | undefined {
  const parcels = order.parcels.map((parcel) => parcelOf(order, parcel)).filter(({ items }) => items.length > 0);
  const digests = Object.fromEntries(
    parcels.map((parcel) => [parcel.id, digest(JSON.stringify(parcel)).toString('base64url')]),
  );
  const known = told.parcels ?? {};
  const news = new Set(parcels.map(({ id }) => id).filter((id) => known[id] !== digests[id]));
  const isCancelled = order.state === 'cancelled';
  const isComplete = order.lines.every(({ left }) => left === 0) && order.lines.some(({ shipped }) => shipped > 0);
  const isNews = news.size > 0 || (isCancelled && told.cancelled !== true) || (isComplete && told.complete !== true);
  if (!isNews) return undefined;
  return {
    report: {
      shopOrderId: order.id,
      reference: order.reference,
      parcels,
      isCancelled,
      isComplete,
      isAllOurs: order.items.every(({ line }) => line !== undefined),
      news,
    },
    after: { parcels: digests, cancelled: isCancelled, complete: isComplete },
  };
}

function parcelOf(
  order: ReportedOrder,
  { id, carrier, number, url, items }: ReportedOrder['parcels'][number],
): ToldParcel {
  const told = items.flatMap(({ line, quantity }) => {
    const place = order.lines.findIndex((one) => one.id === line);
    const item = order.items.find((one) => one.line === place);
    return item === undefined ? [] : [{ shopItemId: item.id, title: item.title, quantity }];
  });
  return { id: publicId('shp', id), carrier, number, url, items: told };
}
