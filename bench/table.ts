import { oursOf, type Row, ratioOf, reachedOf, type Spread } from './figures.ts';
import type { Cost } from './processor-clock.ts';

/** The table of all rows for a terminal, and below it that of processor time where it was measured. */
export function textTable(rows: readonly Row[]): string {
  const parts = [aligned(HEAD, rows.map(cells))];
  if (rows.some(({ cost }) => cost !== undefined)) {
    parts.push(`Processor time of each, ms\n${aligned(COST_HEAD, costLines(rows))}`);
  }
  return parts.join('\n\n');
}

/** The same two tables in Markdown. */
export function markdownTable(rows: readonly Row[]): string {
  const parts = [markdown(HEAD, rows.map(cells))];
  if (rows.some(({ cost }) => cost !== undefined)) {
    parts.push('Processor time of each, in ms:', markdown(COST_HEAD, costLines(rows)));
  }
  return parts.join('\n\n');
}

/** A number with three significant digits, whole from a hundred on. */
export function shown(value: number): string {
  if (!Number.isFinite(value)) return '-';
  const size = Math.abs(value);
  const decimals = size >= 100 ? 0 : size >= 10 ? 1 : size >= 0.1 ? 2 : 3;
  return value.toLocaleString('en-GB', { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

/** A goal in words, such as "ratio ≥ 0.6, then 1". */
export function goalText({ goal, unit }: Row): string {
  if (goal === undefined) return '';
  const sign = goal.is === 'at least' ? '≥' : '≤';
  const [near, far] = goal.first === undefined ? [goal.value, undefined] : [goal.first, goal.value];
  const values = `${near}${far === undefined ? '' : `, then ${far}`}`;
  return goal.of === 'ratio' ? `ratio ${sign} ${values}` : `${sign} ${withUnit(values, unit)}`;
}

const HEAD = ['What', 'Ours', 'Against', 'Theirs', 'Ratio', 'Lowest to highest', 'Goal', 'Reached'];
const COST_HEAD = ['What', 'PostgreSQL', 'Main thread', 'Service in all', 'Load'];

function cells(row: Row): string[] {
  const ratio = ratioOf(row);
  return [
    row.what,
    withUnit(shown(row.ours), row.unit),
    row.against ?? '',
    ratio === undefined || row.theirs === undefined ? '' : withUnit(shown(row.theirs), row.unit),
    ratio === undefined ? '' : shown(ratio.median),
    spreadText(row, ratio),
    goalText(row),
    reachedOf(row) ?? '',
  ];
}

/** The spread of what the goal is about, else of the ratio. That of what is ours has its unit. */
function spreadText(row: Row, ratio: Spread | undefined): string {
  if ((row.rounds?.length ?? 0) < 2) return '';
  const isOfRatio = ratio !== undefined && row.goal?.of !== 'ours';
  const { lowest, highest } = isOfRatio ? ratio : oursOf(row);
  const last = isOfRatio ? shown(highest) : withUnit(shown(highest), row.unit);
  return `${shown(lowest)} to ${last}`;
}

/** A line for each thing that was measured; what several are compared with has one. */
function costLines(rows: readonly Row[]): string[][] {
  const lines = new Map<string, string[]>();
  for (const cells of rows.flatMap(costCells)) {
    const [name = ''] = cells;
    if (!lines.has(name)) lines.set(name, cells);
  }
  return [...lines.values()];
}

function costCells({ what, against, cost }: Row): string[][] {
  if (cost === undefined) return [];
  const line = (name: string, { postgres, mainThread, service, load }: Cost): string[] => [
    `${name}, ${cost.per}`,
    ...[postgres, mainThread, service, load].map(shown),
  ];
  return [line(what, cost.ours), ...(cost.theirs === undefined ? [] : [line(against ?? '', cost.theirs)])];
}

function withUnit(value: string, unit: string): string {
  return unit.startsWith('/') ? `${value}${unit}` : `${value} ${unit}`;
}

function aligned(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all
    .map((row) => row.map((cell, column) => padded(cell, column, widths[column] ?? 0)))
    .map((row) => row.join('  ').trimEnd())
    .join('\n');
}

/** Numbers stand to the right; the first column has none. */
function padded(cell: string, column: number, width: number): string {
  return column > 0 && /^[\d-]/.test(cell) ? cell.padStart(width) : cell.padEnd(width);
}

function markdown(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (row: readonly string[]): string => `| ${row.join(' | ')} |`;
  return [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)].join('\n');
}
