import type { Template } from '../../artwork/image-pool.ts';
import type { ImageReport } from '../../artwork/inspect.ts';
import type { Position } from '../../artwork/place.ts';
import type { Uuid } from '../../lib/ids.ts';

// The lines of an order as its owner reads them: each table is read once for the order, and the parts of a line are put
// together afterwards (docs/decisions/0044). A row is an array: with the names of its columns it took the database half
// as long again.

/** The parts of the lines of an order: texts of JSON. */
export type LineTexts = {
  line_count: number;
  /** A list of `LineTuple`, in the order of the lines. */
  lines_text: string;
  /** A list of `JobTuple`, those of a line in their order. */
  jobs_text: string;
  /** A list of `FileTuple`, each file once. */
  files_text: string;
};

/** A row of `order_line`. */
export type LineTuple = readonly [
  id: Uuid,
  productId: Uuid,
  sku: string,
  quantity: number,
  quantityCancelled: number,
  quantityShipped: number,
  name: string,
  colour: string,
  size: string,
  unitPricePence: number,
  linePricePence: number,
  declaredUnitPence: number | null,
  mockHash: string | null,
  started: boolean,
];

/** A row of `print_job`; `file` is the key of its print file. */
export type JobTuple = readonly [lineId: Uuid, area: string, method: string, file: string, replacedAt?: string];

/**
 * A print file, by its key, with what it is made from where the order is read with its artwork.
 * Its state is null when it has ended and is gone. Hashes are in hex.
 */
export type FileTuple = readonly [
  key: string,
  state: 'pending' | 'ready' | 'failed' | null,
  outputHash?: string | null,
  designHash?: string | null,
  template?: Template | null,
  position?: Position | null,
  report?: ImageReport | null,
  failure?: string | null,
];

const listOf = (part: string, rows: string): string => `coalesce((select json_agg(${part}) from ${rows}), '[]')::text`;

const LINES = listOf(
  `json_build_array(l.id, l.product_id, l.sku, l.quantity, l.quantity_cancelled, l.quantity_shipped, l.name, l.colour, l.size,
    l.unit_price_pence, l.line_price_pence, l.declared_unit_pence, encode(l.mock_hash, 'hex'), l.started_at is not null)
    order by l.ordinal`,
  'order_line l where l.account_id = o.account_id and l.order_id = o.id',
);

const JOBS = listOf(
  `case when j.replaced_at is null then json_build_array(j.line_id, j.print_area, j.method, encode(j.print_file_key, 'hex'))
    else json_build_array(j.line_id, j.print_area, j.method, encode(j.print_file_key, 'hex'), j.replaced_at) end
    order by j.line_id, j.ordinal`,
  'print_job j where j.account_id = o.account_id and j.order_id = o.id',
);

// A large order often prints one file on each of its lines: it is read and sent once. The look-ups are laterals with a
// limit, so that the planner makes one for each file, and never joins all files there are.
const FILES = listOf(
  `json_build_array(encode(p.print_file_key, 'hex'), f.state)`,
  `(
      select distinct j.print_file_key from print_job j where j.account_id = o.account_id and j.order_id = o.id
    ) as p
    left join lateral (
      select state from print_file where key = p.print_file_key and account_id = o.account_id limit 1
    ) as f on true`,
);

/** SQL of the files of some print jobs `j`, with the artwork. */
const filesWithArtwork = (jobs: string): string =>
  listOf(
    `json_build_array(encode(p.print_file_key, 'hex'), f.state, encode(f.output_hash, 'hex'), encode(p.design_hash, 'hex'),
    f.recipe -> 'template', f.recipe -> 'position', b.report, f.failure)`,
    `(
      select distinct j.account_id, j.print_file_key, j.design_hash from ${jobs}
    ) as p
    left join lateral (
      select state, recipe, output_hash, case when state = 'failed' and dropped_at is null then coalesce(failure, '') end as failure
      from print_file where key = p.print_file_key and account_id = p.account_id limit 1
    ) as f on true
    left join lateral (select report from blob where hash = p.design_hash limit 1) as b on true`,
  );

/** SQL of the `LineTexts` of an order `o`, without its artwork. */
export const LINE_TEXTS = `o.line_count, ${LINES} as lines_text, ${JOBS} as jobs_text, ${FILES} as files_text`;

/** As `LINE_TEXTS`, with the artwork. */
export const SHOWN_LINE_TEXTS = `o.line_count,
  ${LINES} as lines_text,
  ${JOBS} as jobs_text,
  ${filesWithArtwork('print_job j where j.account_id = o.account_id and j.order_id = o.id')} as files_text`;

/**
 * What an order has on a page.
 * The files of all orders of the page are with the first of them, and null with the others.
 */
export type PageLineTexts = Omit<LineTexts, 'files_text'> & { readonly files_text: string | null };

/**
 * SQL of the `PageLineTexts` of an order `o` of a `page` of one account.
 * Its orders often print the same files, which are read and sent once.
 */
export const PAGE_LINE_TEXTS = `o.line_count,
  ${LINES} as lines_text,
  ${JOBS} as jobs_text,
  case when page.place = 1 then ${filesWithArtwork(
    'page g join print_job j on j.account_id = g.account_id and j.order_id = g.id',
  )} end as files_text`;
