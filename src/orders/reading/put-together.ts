import type { Asker } from '../../lib/turns/owner.ts';
import { asPiece, mapInPieces } from '../../lib/turns/pieces.ts';
import type { JobArtworkRow } from '../line-artwork/artwork-sql.ts';
import type { LineRow, OrderParts, OrderRow } from '../read-sql.ts';
import type { FileTuple, JobTuple, LineTuple } from './line-texts-sql.ts';

/** Up to so many lines an order is put together at once, as most are. */
export const LINES_AT_ONCE_MAX = 50;

/** Puts an order together from its parts. */
export function orderOf(parts: OrderParts): OrderRow {
  const { jobsOf, files } = jobsAndFiles(parts);
  const lines = parsed<LineTuple>(parts.lines_text).map((line) => lineOf(line, jobsOf, files));
  return { ...parts, lines, ...artworkOf(files) };
}

/** As `orderOf`, in pieces where the order has many lines. */
export async function orderInPieces(asker: Asker, parts: OrderParts): Promise<OrderRow> {
  const { line_count: count } = parts;
  if (count <= LINES_AT_ONCE_MAX) return orderOf(parts);
  const rows = await asPiece(asker, count, () => parsed<LineTuple>(parts.lines_text));
  const { jobsOf, files } = await asPiece(asker, count, () => jobsAndFiles(parts));
  const lines = await mapInPieces(asker, rows, (line) => lineOf(line, jobsOf, files));
  return { ...parts, lines, ...artworkOf(files) };
}

type JobsOfLines = ReadonlyMap<string, readonly JobTuple[]>;
type Files = ReadonlyMap<string, FileTuple>;

function jobsAndFiles(parts: OrderParts): { jobsOf: JobsOfLines; files: Files } {
  const jobsOf = Map.groupBy(parsed<JobTuple>(parts.jobs_text), ([lineId]) => lineId);
  return { jobsOf, files: new Map(parsed<FileTuple>(parts.files_text).map((file) => [file[0], file])) };
}

function parsed<Part>(text: string): readonly Part[] {
  return JSON.parse(text) as readonly Part[];
}

const NO_JOBS: readonly JobTuple[] = [];

function lineOf(part: LineTuple, jobsOf: JobsOfLines, files: Files): LineRow {
  const [id, productId, sku, quantity, cancelled, shipped, name, colour, size, unit, price, declared, mock, started] =
    part;
  const jobs = jobsOf.get(id) ?? NO_JOBS;
  return {
    id,
    product_id: productId,
    sku,
    quantity,
    quantity_cancelled: cancelled,
    quantity_shipped: shipped,
    name,
    colour,
    size,
    unit_price_pence: unit,
    line_price_pence: price,
    declared_unit_pence: declared,
    mock_hash: mock,
    started,
    print_jobs: jobs.map(([, area, method, key]) => {
      const state = files.get(key)?.[1] ?? null;
      return { area, method, ready: state === 'ready', expired: state === null };
    }),
    files: jobs.map(([, , , key]) => key),
  };
}

/** What the print files are made from, where they were read with it. */
function artworkOf(files: Files): Pick<OrderRow, 'artwork'> {
  const artwork: Record<string, JobArtworkRow> = {};
  for (const [key, , preview, design, template = null, position = null, report = null] of files.values()) {
    if (preview === undefined || design === undefined) return {};
    artwork[key] = { preview_hash: preview, design_hash: design, template, position, report };
  }
  return { artwork };
}
