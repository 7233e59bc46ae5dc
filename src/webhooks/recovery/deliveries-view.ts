import { isoTime } from '../../lib/clock.ts';
import { publicId, type Uuid } from '../../lib/ids.ts';
import { stableHeaders } from '../sign.ts';
import { eventView } from '../view.ts';
import type { Delivery, DeliveryDetail } from './deliveries-schema.ts';
import type { ListedDeliveryRow, SentEventRow } from './deliveries-sql.ts';

/** A delivery as lists show it. */
export function deliveryView(row: ListedDeliveryRow): Delivery {
  return {
    id: publicId('dlv', row.id),
    event_id: publicId('evt', row.event_id),
    event: row.event,
    kind: row.kind,
    status: row.status,
    attempts: row.attempts,
    response_code: row.response_code,
    error: row.error,
    created_at: isoTime(row.created_at),
    attempted_at: row.attempted_at === null ? null : isoTime(row.attempted_at),
    next_attempt_at: row.next_attempt_at === null ? null : isoTime(row.next_attempt_at),
  };
}

/** A delivery with what was sent; `event` is undefined once it has left the log. */
export function deliveryDetailView(
  row: ListedDeliveryRow,
  subscriptionId: Uuid,
  event: SentEventRow | undefined,
): DeliveryDetail {
  const headers = stableHeaders({
    event: row.event,
    eventId: publicId('evt', row.event_id),
    subscriptionId: publicId('whk', subscriptionId),
    deliveryId: publicId('dlv', row.id),
  });
  const { answer } = row;
  return { ...deliveryView(row), answer, request: event === undefined ? null : { headers, body: eventView(event) } };
}
