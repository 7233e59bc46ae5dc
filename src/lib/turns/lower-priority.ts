import { readdirSync } from 'node:fs';
import { setPriority } from 'node:os';

/** A third of what another thread gets where both want a processor: enough not to time out. */
const THREAD_NICENESS = 5;
/**
 * A thirtieth of what another process gets, so requests hardly notice it (docs/decisions/0028).
 * Beside requests it decodes as much as with a higher priority, in the time that they wait for the disk.
 */
const PROCESS_NICENESS = 15;

/**
 * Lets other work go before the calling thread, which draws a document.
 * Only on Linux, where a priority is a thread's. It shares locks with the thread of requests, so it must not wait long.
 */
export function lowerPriorityOfThread(): void {
  if (process.platform === 'linux') lower(0, THREAD_NICENESS);
}

/**
 * Lets other work go before this process, which decodes pictures for seconds.
 * On Linux that is every thread that it has; those that come later have the priority of the one that makes them. The
 * number of the process alone would be that of its first thread, and others decode.
 */
export function lowerPriorityOfProcess(): void {
  const threads = process.platform === 'linux' ? readdirSync('/proc/self/task').map(Number) : [0];
  for (const thread of threads) lower(thread, PROCESS_NICENESS);
}

function lower(thread: number, niceness: number): void {
  try {
    setPriority(thread, niceness);
  } catch {
    // Not allowed here: everything works as before, only less evenly.
  }
}
