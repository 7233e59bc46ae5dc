import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Milliseconds of processor time of each part; `service` has the main thread in it. */
export type Cost = {
  readonly postgres: number;
  readonly mainThread: number;
  readonly service: number;
  readonly load: number;
};

/** The processes of the parts. Of each the children count, too. */
export type Parts = {
  readonly postgres: readonly number[];
  readonly service: readonly number[];
  readonly load: readonly number[];
};

/** Measures from now on; the returned function says what was spent since. */
export type ProcessorClock = (parts: Parts) => () => Cost;

/**
 * Opens the clocks that Linux keeps of each thread, in nanoseconds (`/proc/<pid>/task/<thread>/schedstat`).
 * Returns undefined where the system has none. A process that has ended takes what it spent with it, so the parts keep
 * their processes and connections for as long as they are measured.
 */
export function openProcessorClock(proc = '/proc'): ProcessorClock | undefined {
  try {
    parseSchedstat(readFileSync(join(proc, 'self/schedstat'), 'utf8'));
  } catch {
    return undefined;
  }
  const read = (parts: Parts): Reading => readParts(proc, parts);
  return (parts) => {
    const before = read(parts);
    return () => {
      const after = read(parts);
      return {
        postgres: spent(before.postgres, after.postgres),
        mainThread: spent(before.mainThread, after.mainThread),
        service: spent(before.service, after.service),
        load: spent(before.load, after.load),
      };
    };
  };
}

/** What each of several was spent on. */
export function costOfEach(cost: Cost, count: number): Cost {
  return {
    postgres: cost.postgres / count,
    mainThread: cost.mainThread / count,
    service: cost.service / count,
    load: cost.load / count,
  };
}

/** The first number of a `schedstat`, nanoseconds on a processor, as milliseconds. Throws for any other text. */
export function parseSchedstat(text: string): number {
  const first = /^(\d+) \d+ \d+\s*$/.exec(text)?.[1];
  if (first === undefined) throw new Error('the text is not that of a schedstat');
  return Number(first) / 1_000_000;
}

/** The parent of a process and when it started, of the text of its `stat`; its name may have any character. */
export function parseStat(text: string): { readonly parent: number; readonly startedAt: string } {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const startedAt = fields[19];
  const parent = Number(fields[1]);
  if (startedAt === undefined || !Number.isInteger(parent)) throw new Error('the text is not that of a stat');
  return { parent, startedAt };
}

/** Milliseconds by process, or by thread; a key has the start of the process, since its number comes again. */
type Times = ReadonlyMap<string, number>;
type Reading = Readonly<Record<keyof Cost, Times>>;

function readParts(proc: string, parts: Parts): Reading {
  const processes = readProcesses(proc);
  const read = (pids: readonly number[], threads: (pid: number) => readonly string[]): Times =>
    new Map(
      pids.flatMap((pid) => {
        const startedAt = processes.get(pid)?.startedAt;
        if (startedAt === undefined) return [];
        return threads(pid).flatMap((thread) => {
          const ms = attempt(() => parseSchedstat(readFileSync(join(proc, `${pid}/task/${thread}/schedstat`), 'utf8')));
          return ms === undefined ? [] : [[`${pid} ${startedAt} ${thread}`, ms] as const];
        });
      }),
    );
  const all = (pid: number): readonly string[] => attempt(() => readdirSync(join(proc, `${pid}/task`))) ?? [];
  return {
    postgres: read(withChildren(processes, parts.postgres), all),
    mainThread: read(parts.service, (pid) => [String(pid)]),
    service: read(withChildren(processes, parts.service), all),
    load: read(withChildren(processes, parts.load), all),
  };
}

type Processes = ReadonlyMap<number, ReturnType<typeof parseStat>>;

function readProcesses(proc: string): Processes {
  const pids = readdirSync(proc).filter((name) => /^\d+$/.test(name));
  return new Map(
    pids.flatMap((pid) => {
      const stat = attempt(() => parseStat(readFileSync(join(proc, `${pid}/stat`), 'latin1')));
      return stat === undefined ? [] : [[Number(pid), stat] as const];
    }),
  );
}

function withChildren(processes: Processes, roots: readonly number[]): number[] {
  const found = new Set(roots);
  // A child may be listed before its parent: its number can be the smaller one.
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const [pid, { parent }] of processes) if (found.has(parent)) found.add(pid);
  }
  return [...found];
}

function spent(before: Times, after: Times): number {
  return [...after].reduce((sum, [key, ms]) => sum + ms - (before.get(key) ?? 0), 0);
}

/** A process or a thread may end while it is read. */
function attempt<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
