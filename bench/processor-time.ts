import { readdirSync, readFileSync } from 'node:fs';

/** Processor time in seconds: of the main threads, and of all threads of the processes. */
export type ProcessorTime = { readonly main: number; readonly all: number };

const NS = 1e9;
const TICKS_PER_SECOND = 100;

/** Processor time that a process has used (Linux; man 5 proc). */
export function processorTime(pid: number): ProcessorTime {
  const threads = threadsOf(pid);
  return { main: threads[pid] ?? 0, all: Object.values(threads).reduce((sum, each) => sum + each, 0) };
}

/** The same of a process and all of its descendants, those that have ended and were waited for included. */
export function processorTimeOfAll(pid: number): ProcessorTime {
  const { main, all } = processorTime(pid);
  const children = childrenOf(pid).reduce((sum, child) => sum + processorTimeOfAll(child).all, 0);
  return { main, all: all + endedChildren(pid) + children };
}

/** What was used between two readings. */
export function usedSince(before: ProcessorTime, after: ProcessorTime): ProcessorTime {
  return { main: after.main - before.main, all: after.all - before.all };
}

/** The largest sum of resident memory of a process and its children that was seen, in bytes, until it is stopped. */
export function watchMemory(pids: readonly number[], withChildren: boolean): { readonly stop: () => number } {
  let peak = 0;
  const look = (): void => {
    const all = withChildren ? pids.flatMap((pid) => childrenOf(pid)) : pids;
    peak = Math.max(
      peak,
      all.reduce((sum, pid) => sum + residentBytes(pid), 0),
    );
  };
  const timer = setInterval(look, MEMORY_EVERY_MS);
  return {
    stop: () => {
      clearInterval(timer);
      return peak;
    },
  };
}

const MEMORY_EVERY_MS = 20;
const KIB = 1_024;

function residentBytes(pid: number): number {
  const text = readOr(`/proc/${pid}/status`, '');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(text)?.[1] ?? 0) * KIB;
}

function threadsOf(pid: number): Record<string, number> {
  const used: Record<string, number> = {};
  for (const thread of namesIn(`/proc/${pid}/task`)) {
    used[thread] = Number(readOr(`/proc/${pid}/task/${thread}/schedstat`, '0').split(' ')[0]) / NS;
  }
  return used;
}

function childrenOf(pid: number): number[] {
  return namesIn(`/proc/${pid}/task`).flatMap((thread) =>
    readOr(`/proc/${pid}/task/${thread}/children`, '').split(' ').filter(Boolean).map(Number),
  );
}

/** Of children that have ended: user and system time, in clock ticks. */
function endedChildren(pid: number): number {
  const line = readOr(`/proc/${pid}/stat`, '');
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13] ?? 0) + Number(fields[14] ?? 0)) / TICKS_PER_SECOND;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** A process may end between two looks. */
function readOr(path: string, otherwise: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return otherwise;
  }
}
