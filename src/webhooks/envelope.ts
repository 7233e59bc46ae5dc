import { isoTime } from '../lib/clock.ts';
import { publicId, type Uuid } from '../lib/ids.ts';

/** An event as it was recorded; `data` is JSON text. */
export type RecordedEvent = {
  readonly id: Uuid;
  readonly event: string;
  readonly createdAt: Date;
  readonly data: string;
  readonly sequence: number;
};

/**
 * The body of a delivery (spec 6.2; decisions, "Event envelope").
 * It depends on the event alone and `data` goes in as it was recorded, so every attempt and every replay of an event
 * sends the same bytes.
 */
export function envelope(recorded: RecordedEvent): Buffer {
  const head = JSON.stringify({
    id: publicId('evt', recorded.id),
    event: recorded.event,
    created_at: isoTime(recorded.createdAt),
  });
  return Buffer.from(`${head.slice(0, -1)},"data":${recorded.data},"sequence":${recorded.sequence}}`);
}
