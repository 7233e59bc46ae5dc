import type { Log } from '../log.ts';
import { createCounter } from './instruments.ts';

/**
 * A statement that takes this long is logged.
 * Statements here take milliseconds, and an order at the 99th percentile 50 ms (goals): a second is a lock, a missing
 * index or a machine in trouble, and never the usual case.
 */
export const SLOW_MS = 1_000;

const count = createCounter({
  name: 'platen_slow_statements_total',
  help: `Statements that took ${SLOW_MS / 1_000} s or longer, by name; the log has each of them.`,
  labels: ['statement'],
});

/** How a statement ended. */
export type StatementEnd = {
  /** Of a statement without one, such as `begin`, the first word is shown. */
  readonly name: string | undefined;
  readonly text: string;
  readonly ms: number;
  /** Null where there are none to count, or it failed. */
  readonly rows: number | null;
  /** The SQLSTATE or the code of the connection's error; undefined for a success. */
  readonly failure: string | undefined;
};

/** Logs and counts statements that took too long: by name, with time and rows, never with values. */
export function createSlowLog(log: Log, slowMs: number): (end: StatementEnd) => void {
  return ({ name, text, ms, rows, failure }) => {
    if (ms < slowMs) return;
    const statement = name || (/^\w+/.exec(text)?.[0] ?? 'unnamed');
    count({ statement });
    log.warn(
      { statement, ms: Math.round(ms), rows, ...(failure === undefined ? {} : { failure }) },
      'a statement was slow',
    );
  };
}
