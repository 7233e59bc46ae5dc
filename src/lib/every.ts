import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from './error-message.ts';
import type { Log } from './log.ts';

/** Background work of this process, from its start until `stop`. */
export type Worker = {
  /**
   * Looks for work now instead of at the next poll (a hint after a commit; nothing depends on it).
   * `hint` says what was recorded, for a worker that has several loops; without one all of them look.
   */
  readonly wake: (hint?: string) => void;
  /** Starts no new round and waits for running work, at most this long. */
  readonly stop: (graceMs: number) => Promise<void>;
};

/** What a round returns when the next is to follow without a wait. */
export const AT_ONCE = 0;

/**
 * Loops that start in the same instant begin this far apart.
 * Otherwise their first looks, and all later ones of loops with the same poll, would each need a connection of its own.
 */
const APART_MS = 5;

/** What a round is given. */
export type Round = {
  /** Aborted by the stop, so that a long round can end early. */
  readonly stopping: AbortSignal;
  /** Requests another round at once, now or at any later time. */
  readonly wake: () => void;
  /** Registers a task that outlasts the round: the stop waits for it as well. It must not reject. */
  readonly background: (task: Promise<void>) => void;
};

/**
 * Starts a loop of rounds, one at a time, which only `stop` ends.
 * After a round it waits for `pollMs`, or for as many milliseconds as the round returned. A wake ends
 * the wait; one that comes during a round starts the next at once, after `gapMs`. A round that throws is logged as a
 * warning, `failed` with `fields` and the error's message, and the loop goes on.
 */
export function every(options: {
  log: Log;
  pollMs: number | (() => number);
  /** The wait before the first round; when left out, none for the first of the loops that start together. */
  firstMs?: number;
  /**
   * The shortest time from a round to the next; none when left out.
   * The hints of that time share one round.
   */
  gapMs?: number;
  run: (round: Round) => Promise<number | undefined>;
  failed: string;
  fields?: object;
}): Worker {
  const { log, firstMs = placeInInstant() * APART_MS, gapMs = 0, fields } = options;
  const stop = new AbortController();
  const tasks = new Set<Promise<void>>();
  let isWoken = false;
  let endPause = (): void => {};
  const wake = (): void => {
    isWoken = true;
    endPause();
  };
  const background = (task: Promise<void>): void => {
    const tracked = task.finally(() => tasks.delete(tracked));
    tasks.add(tracked);
  };
  const round: Round = { stopping: stop.signal, wake, background };

  async function pause(waitMs: number): Promise<void> {
    if (isWoken || waitMs <= 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, waitMs);
      endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async function runOnce(): Promise<number | undefined> {
    try {
      return await options.run(round);
    } catch (error) {
      // Usually the database is away: the next round tries again, and readiness informs the balancer.
      log.warn({ ...fields, error: messageOf(error) }, options.failed);
      return undefined;
    }
  }

  async function loop(): Promise<void> {
    if (firstMs > 0) await pause(firstMs);
    while (!stop.signal.aborted) {
      isWoken = false;
      const askedMs = await runOnce();
      if (gapMs > 0) await new Promise((resolve) => setTimeout(resolve, gapMs));
      await pause(askedMs ?? (typeof options.pollMs === 'number' ? options.pollMs : options.pollMs()));
    }
  }

  const ended = loop();
  return {
    wake,
    stop: async (graceMs) => {
      stop.abort();
      wake();
      // A round that is running when the stop comes may still start tasks, so the loop ends first.
      const allEnded = ended.then(() => Promise.all(tasks));
      await Promise.race([allEnded, delay(graceMs, undefined, { ref: false })]);
    },
  };
}

/** How many loops have started in this turn of the event loop before this one. */
function placeInInstant(): number {
  if (startedNow === 0) {
    setImmediate(() => {
      startedNow = 0;
    });
  }
  startedNow += 1;
  return startedNow - 1;
}

let startedNow = 0;

/**
 * Combines several workers into one.
 * A hint wakes those it is for; a stop ends all at once, each within the grace.
 */
export function together(parts: readonly { worker: Worker; wokenBy: readonly string[] }[]): Worker {
  return {
    wake: (hint) => {
      for (const { worker, wokenBy } of parts) if (hint === undefined || wokenBy.includes(hint)) worker.wake(hint);
    },
    stop: async (graceMs) => {
      await Promise.all(parts.map(({ worker }) => worker.stop(graceMs)));
    },
  };
}
