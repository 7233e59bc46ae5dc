import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Row } from './figures.ts';
import { plotsOf } from './plots.ts';
import { markdownTable } from './table.ts';

/** What a run found, and where it ran. */
export type Results = {
  readonly command: string;
  /** The day, as `YYYY-MM-DD`. */
  readonly takenOn: string;
  /** The load average is that of the minute before: above zero, other work ran on the machine. */
  readonly machine: { readonly processors: number; readonly model: string; readonly loadAverage: number };
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
    [TABLE_FILE, withSection(text, sectionOf(results))] as const,
  ];
  await mkdir(join(ROOT, FOLDER), { recursive: true });
  for (const [path, content] of files) await writeFile(join(ROOT, path), content);
  return files.map(([path]) => path);
}

/** What stands between the two marks of the document: how it was taken, the tables and the plots. */
export function sectionOf({ command, takenOn, machine, rounds, seconds, rows }: Results): string {
  const busy =
    machine.loadAverage < machine.processors / 4
      ? ''
      : ' Other work ran on the machine, so no rate below is that of the service on a machine of its own, and ratios are rough.';
  const taken = `Taken on ${takenOn} by \`${command}\`, ${rounds} rounds of ${seconds} s each, on ${machine.processors} processors that load, service
and database share (${machine.model}); the load average was ${machine.loadAverage.toFixed(1)} before it began.${busy}`;
  const pictures = Object.keys(plotsOf(rows)).map((name) => `![${PICTURES[name] ?? name}](plots/${name}.svg)`);
  return [taken, markdownTable(rows), ...pictures].join('\n\n');
}

/** What each picture shows, for those who do not see it. */
const PICTURES: Readonly<Record<string, string>> = {
  goals: 'How near each goal is',
  'processor-time': 'Processor time of an order, an estimate and a read, by part',
  latency: 'How long orders take that come at a fixed rate',
};

/** A document with another section between its marks. Throws when it has none. */
export function withSection(document: string, section: string): string {
  const { before, after } = divided(document);
  return `${before}${BEGIN}\n\n${section}\n\n${END}${after}`;
}

/** What stands between the marks of a document. Throws when it has none. */
export function sectionBetweenMarks(document: string): string {
  return divided(document).section.trim();
}

function divided(document: string): { readonly before: string; readonly section: string; readonly after: string } {
  const [before = '', rest = ''] = document.split(BEGIN);
  const [section, after] = rest.split(END);
  if (section === undefined || after === undefined)
    throw new Error(`${TABLE_FILE} lacks "${BEGIN}" and "${END}" below it`);
  return { before, section, after };
}
