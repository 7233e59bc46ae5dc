/** A line of a table: what was measured, and what it is compared with in the same run. */
export type Row = {
  readonly what: string;
  readonly ours: number;
  readonly against: string;
  readonly theirs: number;
  readonly unit: string;
};

/** The middle one of some values. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** The rows as aligned text. */
export function tableOf(rows: readonly Row[]): string {
  return rows
    .map(({ what, ours, against, theirs, unit }) => {
      const ratio = Number.isFinite(theirs) ? `, ratio ${(ours / theirs).toFixed(2)}` : '';
      return `${what}: ${shown(ours)} ${unit}; ${against}: ${shown(theirs)} ${unit}${ratio}`;
    })
    .join('\n');
}

function shown(value: number): string {
  if (!Number.isFinite(value)) return '-';
  return value.toFixed(value < 10 ? 3 : value < 100 ? 1 : 0);
}
