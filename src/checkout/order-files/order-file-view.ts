import { isoTime } from '../../lib/clock.ts';
import { publicId } from '../../lib/ids.ts';
import { pence, toPounds } from '../../lib/money.ts';
import { readCsv } from '../../lib/text/read-csv.ts';
import { FIELDS, missingFields } from './columns.ts';
import type { ListedOrderFile, OrderFile, OrderFileEntry } from './order-file-schema.ts';
import type { EntryState, FileCount, FileEntryRow, FileHead, FileWithHeadings } from './order-file-sql.ts';

/** A file of a list. */
export function listedFileView(file: FileHead, counts: readonly FileCount[]): ListedOrderFile {
  const of = (state: EntryState) => counts.find((each) => each.file_id === file.id && each.state === state);
  const count = (state: EntryState): number => of(state)?.count ?? 0;
  return {
    id: publicId('file', file.id),
    name: file.name,
    status: file.state,
    plan: file.plan,
    row_count: file.row_count,
    prefix: file.prefix,
    places_repeats: file.places_repeats,
    counts: {
      waiting: count('waiting'),
      ready: count('ready'),
      wrong: count('wrong'),
      existing: count('existing'),
      placed: count('placed'),
      refused: count('refused'),
      others: count('others'),
    },
    total: toPounds(pence(of('ready')?.total_pence ?? 0)),
    unpaid_count: of('placed')?.unpaid ?? 0,
    placed_total: toPounds(pence(of('placed')?.total_pence ?? 0)),
    currency: 'GBP',
    created_at: isoTime(file.created_at),
    confirmed_at: file.confirmed_at === null ? null : isoTime(file.confirmed_at),
  };
}

/** A file with the columns that it is read by. */
export function fileView(file: FileWithHeadings, counts: readonly FileCount[]): OrderFile {
  const { columns } = file;
  return {
    ...listedFileView(file, counts),
    headings: headingsOf(file),
    columns: FIELDS.map((field) => ({ field, column: columns[field] ?? null })),
    missing: missingFields(columns),
  };
}

/** The headings of a stored file; none once it was emptied. */
export function headingsOf({ headings, unread }: Pick<FileWithHeadings, 'headings' | 'unread'>): string[] {
  if (headings !== null) return headings;
  const read = readCsv(unread ?? '');
  return read.kind === 'read' ? [...(read.records[0] ?? [])] : [];
}

/** An order of a file, with the headings in place of the fields. */
export function entryView(
  row: FileEntryRow,
  { columns, headings }: Pick<FileHead, 'columns'> & { headings: string[] },
): OrderFileEntry {
  return {
    place: row.place,
    external_reference: row.external_reference,
    rows: row.row_numbers,
    status: row.state,
    total: row.total_pence === null ? null : toPounds(pence(row.total_pence)),
    problems: row.problems.map(({ row: number, field, message }) => ({
      row: number,
      column: headingOf(field, columns, headings),
      message,
    })),
    warnings: row.warnings,
    order:
      row.order_id === null || row.reference === null
        ? null
        : { id: publicId('ord', row.order_id), reference: row.reference },
  };
}

function headingOf(field: string | null, columns: FileHead['columns'], headings: readonly string[]): string | null {
  const known = FIELDS.find((each) => each === field);
  if (known === undefined) return null;
  const at = columns[known];
  return at === undefined ? known : (headings[at] ?? known);
}
