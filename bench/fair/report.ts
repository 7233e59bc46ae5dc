import { type Campaign, nullShareOf, PROCESSORS, type Round } from './campaign.ts';
import type { Times } from './victim.ts';

/** The most that a p99 may be of the same endpoint's alone. */
export const RATIO_MAX = 2;

type Row = {
  readonly name: string;
  readonly n: number;
  readonly alone: readonly [p50: number, p99: number];
  readonly under: readonly [p50: number, p99: number];
  /** Of the p99 to that alone, during the attack and during its null attack. */
  readonly ratio: number;
  readonly nullRatio: number;
  readonly errors: string;
  /**
   * `machine`: above twice, and so it is when a process outside the service burns what attacker and hosts burn.
   * `UNFAIR` otherwise, and whenever a request failed.
   */
  readonly verdict: 'fair' | 'machine' | 'UNFAIR';
};

/** Writes a table for each attack, and one of all; returns whether all is fair. */
export function report({ alone, rounds, nullAttacks, afterwards }: Campaign, say: (line: string) => void): boolean {
  const tables = rounds.map((round) => ({
    round,
    rows: rowsOf(alone, round.times, nullAttacks.get(nullShareOf(round.outside))),
  }));
  for (const { round, rows } of tables) {
    say(`\n${round.name}: ${round.traffic}`);
    say(`  ${useOf(round)}; null attack at ${nullShareOf(round.outside)}`);
    for (const row of rows) say(lineOf(row));
  }
  say('\nafterwards, without an attack');
  for (const row of rowsOf(alone, afterwards, undefined)) say(lineOf(row));
  say('\nof each attack: endpoints above twice, of these by the machine alone; worst p99; worst median');
  for (const { round, rows } of tables) say(summaryOf(round.name, rows));
  for (const [share, times] of nullAttacks) say(summaryOf(`null attack at ${share}`, rowsOf(alone, times, undefined)));
  return tables.every(({ rows }) => rows.every(({ verdict }) => verdict !== 'UNFAIR'));
}

function rowsOf(alone: Times, under: Times, nullAttack: Times | undefined): Row[] {
  return [...under].map(([name, { ms, statuses }]) => {
    const before = alone.get(name)?.ms ?? [];
    const was = quantile(before, 0.99);
    const ratio = quantile(ms, 0.99) / was;
    const nullRatio = quantile(nullAttack?.get(name)?.ms ?? [], 0.99) / was;
    const refused = statuses.get(503) ?? 0;
    const failed = [...statuses].filter(([status]) => status >= 400).reduce((sum, [, count]) => sum + count, 0);
    const isAbove = !(ratio <= RATIO_MAX);
    const isOfMachine = isAbove && nullRatio > RATIO_MAX && ratio <= nullRatio;
    return {
      name,
      n: ms.length,
      alone: [quantile(before, 0.5), was],
      under: [quantile(ms, 0.5), quantile(ms, 0.99)],
      ratio,
      nullRatio,
      errors: failed === 0 ? '' : `  503 ${refused}, other errors ${failed - refused}`,
      verdict: failed > 0 || (isAbove && !isOfMachine) ? 'UNFAIR' : isAbove ? 'machine' : 'fair',
    };
  });
}

function lineOf({ name, n, alone, under, ratio, nullRatio, errors, verdict }: Row): string {
  const [p50, p99] = [0, 1].map((at) => `${shown(alone[at])} -> ${shown(under[at])}`);
  const ofNull = Number.isNaN(nullRatio) ? '' : `  null ${nullRatio.toFixed(1)}`;
  return `  ${verdict.padEnd(7)} ${name.padEnd(19)} n ${String(n).padStart(4)}  p50 ${p50}  p99 ${p99} ms  ratio ${ratio.toFixed(1)}${ofNull}${errors}`;
}

function summaryOf(name: string, rows: readonly Row[]): string {
  const above = rows.filter(({ ratio }) => !(ratio <= RATIO_MAX));
  const ofMachine = above.filter(({ verdict }) => verdict === 'machine');
  const worst = (of: (row: Row) => number): string => {
    const [row] = rows.toSorted((a, b) => of(b) - of(a));
    return row === undefined ? '' : `${of(row).toFixed(1)} ${row.name}`;
  };
  const byMedian = worst(({ alone, under }) => under[0] / alone[0]);
  return `  ${name.padEnd(40)} ${above.length} of ${rows.length}, ${ofMachine.length}; ${worst(({ ratio }) => ratio)}; ${byMedian}`;
}

function useOf({ busy, outside }: Round): string {
  return `${busy.toFixed(2)} of ${PROCESSORS} processors busy, ${outside.toFixed(2)} by attacker and hosts`;
}

/** The value below which a share of the values lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
}

/** Milliseconds for people. */
export function shown(ms: number | undefined = Number.NaN): string {
  return ms.toFixed(ms < 10 ? 1 : 0);
}
