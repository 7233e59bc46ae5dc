import { DAY_MS, daysBefore, HOUR_MS, type WalkTerms } from './walk.ts';

/** When an order of each kind is past its time: what it was is older than these. */
export type OrderTimes = { readonly dispatched: Date; readonly cancelled: Date; readonly unpaid: Date };

/**
 * The times before which the artwork of orders has ended.
 * An unpaid order keeps it for as long as a top-up may still pay it, and an hour longer.
 */
export function artworkTimes({ config, now }: WalkTerms): OrderTimes {
  return {
    dispatched: daysBefore(now, config.keepArtworkDays),
    cancelled: daysBefore(now, config.keepCancelledArtworkDays),
    unpaid: unpaidBefore({ config, now }, config.keepCancelledArtworkDays),
  };
}

/** The times before which the addresses of orders have ended. */
export function addressTimes({ config, now }: WalkTerms): OrderTimes {
  const ended = daysBefore(now, config.keepAddressesDays);
  return {
    dispatched: ended,
    cancelled: ended,
    unpaid: unpaidBefore({ config, now }, config.keepUnpaidAddressesDays),
  };
}

function unpaidBefore({ config, now }: WalkTerms, days: number): Date {
  return new Date(now.getTime() - Math.max(days * DAY_MS, (config.autoSettleHours + 1) * HOUR_MS));
}

/** The parameters of SQL that has the three times, as they are numbered there. */
export type TimeParameters = { readonly dispatched: string; readonly cancelled: string; readonly unpaid: string };

/**
 * SQL of whether the time of an order `o` is over.
 * A cancelled order of which something was sent counts as a dispatched one.
 */
export function isPast(t: TimeParameters): string {
  return `case o.state
    when 'dispatched' then o.updated_at < ${t.dispatched}
    when 'delivered' then o.updated_at < ${t.dispatched}
    when 'cancelled' then o.updated_at < ${t.cancelled} and (o.updated_at < ${t.dispatched} or (
      select true from shipment s where s.account_id = o.account_id and s.order_id = o.id limit 1) is null)
    when 'awaiting_payment' then o.updated_at < ${t.unpaid} and o.attempt_id is null
    else false end`;
}

/** SQL of whether an order `o` keeps what it has longer: it has an open task, or disputed money. */
export const IS_WAITING = `(
  (select true from ops_task t where t.order_id = o.id and t.account_id = o.account_id and t.closed_at is null limit 1) is not null
  or (o.method_paid_pence + o.unwanted_pence > 0 and (
    select true from payment_attempt a where a.order_id = o.id and a.account_id = o.account_id
      and a.returned_at is not null and a.recovered_at is null limit 1) is not null))`;
