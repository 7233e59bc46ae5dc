import type { Cost } from './processor-clock.ts';

/** What one round measured: of the service, and of what it is compared with. */
export type Round = { readonly ours: number; readonly theirs?: number };

/**
 * What is to be reached, of the ratio of the two or of what is ours alone.
 * `first`: a nearer goal on the way.
 */
export type Goal = {
  readonly of: 'ratio' | 'ours';
  readonly is: 'at least' | 'at most';
  readonly value: number;
  readonly first?: number;
};

/** How long requests took: the milliseconds within which this share of them was answered. */
export type Quantile = { readonly share: number; readonly ms: number };

/**
 * A row of the table.
 * `ours` and `theirs` are medians of the rounds where there are rounds. A part that measures by itself returns such
 * rows, with `what`, `unit` and `ours` at least; a value that is not a number is none.
 */
export type Row = {
  readonly what: string;
  readonly unit: string;
  readonly ours: number;
  readonly against?: string;
  readonly theirs?: number;
  readonly rounds?: readonly Round[];
  readonly goal?: Goal;
  /** Processor time of each part, and of what it is spent on each: an order, a read, a line. */
  readonly cost?: { readonly per: string; readonly ours: Cost; readonly theirs?: Cost };
  readonly quantiles?: readonly Quantile[];
};

/** Makes a row of its rounds. */
export function rowOf(rounds: readonly Round[], row: Omit<Row, 'ours' | 'theirs' | 'rounds'>): Row {
  const theirs = rounds.flatMap((round) => round.theirs ?? []);
  return {
    ...row,
    ours: median(rounds.map(({ ours }) => ours)),
    ...(theirs.length === 0 ? {} : { theirs: median(theirs) }),
    rounds,
  };
}

/** A median with the lowest and the highest of the rounds. */
export type Spread = { readonly median: number; readonly lowest: number; readonly highest: number };

/** The ratio of a row, round by round; undefined where there is nothing to compare with. */
export function ratioOf({ ours, theirs, rounds }: Row): Spread | undefined {
  if (theirs === undefined || !Number.isFinite(theirs)) return undefined;
  const ratios = (rounds ?? []).flatMap((round) => (round.theirs === undefined ? [] : round.ours / round.theirs));
  return ratios.length === 0 ? spreadOf([ours / theirs]) : spreadOf(ratios);
}

/** What is ours, without what it is compared with. */
export function oursOf({ ours, rounds }: Row): Spread {
  return rounds === undefined || rounds.length === 0 ? spreadOf([ours]) : spreadOf(rounds.map((round) => round.ours));
}

/** What a row's goal is about; undefined without a goal. */
export function goalFigureOf(row: Row): Spread | undefined {
  if (row.goal === undefined) return undefined;
  return row.goal.of === 'ours' ? oursOf(row) : ratioOf(row);
}

/** Whether the median reaches the goal, or the first goal; undefined where there is no goal. */
export function reachedOf(row: Row): 'yes' | 'first' | 'no' | undefined {
  const figure = goalFigureOf(row)?.median;
  const { goal } = row;
  if (goal === undefined || figure === undefined) return undefined;
  const reaches = (value: number): boolean => (goal.is === 'at least' ? figure >= value : figure <= value);
  if (reaches(goal.value)) return 'yes';
  return goal.first !== undefined && reaches(goal.first) ? 'first' : 'no';
}

/** The median; that of an even number of values is the mean of the two in the middle. Not a number for none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? Number.NaN;
  return (lower + upper) / 2;
}

/** The value that this share of the sorted values does not exceed. Not a number for none. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

function spreadOf(values: readonly number[]): Spread {
  return { median: median(values), lowest: Math.min(...values), highest: Math.max(...values) };
}
