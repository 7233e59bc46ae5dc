import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { plotsOf } from './plots.ts';
import type { Row } from './rows.ts';
import { markdownTable } from './table.ts';

/** What a run found, and where it ran. */
export type Results = {
  readonly command: string;
  /** The day, as `YYYY-MM-DD`. */
  readonly takenOn: string;
  /** `busy`: how many processes ran or wanted to in the minute before. */
  readonly machine: { readonly processors: number; readonly model: string; readonly busy: number };
  readonly rounds: number;
  readonly seconds: number;
  readonly rows: readonly Row[];
};

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FOLDER = 'docs/plots';
/** Where the rows are kept from which the plots and the table were made. */
export const RESULTS_FILE = `${FOLDER}/results.json`;
/** The document with the table. */
export const TABLE_FILE = 'docs/scaling.md';
const BEGIN = '<!-- written by npm run bench -- --plots -->';
const END = '<!-- end of what npm run bench wrote -->';

/** Writes the rows, their plots and the table of docs/scaling.md; returns the paths. */
export async function writeResults(results: Results): Promise<string[]> {
  const text = await readFile(join(ROOT, TABLE_FILE), 'utf8');
  const files = [
    ...Object.entries(plotsOf(results.rows)).map(([name, svg]) => [`${FOLDER}/${name}.svg`, svg] as const),
    [RESULTS_FILE, `${JSON.stringify(results, null, 2)}\n`] as const,
    [TABLE_FILE, withTable(text, tableSection(results))] as const,
  ];
  await mkdir(join(ROOT, FOLDER), { recursive: true });
  for (const [path, content] of files) await writeFile(join(ROOT, path), content);
  return files.map(([path]) => path);
}

/** What stands between the two marks of the document. */
export function tableSection({ command, takenOn, machine, rounds, seconds, rows }: Results): string {
  const taken = `Taken on ${takenOn} by \`${command}\`, ${rounds} rounds of ${seconds} s each, on ${machine.processors} processors that load, service
and database share (${machine.model}); ${machine.busy.toFixed(1)} of them were busy before it began.`;
  return `${taken}\n\n${markdownTable(rows)}`;
}

/** A document with another section between its marks. Throws when it has none. */
export function withTable(document: string, section: string): string {
  const [before, after] = document.split(BEGIN);
  const rest = after?.split(END)[1];
  if (before === undefined || rest === undefined) throw new Error(`${TABLE_FILE} lacks "${BEGIN}" or "${END}"`);
  return `${before}${BEGIN}\n\n${section}\n\n${END}${rest}`;
}
