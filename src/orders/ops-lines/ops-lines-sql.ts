import { SHORT } from '../../catalogue/short/columns.ts';
import type { Uuid } from '../../lib/ids.ts';
import type { LineRow } from '../read-sql.ts';

// The lines of an order as operators see them: each table is read once for the order and sent as it is, and the parts
// of a line are put together afterwards. Looked up line by line they took three times as long, and a plan that joins
// them takes the square of the lines: it takes an order for one of two lines.

/** What operators see of a line beside what its owner sees. */
export type OpsLineRow = {
  id: Uuid;
  quantity_spoiled: number;
  started_at: string | null;
  allocation: { allocated: number; consumed: number; released: number; short: number } | null;
  print_jobs: {
    area: string;
    method: string;
    station: string | null;
    quantity_done: number;
    quantity_spoiled: number;
    artwork_state: 'pending' | 'ready' | 'failed' | 'expired';
    failure: string | null;
  }[];
};

/** The parts of the lines of an order: texts of JSON, to be parsed one after another. */
export type LineParts = {
  line_count: number;
  /** A list of `LinePart`, in the order of the lines. */
  lines_text: string;
  /** A list of `JobPart`, those of a line in their order. */
  jobs_text: string;
  /** A list of `AllocationPart`. */
  allocations_text: string;
  /** The print files of the order, by key; one that has ended is absent. */
  print_files: Readonly<Record<string, { state: 'pending' | 'ready' | 'failed'; failure: string | null }>>;
};

/** A row of `order_line`. */
export type LinePart = Omit<LineRow, 'started' | 'print_jobs' | 'files'> &
  Pick<OpsLineRow, 'quantity_spoiled' | 'started_at'>;

/** A row of `print_job`. */
export type JobPart = Pick<
  OpsLineRow['print_jobs'][number],
  'area' | 'method' | 'station' | 'quantity_done' | 'quantity_spoiled'
> & { line_id: Uuid; file: string; replaced_at: string | null };

/** What is promised to a line. */
export type AllocationPart = NonNullable<OpsLineRow['allocation']> & { line_id: Uuid };

const listOf = (rows: string): string => `coalesce((select json_agg(part) from (${rows}) as part), '[]')::text`;

/** SQL of the `LineParts` of an order `o`. */
export const LINE_PARTS = `o.line_count,
  ${listOf(`
    select l.id, l.product_id, l.sku, l.quantity, l.quantity_cancelled, l.quantity_shipped, l.quantity_spoiled, l.name, l.colour,
      l.size, l.unit_price_pence, l.line_price_pence, l.declared_unit_pence, encode(l.mock_hash, 'hex') as mock_hash, l.started_at
    from order_line l where l.account_id = o.account_id and l.order_id = o.id order by l.ordinal`)} as lines_text,
  ${listOf(`
    select j.line_id, j.print_area as area, j.method, j.station, j.quantity_done, j.quantity_spoiled,
      encode(j.print_file_key, 'hex') as file, j.replaced_at
    from print_job j where j.account_id = o.account_id and j.order_id = o.id order by j.line_id, j.ordinal`)} as jobs_text,
  ${listOf(`
    select a.line_id, a.allocated, a.consumed, a.released, ${SHORT} as short
    from allocation a where a.account_id = o.account_id and a.order_id = o.id`)} as allocations_text,
  coalesce((
    select json_object_agg(encode(p.print_file_key, 'hex'), json_build_object('state', f.state, 'failure', f.failure))
    from (
      select distinct j.print_file_key from print_job j where j.account_id = o.account_id and j.order_id = o.id
    ) as p
    cross join lateral (
      select state, failure from print_file where key = p.print_file_key and account_id = o.account_id limit 1
    ) as f
  ), '{}') as print_files`;
