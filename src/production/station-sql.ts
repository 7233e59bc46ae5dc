import { PROMISED, SHORT } from '../catalogue/short/columns.ts';
import { type Db, statement } from '../lib/db.ts';
import type { Uuid } from '../lib/ids.ts';
import { PAGE_ROWS_MAX } from '../lib/paging.ts';
import type { OrderState } from '../orders/status.ts';

// What the work queue and the stations read: open work of all accounts. Nothing here serves a customer.

/** States of promoted work. An order that was held before its promotion has no open print job. */
export const WORK_STATES = ['released', 'in_production', 'on_hold'] as const;
export type WorkState = (typeof WORK_STATES)[number];

export type JobRow = {
  promoted_at: Date;
  placed_at: Date;
  order_id: Uuid;
  reference: string;
  state: WorkState;
  line_id: Uuid;
  sku: string;
  name: string;
  is_started: boolean;
  is_paused: boolean;
  ordinal: number;
  area: string;
  method: string;
  station: string;
  quantity_left: number;
  quantity_short: number;
  quantity_to_start: number;
  artwork_state: 'pending' | 'ready' | 'failed' | 'expired';
};

/** A position in the list of jobs: after the job of this line and number. */
export type JobPosition = { promotedAt: Date; orderId: Uuid; lineId: Uuid; ordinal: number };

// Read in the order of an index of the open jobs alone, which are few beside all that were ever made. Jobs that are
// done by now, such as those of a line that was shipped uncounted, are filtered out of that order. The inner limit is a
// constant for the planner, which takes an unknown one for a tenth of the table.
const jobsSql = (station: string): string => `
  select page.*, p.line_id is not null as is_paused from (
    select j.account_id, j.promoted_at, o.placed_at, j.order_id, o.reference, o.state, j.line_id, l.sku, l.name,
      l.started_at is not null as is_started, j.ordinal, j.print_area as area, j.method, j.station,
      l.quantity - l.quantity_cancelled - greatest(j.quantity_done, l.quantity_shipped) as quantity_left,
      coalesce(a.short, 0) as quantity_short, coalesce(a.to_start, 0) as quantity_to_start,
      coalesce(f.state, 'expired') as artwork_state
    from print_job j
    join orders o on o.account_id = j.account_id and o.id = j.order_id
    join order_line l on l.account_id = j.account_id and l.order_id = j.order_id and l.id = j.line_id
    left join print_file f on f.key = j.print_file_key and f.account_id = j.account_id
    left join lateral (
      select ${SHORT} as short, ${PROMISED} - ${SHORT} as to_start from allocation
      where account_id = j.account_id and order_id = j.order_id and line_id = j.line_id
    ) as a on true
    where j.is_open ${station} and (j.promoted_at, j.order_id, j.line_id, j.ordinal) > ($1::timestamptz, $2::uuid, $3::uuid, $4::integer)
      and o.state = any($5::text[]) and l.quantity - l.quantity_cancelled > greatest(j.quantity_done, l.quantity_shipped)
    order by j.promoted_at, j.order_id, j.line_id, j.ordinal limit ${PAGE_ROWS_MAX}
  ) as page left join line_pause p using (account_id, order_id, line_id)
  order by promoted_at, order_id, line_id, ordinal limit $6`;

const JOBS = statement<JobRow>('production_open_jobs', jobsSql(''));
const JOBS_OF_STATION = statement<JobRow>('production_open_jobs_of_station', jobsSql('and j.station = $7'));

/** Lists the print jobs with pieces left to make, of all stations or of one, oldest promotion first. */
export async function listOpenJobs(
  db: Db,
  page: { after: JobPosition; states: readonly WorkState[]; station: string | undefined; limit: number },
): Promise<JobRow[]> {
  const { after, states, station, limit } = page;
  const values = [after.promotedAt, after.orderId, after.lineId, after.ordinal, states, limit];
  return station === undefined ? db.all(JOBS, values) : db.all(JOBS_OF_STATION, [...values, station]);
}

// The stations with open jobs are found one by one, each by a step in their index: there are few, with many jobs each.
const STATIONS = statement<{ station: string }>(
  'production_stations',
  `with recursive busy as (
     (select station from print_job where is_open order by station limit 1)
     union all
     select (select j.station from print_job j where j.is_open and j.station > b.station order by j.station limit 1)
     from busy b where b.station is not null
   )
   select station from busy where station is not null
   union select id from station
   union select m ->> 'method' from catalogue_state c, jsonb_array_elements(c.methods) as m
     where not exists (select from station s where m ->> 'method' = any(s.methods))
   order by station`,
);

/**
 * Lists the stations, in the order of their names.
 * Those of the catalogue, each method that none of them names, and those that still have jobs from before an import.
 */
export async function listStations(db: Db): Promise<string[]> {
  return (await db.all(STATIONS, [])).map(({ station }) => station);
}

export type PickRow = {
  id: Uuid;
  reference: string;
  state: OrderState;
  blanks: { sku: string; quantity: number }[];
};

const PICKS = statement<PickRow>(
  'production_picks',
  `select o.id, o.reference, o.state, coalesce((
     select json_agg(json_build_object('sku', a.sku, 'quantity', a.quantity) order by a.sku)
     from (
       select sku, sum(${PROMISED} - ${SHORT}) as quantity from allocation
       where account_id = o.account_id and order_id = o.id and ${PROMISED} > ${SHORT}
         and not exists (select from line_pause p where p.account_id = allocation.account_id
           and p.order_id = allocation.order_id and p.line_id = allocation.line_id)
       group by sku
     ) as a
   ), '[]') as blanks
   from orders o
   where o.id = any($1::uuid[]) or o.reference = any($2::text[])
   order by o.id`,
);

/**
 * Reads what is allocated to some orders, named by id or reference, and still on the shelf.
 * Leaves out paused lines.
 */
export async function readPicks(
  db: Db,
  named: { ids: readonly Uuid[]; references: readonly string[] },
): Promise<PickRow[]> {
  return db.all(PICKS, [named.ids, named.references]);
}
