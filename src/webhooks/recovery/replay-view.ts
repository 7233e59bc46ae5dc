import { isoTime } from '../../lib/clock.ts';
import { publicId } from '../../lib/ids.ts';
import type { Replay } from './replay-schema.ts';
import type { EventReplayRow } from './replay-sql.ts';

/** A replay, as its owner sees it. */
export function replayView(row: EventReplayRow): Replay {
  return {
    id: publicId('rpl', row.id),
    status: row.state,
    paused_reason: row.paused_reason,
    since: isoTime(row.since),
    until: isoTime(row.until),
    events: row.events,
    sent: row.sent,
    succeeded: row.succeeded,
    failed: row.failed,
    // Those of its time were counted at its start, and each that it came across has a delivery.
    expired: row.state === 'completed' ? Math.max(0, row.events - row.sent) : 0,
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
    ended_at: row.ended_at === null ? null : isoTime(row.ended_at),
  };
}
