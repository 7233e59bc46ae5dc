import { readFileSync, writeFileSync } from 'node:fs';
import { SETTINGS, type Setting, UNAVAILABLE } from '../../src/lib/settings/table.ts';

/** What is written from the table of settings: the runbook between its two marks, and `.env.example` whole. */
export const RUNBOOK = 'docs/runbook.md';
export const ENV_EXAMPLE = '.env.example';

const BEGIN = '<!-- Written by `npm run settings` from src/lib/settings/table.ts. -->';
const END = '<!-- The end of what `npm run settings` writes. -->';
const WIDTH = 120;

const rows: readonly Setting<unknown>[] = Object.values(SETTINGS);

/** `npm run settings`: writes both anew. */
if (import.meta.main) {
  writeFileSync(ENV_EXAMPLE, envExampleText());
  writeFileSync(RUNBOOK, runbookText(readFileSync(RUNBOOK, 'utf8')));
}

/** The runbook with the table of settings as the code has it. Throws where the marks are missing. */
export function runbookText(runbook: string): string {
  const [begin, end] = [runbook.indexOf(BEGIN), runbook.indexOf(END)];
  if (begin === -1 || end < begin) throw new Error(`${RUNBOOK} lacks the marks of the table of settings`);
  return `${runbook.slice(0, begin)}${BEGIN}\n\n${settingsTable()}\n\n${runbook.slice(end)}`;
}

function settingsTable(): string {
  return [
    '| Setting | Default | Bounds | Means |',
    '|---|---|---|---|',
    ...rows.map((row) => `| \`${row.name}\` | ${defaultCell(row)} | ${row.form.bounds} | ${row.means} |`),
  ].join('\n');
}

function defaultCell({ default: unset, defaultText, otherDefaults }: Setting<unknown>): string {
  const text = defaultText ?? (unset === undefined ? 'unset' : `\`${unset}\``);
  return otherDefaults === undefined ? text : `${text} (${otherDefaults})`;
}

/** A file of all settings, each commented out with its default or an example. */
export function envExampleText(): string {
  const groups = [...new Set(rows.map(({ group }) => group))];
  return [
    '# Settings of Platen. Copy to .env beside package.json; the environment wins over the file.',
    '# None is required with the embedded database. Written by `npm run settings`.',
    ...groups.flatMap((group) => [
      '',
      `## ${group}`,
      ...rows.filter((row) => row.group === group).flatMap((row) => ['', ...entry(row)]),
    ]),
    '',
  ].join('\n');
}

function entry({ name, form, means, default: unset, otherDefaults, example }: Setting<unknown>): string[] {
  const allowed = form.bounds === '' ? '' : ` Allowed: ${form.bounds}.`;
  const others = otherDefaults === undefined ? '' : ` Other defaults: ${otherDefaults}.`;
  return [...wrapped(plain(`${means}${allowed}${others}`)), `#${name}=${example ?? unset ?? ''}`];
}

/** Markdown as plain text: a link is its words, code has no marks. */
function plain(markdown: string): string {
  return markdown.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1').replaceAll('`', '');
}

function wrapped(text: string): string[] {
  const lines: string[] = [];
  let line = '#';
  for (const word of text.split(' ')) {
    if (line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = '#';
    }
    line += ` ${word}`;
  }
  return [...lines, line];
}

/** The names that the service reads: those of the table and those that it refuses. */
export function knownNames(): string[] {
  return [...rows.map(({ name }) => name), ...UNAVAILABLE];
}
