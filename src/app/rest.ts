import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { every, type Worker } from '../lib/every.ts';
import type { Log } from '../lib/log.ts';

/** How often it is looked whether the process has nothing to do. */
const POLL_MS = 10_000;
/** A thread that was busy for less of the time rests. Its own polls take a hundredth. */
const BUSY_MAX = 0.05;
/** Less than that since the last time is not worth a pause. */
const GROWN_BYTES_MIN = 30_000_000;

/** What is known of the process, and what can be done. A test has its own. */
export type Resting = {
  /** The share of the time since the last call in which the thread was busy. */
  readonly busy: () => number;
  /** What the heap takes of the machine, in use or not. */
  readonly heapBytes: () => number;
  readonly collect: () => void;
};

/**
 * Starts giving memory back to the machine while this process rests.
 *
 * What a start or a busy hour leaves is kept by the engine for the next one: 40 MB of 180 after a start. It gives
 * them back when it is asked to, which stops the thread for a twentieth of a second; so only at rest
 * (docs/decisions/0046).
 */
export function startGivingBack(ctx: { readonly log: Log }, resting: Resting = ofProcess()): Worker {
  resting.busy();
  const giveBack = givingBack(resting);
  return every({
    log: ctx.log,
    pollMs: POLL_MS,
    firstMs: POLL_MS,
    failed: 'unused memory could not be given back',
    run: async () => {
      giveBack();
      return undefined;
    },
  });
}

/** Makes what gives memory back if the process rests and has grown. It returns whether it did. */
export function givingBack({ busy, heapBytes, collect }: Resting): () => boolean {
  let keptBytes = 0;
  return () => {
    if (busy() > BUSY_MAX || heapBytes() - keptBytes < GROWN_BYTES_MIN) return false;
    collect();
    keptBytes = heapBytes();
    return true;
  };
}

/** This process, by its thread and its heap. */
export function ofProcess(): Resting {
  let last = performance.eventLoopUtilization();
  return {
    busy: () => {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, last);
      last = now;
      return utilization;
    },
    heapBytes: () => process.memoryUsage().heapTotal,
    collect: () => {
      setFlagsFromString('--expose-gc');
      const collect = runInNewContext('gc') as NodeJS.GCFunction;
      setFlagsFromString('--no-expose-gc');
      // The last resort is the one that keeps no free pages.
      collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
    },
  };
}
