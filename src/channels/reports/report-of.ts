import { publicId } from '../../lib/ids.ts';
import type { OrderReport, ReportedParcel } from '../platforms/port.ts';
import type { KnownToShop, OrderToReport } from './report-sql.ts';

/**
 * What to report of an order, and what its shop knows then; undefined when it knows all.
 * Of a parcel a keyed digest is kept: a tracking number is forgotten with its order. Pure.
 */
export function reportOf(
  order: OrderToReport,
  reported: KnownToShop,
  digest: (text: string) => Buffer,
): { readonly report: OrderReport; readonly after: KnownToShop } | undefined {
  const parcels = order.parcels.map((parcel) => ({ key: parcel.id, parcel: parcelOf(order, parcel) }));
  const digests = Object.fromEntries(
    parcels.map(({ key, parcel }) => [key, digest(JSON.stringify(parcel)).toString('base64url')]),
  );
  const known = reported.parcels ?? {};
  const news = new Set(parcels.filter(({ key }) => known[key] !== digests[key]).map(({ parcel }) => parcel.id));
  const isCancelled = order.state === 'cancelled' && !order.others_go_on;
  const isSent = order.lines.every(({ left }) => left === 0) && order.lines.some(({ shipped }) => shipped > 0);
  const isComplete = isSent && !order.others_are_open;
  const isNews =
    news.size > 0 || (isCancelled && reported.cancelled !== true) || (isComplete && reported.complete !== true);
  if (!isNews) return undefined;
  return {
    report: {
      shopOrderId: order.id,
      reference: order.reference,
      parcels: parcels.map(({ parcel }) => parcel),
      isCancelled,
      isComplete,
      isAllOurs: [...order.items, ...(order.base_items ?? [])].every(({ line }) => line !== undefined),
      news,
    },
    after: { parcels: digests, cancelled: isCancelled, complete: isComplete },
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
