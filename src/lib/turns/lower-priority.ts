import { setPriority } from 'node:os';

/** A third of what another thread gets where both want a processor: enough not to time out. */
const NICENESS = 5;

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
