import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSchedstat, readProcesses, threadTimes, withChildren } from './processes.ts';

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

/** Milliseconds by process, or by thread; a key has the start of the process, since its number comes again. */
type Times = ReadonlyMap<string, number>;
type Reading = Readonly<Record<keyof Cost, Times>>;

function readParts(proc: string, parts: Parts): Reading {
  const processes = readProcesses(proc);
  const read = (pids: readonly number[]): Times =>
    new Map(
      pids.flatMap((pid) => {
        const startedAt = processes.get(pid)?.startedAt;
        if (startedAt === undefined) return [];
        return [...threadTimes(proc, pid)].map(([thread, ms]) => [`${pid} ${startedAt} ${thread}`, ms] as const);
      }),
    );
  const ofAll = (pids: readonly number[]): Times => read(withChildren(processes, pids));
  const service = ofAll(parts.service);
  return {
    postgres: ofAll(parts.postgres),
    mainThread: new Map([...service].filter(([key]) => isMainThread(key, parts.service))),
    service,
    load: ofAll(parts.load),
  };
}

/** The main thread of a process has its number. It is read once with its process, so that it is never more than it. */
function isMainThread(key: string, pids: readonly number[]): boolean {
  const [pid, , thread] = key.split(' ');
  return pid === thread && pids.includes(Number(pid));
}

function spent(before: Times, after: Times): number {
  return [...after].reduce((sum, [key, ms]) => sum + ms - (before.get(key) ?? 0), 0);
}
