import { setPriority } from 'node:os';

/**
 * A quarter of what an ordinary thread gets where both want the same processor.
 * Enough not to time out.
 */
const NICENESS = 6;

/**
 * Lets other work go first.
 * Images and documents take seconds, and the requests beside them milliseconds. It is of the calling thread on Linux,
 * and of the process elsewhere, so a thread calls it on Linux alone.
 */
export function lowerPriority(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(0, NICENESS);
  } catch {
    // Not allowed here: everything works as before, only less evenly.
  }
}
