import { isoTime } from '../../lib/clock.ts';
import { nullable, oneOf, Timestamp } from '../../lib/schemas.ts';
import { type Static, Type } from '../../lib/typebox.ts';
import type { DryRunRow } from './dry-run.ts';
import { RETENTION_KINDS } from './walk.ts';

const RetentionRow = Type.Object(
  {
    kind: oneOf(RETENTION_KINDS),
    count: Type.Integer({ description: 'How many rows or files would go now; for line_mocks, orders.' }),
    oldest_at: nullable({ ...Timestamp, description: 'Since when the time of the oldest ran; null for none.' }),
    is_at_least: Type.Boolean({
      description: 'The count ended at its bound, and there may be more; `platen retention --dry-run` counts all.',
    }),
  },
  { title: 'RetentionRow' },
);

/** The answer of `GET /retention`. */
export const RetentionDryRun = Type.Object({ data: Type.Array(RetentionRow) }, { title: 'RetentionDryRun' });

/** What would go of one kind, as operators see it. */
export function retentionView({ kind, count, oldestAt, isCut }: DryRunRow): Static<typeof RetentionRow> {
  return { kind, count, oldest_at: oldestAt === null ? null : isoTime(oldestAt), is_at_least: isCut };
}
