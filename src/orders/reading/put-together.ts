import type { Asker } from '../../lib/turns/owner.ts';
import { asPiece, mapInPieces } from '../../lib/turns/pieces.ts';
import type { JobArtworkRow } from '../line-artwork/artwork-sql.ts';
import type { LineRow, OrderRow, ShownOrderParts } from '../read-sql.ts';
import type { FileTuple, JobTuple, LineTuple } from './line-texts-sql.ts';

/** Up to so many lines an order is put together at once, as most are. */
export const LINES_AT_ONCE_MAX = 50;

/** The print files of some orders, and what they are made from if they were read with it. */
export type Files = { readonly byKey: ReadonlyMap<string, FileTuple>; readonly artwork: OrderRow['artwork'] };

/** An order whose print files are known from elsewhere. */
type Unfiled = Omit<ShownOrderParts, 'files_text'>;

/** An order that is put together. */
type Whole<Parts> = Parts & Pick<OrderRow, 'lines' | 'artwork'>;

/** Puts an order together from its parts. */
export function orderOf<Parts extends ShownOrderParts>(parts: Parts): Whole<Parts> {
  return orderWith(filesOf([parts.files_text]), parts);
}

/** As `orderOf`, with files that were read for several orders. */
export function orderWith<Parts extends Unfiled>(files: Files, parts: Parts): Whole<Parts> {
  const jobsOf = jobsOfLines(parts);
  const lines = parsed<LineTuple>(parts.lines_text).map((line) => lineOf(line, jobsOf, files));
  return withLines(parts, lines, files);
}

/** As `orderOf`, in pieces where the order has many lines. */
export async function orderInPieces<Parts extends ShownOrderParts>(asker: Asker, parts: Parts): Promise<Whole<Parts>> {
  const files = await asPiece(asker, parts.line_count, () => filesOf([parts.files_text]));
  return orderWithInPieces(asker, files, parts);
}

/** As `orderWith`, in pieces where the order has many lines. */
export async function orderWithInPieces<Parts extends Unfiled>(
  asker: Asker,
  files: Files,
  parts: Parts,
): Promise<Whole<Parts>> {
  const { line_count: count } = parts;
  if (count <= LINES_AT_ONCE_MAX) return orderWith(files, parts);
  const rows = await asPiece(asker, count, () => parsed<LineTuple>(parts.lines_text));
  const jobsOf = await asPiece(asker, count, () => jobsOfLines(parts));
  const lines = await mapInPieces(asker, rows, (line) => lineOf(line, jobsOf, files));
  return withLines(parts, lines, files);
}

/** Reads texts of print files; null is a text of none. */
export function filesOf(texts: readonly (string | null)[]): Files {
  const files = texts.flatMap((text) => (text === null ? [] : parsed<FileTuple>(text)));
  return { byKey: new Map(files.map((file) => [file[0], file])), artwork: artworkOf(files) };
}

/** What the files are made from; undefined where they were read without it. */
function artworkOf(files: readonly FileTuple[]): OrderRow['artwork'] {
  const artwork: Record<string, JobArtworkRow> = {};
  for (const [key, , output, design, template = null, position = null, report = null, failure = null] of files) {
    if (output === undefined || design === undefined) return undefined;
    artwork[key] = { output_hash: output, design_hash: design, template, position, report, failure };
  }
  return artwork;
}

type JobsOfLines = ReadonlyMap<string, readonly JobTuple[]>;

function jobsOfLines(parts: Unfiled): JobsOfLines {
  return Map.groupBy(parsed<JobTuple>(parts.jobs_text), ([lineId]) => lineId);
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
    print_jobs: jobs.map(([, area, method, key, replacedAt = null]) => {
      const state = files.byKey.get(key)?.[1] ?? null;
      return { area, method, ready: state === 'ready', expired: state === null, replaced_at: replacedAt };
    }),
    files: jobs.map(([, , , key]) => key),
  };
}

function withLines<Parts extends Unfiled>(parts: Parts, lines: LineRow[], { artwork }: Files): Whole<Parts> {
  return { ...parts, lines, ...(artwork === undefined ? {} : { artwork }) };
}
