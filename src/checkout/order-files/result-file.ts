import type { Caller } from '../../lib/caller.ts';
import type { Context } from '../../lib/context.ts';
import { notFound } from '../../lib/errors.ts';
import { parseId } from '../../lib/ids.ts';
import { readCsv } from '../../lib/text/read-csv.ts';
import { writeCsv } from '../../lib/text/write-csv.ts';
import type { OrderFileEntry } from './order-file-schema.ts';
import { findFile, listFileEntries, ROWS_MAX, readContent } from './order-file-sql.ts';
import { entryView } from './order-file-view.ts';

/** The headings of what a result adds; no field of an order is guessed from them. */
const ADDED = ['Platen status', 'Platen order', 'Platen problem'];

/**
 * Writes a file's own rows with what became of each, as CSV with the separator that it came with.
 * `open` leaves out the rows of orders that are there by now, and of what others make: the rest can be mended and
 * uploaded again. Throws 404.
 */
export async function writeResultFile(
  ctx: Pick<Context, 'database'>,
  { accountId }: Caller,
  fileId: string,
  which: 'all' | 'open',
): Promise<string> {
  const id = parseId('file', fileId);
  const file = id === undefined ? undefined : await findFile(ctx.database, accountId, id);
  const content = file && (await readContent(ctx.database, accountId, file.id));
  if (id === undefined || file === undefined || content === undefined) throw notFound();
  const rows = await listFileEntries(ctx.database, { accountId, id }, { after: 0, state: undefined, limit: ROWS_MAX });
  const read = readCsv(content);
  const [headings = [], ...records] = read.kind === 'read' ? read.records : [];
  const of = { columns: file.columns, headings: [...headings] };
  const byRow = new Map(rows.flatMap((row) => row.row_numbers.map((number) => [number, entryView(row, of)] as const)));
  const kept = headings.map((_, index) => index).filter((index) => !ADDED.includes(headings[index] ?? ''));
  const lines = records.flatMap((cells, index) => {
    const entry = byRow.get(index + 2);
    if (cells.every((cell) => cell.trim() === '') || (which === 'open' && (entry === undefined || isDone(entry))))
      return [];
    const added = entry === undefined ? [rows.length === 0 ? '' : OTHERS, '', ''] : addedTo(entry, index + 2);
    return [[...kept.map((at) => cells[at] ?? ''), ...added]];
  });
  return writeCsv([[...kept.map((at) => headings[at] ?? ''), ...ADDED], ...lines], {
    bom: true,
    delimiter: read.kind === 'read' ? read.separator : ',',
  });
}

/** The status of rows that others make. */
const OTHERS = 'others';

function isDone({ status }: OrderFileEntry): boolean {
  return status === 'placed' || status === 'existing' || status === OTHERS;
}

function addedTo({ status, order, problems }: OrderFileEntry, row: number): string[] {
  const own = problems.filter((problem) => problem.row === row);
  const shown =
    own.length > 0 || problems.length === 0 ? own : [{ column: null, message: 'see the other rows of this order' }];
  const words = shown.map(({ column, message }) => (column === null ? message : `${column}: ${message}`));
  return [status, order?.reference ?? '', words.join(' | ')];
}
