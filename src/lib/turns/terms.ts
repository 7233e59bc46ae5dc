import type { Resource } from './metrics.ts';
import type { Owner } from './owner.ts';

/** The bounds of a resource that owners use in turn. */
export type TurnsOptions = {
  /** Its name in the metrics; none in tests. */
  readonly resource?: Resource;
  /** The most cost that runs at once. What costs more runs alone. */
  readonly capacity: number;
  /** The most tasks that run at once, where that is a bound beside their cost. */
  readonly atOnceMax?: number;
  /**
   * The most cost of one owner that runs at once while others use the resource too.
   * An owner that has been alone for `ALONE_MS` may use all of the capacity. What costs more runs as the owner's only
   * task.
   */
  readonly capOfEach: number;
  /**
   * Holds an owner to its cap also while it is alone.
   * For places that are held as long as a remote host likes: who comes next could not have one of them soon.
   */
  readonly isCapFirm?: true;
  /** Cost that only the operators may run, beside the capacity. */
  readonly reserve?: number;
  /** The most tasks of background work at once. */
  readonly serviceAtOnceMax?: number;
  /** The most cost that waits, of all owners and of one. */
  readonly waitingMax: number;
  readonly waitingMaxOfEach: number;
  /** The longest wait where a task names none. */
  readonly waitMs: number;
  /**
   * Refuses a task on its arrival when its wait would be longer than this.
   * Only once tasks have waited for `BURST_MS` of late: a burst is served, an overload is refused, and is forgotten
   * within two seconds. Ten times as long while the tasks of three owners at most wait.
   */
  readonly promisedMs?: number;
  /**
   * The same while an overload lasts, in place of `promisedMs`.
   * A short queue keeps every place busy as well as a long one. The longer promise is for when none was refused
   * yet: many clients that each wait for their answer are no overload.
   */
  readonly promisedInOverloadMs?: number;
  /** A monotonic clock; tests replace it. */
  readonly nowMs?: () => number;
};

/** What a task asks for. */
export type Terms = {
  readonly owner: Owner;
  /** What it takes of the capacity, and what it counts for in the order of turns. 1 when left out. */
  readonly cost?: number;
  /**
   * What it counts for in the order of turns, where that differs from `cost`.
   * A multiple of the smallest task, 1.
   */
  readonly weight?: number;
  /** Drops the task from the queue when it aborts. A task that runs is left alone. */
  readonly signal?: AbortSignal | undefined;
  readonly waitMs?: number;
};
