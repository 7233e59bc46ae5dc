import type { CatalogueReference } from '../catalogue/reference.ts';
import { isoTime } from '../lib/clock.ts';
import { validationFailed } from '../lib/errors.ts';
import { FIRST_ID, parseId, publicId, type Uuid } from '../lib/ids.ts';
import { type Page, readPage } from '../lib/paging.ts';
import type { OrdersContext } from '../orders/context.ts';
import { garmentOf } from './garment.ts';
import type { ListJobsQuery, StationJob } from './station-schema.ts';
import { type JobPosition, type JobRow, listOpenJobs, listStations, WORK_STATES } from './station-sql.ts';

/**
 * Lists what to make next, of all stations or of one.
 * That is the print jobs of promoted orders that have pieces left to make, oldest promotion first. Jobs of held orders
 * and of paused lines are listed and marked as held. Throws 422 for a station that does not exist.
 */
export async function listJobs(
  ctx: Pick<OrdersContext, 'database' | 'prices'>,
  query: ListJobsQuery,
): Promise<Page<StationJob>> {
  const { limit } = readPage('ord', { limit: query.limit });
  const rows = await listOpenJobs(ctx.database, {
    after: positionOf(query.cursor),
    states: query.state === undefined ? WORK_STATES : [query.state],
    station: query.station,
    limit: limit + 1,
  });
  if (rows.length === 0 && query.station !== undefined) await refuseUnknownStation(ctx, query.station);
  const { catalogue } = await ctx.prices.latest();
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  const cursor = last === undefined ? null : cursorOf(last);
  return {
    data: rows.slice(0, limit).map((row) => jobView(catalogue, row)),
    has_more: cursor !== null,
    next_cursor: cursor,
  };
}

/** An empty page of a mistyped station would look like a station with nothing to do. */
async function refuseUnknownStation(ctx: Pick<OrdersContext, 'database'>, station: string): Promise<void> {
  const stations = await listStations(ctx.database);
  if (stations.includes(station)) return;
  const message = stations.length === 0 ? 'There are no stations.' : `must be one of ${stations.join(', ')}.`;
  throw validationFailed([{ path: 'station', code: 'unknown_value', message, valid_values: stations }]);
}

const FIRST_POSITION: JobPosition = {
  promotedAt: new Date(0),
  orderId: FIRST_ID as Uuid,
  lineId: FIRST_ID as Uuid,
  ordinal: 0,
};

/** A cursor is a position, not a record: the job that it names may be done by now. */
function cursorOf(row: JobRow): string {
  return [row.promoted_at.getTime(), publicId('ord', row.order_id), publicId('line', row.line_id), row.ordinal].join(
    '.',
  );
}

function positionOf(cursor: string | undefined): JobPosition {
  const [time = '0', order = '', line = '', ordinal = '0'] = cursor?.split('.') ?? [];
  const [orderId, lineId] = [parseId('ord', order), parseId('line', line)];
  if (orderId === undefined || lineId === undefined) return FIRST_POSITION;
  return { promotedAt: new Date(Number(time)), orderId, lineId, ordinal: Number(ordinal) };
}

function jobView(catalogue: CatalogueReference, row: JobRow): StationJob {
  return {
    order_id: publicId('ord', row.order_id),
    reference: row.reference,
    state: row.state,
    held: row.state === 'on_hold' || row.is_paused,
    paused: row.is_paused,
    line_id: publicId('line', row.line_id),
    line_name: row.name,
    started: row.is_started,
    ...garmentOf(catalogue, row.sku),
    job: row.ordinal,
    area: row.area,
    method: row.method,
    station: row.station,
    quantity_left: row.quantity_left,
    quantity_short: row.quantity_short,
    quantity_to_start: row.quantity_to_start,
    artwork_ready: row.artwork_state === 'ready',
    artwork_state: row.artwork_state,
    placed_at: isoTime(row.placed_at),
    promoted_at: isoTime(row.promoted_at),
  };
}
