import type { Context } from '../../lib/context.ts';
import { daysAfter, sellerDay } from '../../lib/seller-day.ts';
import type { ShippingOffer } from '../../pricing/shipping.ts';
import type { ShownOrderRow } from '../read-sql.ts';
import type { ExpectedDelivery } from './order-parts-schema.ts';

type DaysContext = Pick<Context, 'config'>;

/**
 * Between which days an order is to arrive, by the days of its shipping service.
 * They run from its placing, or from its payment where that came later; and from its latest parcel once it is
 * dispatched. Null while it waits for its payment, and once it is cancelled or delivered.
 */
export function expectedDelivery(
  ctx: DaysContext,
  order: Pick<ShownOrderRow, 'state' | 'placed_at' | 'paid_at' | 'shipping' | 'shipments'>,
): ExpectedDelivery | null {
  const { state, placed_at: placedAt, paid_at: paidAt, shipping } = order;
  if (['awaiting_payment', 'delivered', 'cancelled'].includes(state)) return null;
  const begunAt = paidAt !== null && paidAt > placedAt ? paidAt : placedAt;
  return deliveryFrom(ctx, shipping, state === 'dispatched' ? (latestOf(order) ?? begunAt) : begunAt);
}

/** The days in which a parcel of a service arrives that is on its way from an instant on. */
export function deliveryFrom(ctx: DaysContext, { etaDays }: ShippingOffer, from: Date): ExpectedDelivery {
  const day = sellerDay({ timeZone: ctx.config.seller.timeZone, from: new Date(0) }, from);
  return { earliest: daysAfter(day, etaDays.min), latest: daysAfter(day, etaDays.max) };
}

function latestOf({ shipments }: Pick<ShownOrderRow, 'shipments'>): Date | undefined {
  const times = shipments.map(({ shipped_at: at }) => Date.parse(at));
  return times.length === 0 ? undefined : new Date(Math.max(...times));
}
