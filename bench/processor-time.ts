import { readFileSync } from 'node:fs';
import { readProcesses, threadTimes, withChildren } from './processes.ts';

/** Processor time in seconds: of the main threads, and of all threads of the processes. */
export type ProcessorTime = { readonly main: number; readonly all: number };

const PROC = '/proc';
const MS_PER_S = 1_000;
const MEMORY_EVERY_MS = 20;
const KIB = 1_024;

/** Processor time that a process has used (Linux; man 5 proc). */
export function processorTime(pid: number): ProcessorTime {
  const threads = threadTimes(PROC, pid);
  return { main: (threads.get(String(pid)) ?? 0) / MS_PER_S, all: sumOf([...threads.values()]) / MS_PER_S };
}

/** The same of a process and all of its descendants, those that have ended and were waited for included. */
export function processorTimeOfAll(pid: number): ProcessorTime {
  const processes = readProcesses(PROC);
  const pids = withChildren(processes, [pid]);
  const ended = sumOf(pids.map((each) => processes.get(each)?.endedMs ?? 0)) / MS_PER_S;
  return { main: processorTime(pid).main, all: ended + sumOf(pids.map((each) => processorTime(each).all)) };
}

/** What was used between two readings. */
export function usedSince(before: ProcessorTime, after: ProcessorTime): ProcessorTime {
  return { main: after.main - before.main, all: after.all - before.all };
}

/** The largest sum of resident memory of a process and its children that was seen, in bytes, until it is stopped. */
export function watchMemory(pids: readonly number[], ofChildrenAlone: boolean): { readonly stop: () => number } {
  let peak = 0;
  const look = (): void => {
    const watched = ofChildrenAlone ? pids.flatMap(childrenOf) : pids;
    peak = Math.max(peak, sumOf(watched.map(residentBytes)));
  };
  const timer = setInterval(look, MEMORY_EVERY_MS);
  return {
    stop: () => {
      clearInterval(timer);
      return peak;
    },
  };
}

/** Without a look at every other process of the machine, since it is done fifty times a second. */
function childrenOf(pid: number): number[] {
  const threads = [...threadTimes(PROC, pid).keys()];
  return threads.flatMap((thread) => textOf(`${pid}/task/${thread}/children`).split(' ').filter(Boolean).map(Number));
}

function residentBytes(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(textOf(`${pid}/status`))?.[1] ?? 0) * KIB;
}

/** A process may have ended between two looks. */
function textOf(file: string): string {
  try {
    return readFileSync(`${PROC}/${file}`, 'latin1');
  } catch {
    return '';
  }
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0);
}
