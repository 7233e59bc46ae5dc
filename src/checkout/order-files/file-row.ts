import type { Columns, Field } from './columns.ts';

/** A row of a file with its number, as a spreadsheet counts: the headings are row 1. */
export type FileRow = { readonly number: number; readonly cells: readonly string[] };

/** The text of a field in a row; `""` where there is no such column or cell. */
export function cellOf({ cells }: FileRow, columns: Columns, field: Field): string {
  const at = columns[field];
  return at === undefined ? '' : (cells[at] ?? '').trim();
}

const LISTED_MAX = 8;

/** Some texts for a person, the first of many. */
export function listOf(texts: readonly string[]): string {
  const more = texts.length > LISTED_MAX ? ` and ${texts.length - LISTED_MAX} more` : '';
  return texts.slice(0, LISTED_MAX).join(', ') + more;
}
