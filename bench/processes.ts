import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What Linux says of a process: `endedMs` is the processor time of those of its children that have ended. */
export type Process = { readonly parent: number; readonly startedAt: string; readonly endedMs: number };
export type Processes = ReadonlyMap<number, Process>;

const NS_PER_MS = 1_000_000;
const MS_PER_TICK = 10;

/** Every process, by its number (man 5 proc, `stat`). */
export function readProcesses(proc: string): Processes {
  const pids = readdirSync(proc).filter((name) => /^\d+$/.test(name));
  return new Map(
    pids.flatMap((pid) => {
      const stat = attempt(() => parseStat(readFileSync(join(proc, `${pid}/stat`), 'latin1')));
      return stat === undefined ? [] : [[Number(pid), stat] as const];
    }),
  );
}

/** These processes and all that descend from them. */
export function withChildren(processes: Processes, roots: readonly number[]): number[] {
  const found = new Set(roots);
  // A child may be listed before its parent: its number can be the smaller one.
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const [pid, { parent }] of processes) if (found.has(parent)) found.add(pid);
  }
  return [...found];
}

/** Milliseconds of processor time of each living thread of a process; none of one that has ended. */
export function threadTimes(proc: string, pid: number): ReadonlyMap<string, number> {
  const threads = attempt(() => readdirSync(join(proc, `${pid}/task`))) ?? [];
  return new Map(
    threads.flatMap((thread) => {
      const ms = attempt(() => parseSchedstat(readFileSync(join(proc, `${pid}/task/${thread}/schedstat`), 'utf8')));
      return ms === undefined ? [] : [[thread, ms] as const];
    }),
  );
}

/** The first number of a `schedstat`, nanoseconds on a processor, as milliseconds. Throws for any other text. */
export function parseSchedstat(text: string): number {
  const first = /^(\d+) \d+ \d+\s*$/.exec(text)?.[1];
  if (first === undefined) throw new Error('the text is not that of a schedstat');
  return Number(first) / NS_PER_MS;
}

/** The fields of the text of a `stat` that are wanted here; the name of a process may have any character. */
export function parseStat(text: string): Process {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const startedAt = fields[19];
  const parent = Number(fields[1]);
  const endedTicks = Number(fields[13]) + Number(fields[14]);
  if (startedAt === undefined || !Number.isInteger(parent) || !Number.isInteger(endedTicks)) {
    throw new Error('the text is not that of a stat');
  }
  return { parent, startedAt, endedMs: endedTicks * MS_PER_TICK };
}

/** A process or a thread may end while it is read. */
function attempt<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
