import type { Heap, Ranked } from './heap.ts';
import type { Owner } from './owner.ts';

/** Gives the place back; a second call does nothing. */
export type Release = {
  (): void;
  /** Keeps the place for a task that turns out to cost less; more than it has is not given. */
  readonly shrinkTo: (cost: number) => void;
};

/** `full`: too much waits or would wait too long; `late`: it waited too long; `gone`: its signal aborted. */
export type RefusalReason = 'full' | 'late' | 'gone' | 'closed';

/** A task that waits for its turn. */
export type Waiter = {
  readonly cost: number;
  readonly weight: number;
  readonly resolve: (release: Release) => void;
  readonly fail: (reason: RefusalReason) => void;
};

/**
 * An owner with a task that runs or waits.
 * `rank` is what it has had, on a scale on which every owner that waits advances at the same speed.
 */
export type Flow = Ranked & {
  readonly owner: Owner;
  readonly lane: Lane;
  running: number;
  waitingCost: number;
  /** In the order of arrival. */
  readonly waiting: Set<Waiter>;
};

/** Owners whose next task their own cap allows; background work has a lane of its own, with a bound of tasks. */
export type Lane = { readonly ready: Heap<Flow>; atOnce: number; readonly atOnceMax: number };
