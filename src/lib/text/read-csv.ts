/** The records of a CSV file, or why it is none; rows are counted from 1 as a spreadsheet does. */
export type CsvText =
  | { readonly kind: 'read'; readonly separator: string; readonly records: readonly (readonly string[])[] }
  | { readonly kind: 'broken' | 'too_large'; readonly row: number; readonly why: string };

/** Records of a file, blank ones too: a spreadsheet may write thousands of them below the last row. */
const RECORDS_MAX = 20_000;
/** Cells of a record. */
const CELLS_MAX = 300;

const SEPARATORS = [',', ';', '\t'];
/** The first line of a file that says itself how its cells are separated. */
const SEPARATOR_LINE = /^sep=([,;\t])\r?\n/i;

/**
 * Reads a CSV file (RFC 4180) with commas, semicolons or tabs, a byte order mark and any line ends.
 * A quoted cell may hold separators, line breaks and doubled quotes. Anything else around a quote is refused: a file
 * that is guessed at would order what was never meant. An empty line is a record of one empty cell. The apostrophe that
 * keeps a spreadsheet from running a cell as a formula, as our own files have it, is taken away. Reading stops at
 * bounds, since a text of separators and line ends alone would make a cell of each of its characters.
 */
export function readCsv(text: string): CsvText {
  const marked = text.startsWith('\uFEFF') ? text.slice(1) : text;
  const said = SEPARATOR_LINE.exec(marked);
  const body = said === null ? marked : marked.slice(said[0].length);
  const separator = said?.[1] ?? likeliestSeparator(body);
  const records: string[][] = [];
  let cells: string[] = [];
  for (let at = 0; at <= body.length; ) {
    const cell = body[at] === '"' ? quotedCell(body, at) : plainCell(body, at, separator);
    if (cell === undefined) return { kind: 'broken', row: records.length + 1, why: 'a quote is not closed' };
    const end = body[cell.end];
    const isEnd = end === undefined || end === '\r' || end === '\n';
    if (!isEnd && end !== separator) {
      return { kind: 'broken', row: records.length + 1, why: 'a text goes on after its closing quote' };
    }
    if (cell.text.includes('"') && body[at] !== '"') {
      return { kind: 'broken', row: records.length + 1, why: 'a quote stands in a text that is not quoted' };
    }
    if (records.length >= RECORDS_MAX && at < body.length) {
      return {
        kind: 'too_large',
        row: records.length + 1,
        why: `a file has at most ${RECORDS_MAX} rows, blank ones too`,
      };
    }
    if (cells.length >= CELLS_MAX) {
      return { kind: 'too_large', row: records.length + 1, why: `a row has at most ${CELLS_MAX} cells` };
    }
    cells.push(withoutGuard(cell.text));
    at = cell.end + (end === '\r' && body[cell.end + 1] === '\n' ? 2 : 1);
    if (!isEnd) continue;
    // The end of the last line is no record of its own.
    if (end !== undefined || cells.length > 1 || cells[0] !== '') records.push(cells);
    cells = [];
  }
  return { kind: 'read', separator, records };
}

type Cell = { readonly text: string; readonly end: number };

function quotedCell(body: string, start: number): Cell | undefined {
  let text = '';
  for (let at = start + 1; ; ) {
    const quote = body.indexOf('"', at);
    if (quote === -1) return undefined;
    text += body.slice(at, quote);
    if (body[quote + 1] !== '"') return { text, end: quote + 1 };
    text += '"';
    at = quote + 2;
  }
}

function plainCell(body: string, start: number, separator: string): Cell {
  let end = start;
  while (end < body.length && body[end] !== separator && body[end] !== '\n' && body[end] !== '\r') end += 1;
  return { text: body.slice(start, end), end };
}

function withoutGuard(text: string): string {
  return /^'[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/.test(text) ? text.slice(1) : text;
}

/** The separator that stands most often in the first line, outside of quotes. */
function likeliestSeparator(body: string): string {
  const line = /^(?:"(?:[^"]|"")*"|[^"\r\n])*/.exec(body)?.[0].replaceAll(/"(?:[^"]|"")*"/g, '') ?? '';
  const count = (separator: string): number => line.split(separator).length - 1;
  return SEPARATORS.toSorted((one, other) => count(other) - count(one))[0] ?? ',';
}
