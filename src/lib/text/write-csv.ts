import { type Options, stringify } from 'csv-stringify/sync';

/**
 * Writes a CSV file (RFC 4180).
 * A text that begins as a formula does gets an apostrophe, so that no spreadsheet runs it: customers choose texts.
 * An upload takes it away again (`readCsv`). `escape_formulas: false` is for files of a machine, which guard their own.
 */
export function writeCsv(
  rows: readonly (readonly unknown[])[],
  options: Pick<Options, 'bom' | 'cast' | 'delimiter' | 'escape_formulas'> = {},
): string {
  return stringify(
    rows.map((row) => [...row]),
    {
      escape_formulas: true,
      ...options,
      record_delimiter: 'windows',
      // Readers begin a row at a lone line feed or carriage return, too. Without this only both together are quoted.
      quote_record_delimiter: true,
    },
  );
}
