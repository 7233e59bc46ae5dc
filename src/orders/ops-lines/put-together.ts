import type { Asker } from '../../lib/turns/owner.ts';
import { asPiece, mapInPieces } from '../../lib/turns/pieces.ts';
import type { LineRow } from '../read-sql.ts';
import type { AllocationPart, JobPart, LinePart, LineParts, OpsLineRow } from './ops-lines-sql.ts';

/** The lines of an order, as its owner sees them and as operators do, in the same order. */
export type OpsLines = { readonly lines: LineRow[]; readonly ops_lines: OpsLineRow[] };

/** Puts the lines of an order together from their parts, in pieces where it has many. */
export async function putLinesTogether(asker: Asker, parts: LineParts): Promise<OpsLines> {
  const { line_count: count } = parts;
  const parsed = <Part>(text: string): Promise<Part[]> => asPiece(asker, count, () => JSON.parse(text) as Part[]);
  const rows = await parsed<LinePart>(parts.lines_text);
  const jobs = await parsed<JobPart>(parts.jobs_text);
  const allocations = await parsed<AllocationPart>(parts.allocations_text);
  const jobsOf = await asPiece(asker, count, () => Map.groupBy(jobs, ({ line_id: id }) => id));
  const allocationOf = new Map(allocations.map(({ line_id: id, ...allocation }) => [id, allocation]));
  const lines = await mapInPieces(asker, rows, (row) => {
    const own = jobsOf.get(row.id) ?? [];
    return [lineOf(row, own, parts), opsLineOf(row, own, parts, allocationOf.get(row.id) ?? null)] as const;
  });
  return { lines: lines.map(([line]) => line), ops_lines: lines.map(([, line]) => line) };
}

function lineOf(row: LinePart, jobs: readonly JobPart[], { print_files: files }: LineParts): LineRow {
  return {
    ...row,
    started: row.started_at !== null,
    print_jobs: jobs.map(({ area, method, file, replaced_at }) => {
      const made = files[file];
      return { area, method, ready: made?.state === 'ready', expired: made === undefined, replaced_at };
    }),
    files: jobs.map(({ file }) => file),
  };
}

function opsLineOf(
  { id, quantity_spoiled, started_at }: LinePart,
  jobs: readonly JobPart[],
  { print_files: files }: LineParts,
  allocation: OpsLineRow['allocation'],
): OpsLineRow {
  return {
    id,
    quantity_spoiled,
    started_at,
    allocation,
    print_jobs: jobs.map((job) => {
      const made = files[job.file];
      return {
        area: job.area,
        method: job.method,
        station: job.station,
        quantity_done: job.quantity_done,
        quantity_spoiled: job.quantity_spoiled,
        artwork_state: made?.state ?? 'expired',
        failure: made?.failure ?? null,
      };
    }),
  };
}
