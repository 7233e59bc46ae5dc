import { isoTime } from '../lib/clock.ts';
import { publicId } from '../lib/ids.ts';
import type { Event } from './event-schema.ts';
import type { EventRow } from './event-sql.ts';
import type { Subscription, SubscriptionDetail } from './schema.ts';
import type { DeliveryRow, SubscriptionRow } from './subscription-sql.ts';

/** A subscription as lists show it: without its secret (spec 2.8). */
export function subscriptionView(row: SubscriptionRow): Subscription {
  return {
    id: publicId('whk', row.id),
    url: row.url,
    events: row.events,
    description: row.description,
    active: row.active,
    disabled_reason: row.disabled_reason,
    // A version of the service that knows nothing of it leaves it as it was.
    failing_since: row.failure_count === 0 || row.failing_since === null ? null : isoTime(row.failing_since),
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  };
}

/** A subscription as its own address shows it, with its deliveries. */
export function subscriptionDetailView(
  found: {
    readonly subscription: SubscriptionRow;
    readonly nextAloneFrom: Date | null;
    readonly deliveries: readonly DeliveryRow[];
  },
  now: Date,
): SubscriptionDetail {
  const { subscription: row, nextAloneFrom: until, deliveries } = found;
  return {
    ...subscriptionView(row),
    failure_count: row.failure_count,
    previous_secret_until: until === null || until <= now ? null : isoTime(until),
    recent_deliveries: deliveries.map((delivery) => ({
      id: publicId('dlv', delivery.id),
      event: delivery.event,
      status: delivery.status,
      attempts: delivery.attempts,
      response_code: delivery.response_code,
      error: delivery.error,
      delivered_at: isoTime(delivery.attempted_at),
    })),
  };
}

/** An event as the log shows it: the members of its delivery, in their order (`envelope.ts`). */
export function eventView(row: EventRow): Event {
  // The types of the writers guarantee that an event has the data of its name, and events never change.
  return {
    id: publicId('evt', row.id),
    event: row.event,
    created_at: isoTime(row.created_at),
    data: row.data,
    sequence: row.sequence,
  } as Event;
}
