import { unavailable } from '../errors.ts';
import { TurnRefused } from './refusal.ts';

/**
 * Makes a function that does tasks together while others are under way.
 * A task that comes alone is done at once. While a run is under way the next ones wait, and go together when it ends,
 * as many as a run may do: first those of owners that were served longest ago, one of each, so that the many of one
 * owner stand before no other's first. Another run begins beside it once enough wait to fill one, or when it takes
 * longer than `patienceMs`: then something is slow, and those that wait have nothing to do with it. `run` returns a
 * result for each task, or throws for all of them. What waits is bounded by the callers: each request waits for one
 * task.
 */
export function createTogether<Task, Result>(options: {
  readonly atOnceMax: number;
  readonly patienceMs: number;
  /** The most that one run does: tasks, and their weight. */
  readonly sizeMax: number;
  readonly weightMax: number;
  readonly weightOf: (task: Task) => number;
  readonly ownerOf: (task: Task) => string;
  /** Whether an owner's tasks are in one run at a time: two of its own would only wait for each other. */
  readonly isOwnerApart?: boolean;
  /** Two tasks of one key are never in the same run; null goes with any. */
  readonly keyOf: (task: Task) => string | null;
  /** Whether the result of a task is not wanted any more. It is then refused in place of being done. */
  readonly isGone?: (task: Task) => boolean;
  readonly run: (tasks: readonly Task[]) => Promise<readonly Result[]>;
}): (task: Task) => Promise<Result> {
  let waiting: Waiting<Task, Result>[] = [];
  let runs = 0;
  /** In which run each owner had its last task, of those that wait or were in the last run. */
  let served = new Map<string, number>();
  let underWay = 0;
  /** Those whose tasks are in a run, where an owner's tasks are in one at a time. */
  const held = new Set<string>();
  let patience: NodeJS.Timeout | undefined;

  const mayBegin = (): boolean => {
    if (waiting.length === 0) return false;
    return underWay === 0 || (underWay < options.atOnceMax && isRunFull());
  };

  const isHeld = ({ task }: Waiting<Task, Result>): boolean => held.has(options.ownerOf(task));

  const isRunFull = (): boolean => {
    if (waiting.length < options.sizeMax) return false;
    return held.size === 0 || waiting.filter((each) => !isHeld(each)).length >= options.sizeMax;
  };

  const next = (): void => {
    while (mayBegin()) begin();
    if (waiting.length === 0 || underWay >= options.atOnceMax) {
      clearTimeout(patience);
      patience = undefined;
    } else {
      patience ??= setTimeout(() => {
        patience = undefined;
        begin();
        next();
      }, options.patienceMs);
    }
  };

  const begin = (): void => {
    refuseGone();
    const batch = takeBatch();
    if (batch.length === 0) return;
    const owners = options.isOwnerApart === true ? batch.map(({ task }) => options.ownerOf(task)) : [];
    for (const owner of owners) held.add(owner);
    underWay += 1;
    void done(batch).finally(() => {
      underWay -= 1;
      for (const owner of owners) held.delete(owner);
      next();
    });
  };

  const refuseGone = (): void => {
    const { isGone } = options;
    if (isGone === undefined || !waiting.some(({ task }) => isGone(task))) return;
    const gone = new Set(waiting.filter(({ task }) => isGone(task)));
    waiting = waiting.filter((each) => !gone.has(each));
    for (const { fail } of gone) fail(unavailable('The client has gone.', new TurnRefused('gone')));
  };

  const takeBatch = (): Waiting<Task, Result>[] => {
    const batch: Waiting<Task, Result>[] = [];
    const left: Waiting<Task, Result>[] = [];
    const keys = new Set<string>();
    let weight = 0;
    for (const each of inTurn()) {
      const key = options.keyOf(each.task);
      const fits = batch.length < options.sizeMax && weight + options.weightOf(each.task) <= options.weightMax;
      // The first goes whatever it weighs.
      const mayGo = batch.length === 0 || (fits && (key === null || !keys.has(key)));
      if (isHeld(each) || !mayGo) {
        left.push(each);
        continue;
      }
      batch.push(each);
      weight += options.weightOf(each.task);
      if (key !== null) keys.add(key);
    }
    if (batch.length === 0) return batch;
    // In the order in which they came.
    const kept = new Set(left);
    waiting = waiting.filter((each) => kept.has(each));
    noteServed(batch);
    return batch;
  };

  /** What waits, in the order in which it is to go. */
  const inTurn = (): Waiting<Task, Result>[] => {
    const ranks = new Map<string, number>();
    return waiting
      .map((each) => {
        const owner = options.ownerOf(each.task);
        const rank = ranks.get(owner) ?? 0;
        ranks.set(owner, rank + 1);
        return { each, rank, servedIn: served.get(owner) ?? 0 };
      })
      .toSorted((a, b) => a.rank - b.rank || a.servedIn - b.servedIn)
      .map(({ each }) => each);
  };

  const noteServed = (batch: readonly Waiting<Task, Result>[]): void => {
    runs += 1;
    const inBatch = batch.map(({ task }) => [options.ownerOf(task), runs] as const);
    const stillWaiting = waiting.map(({ task }) => options.ownerOf(task));
    served = new Map([...stillWaiting.map((owner) => [owner, served.get(owner) ?? 0] as const), ...inBatch]);
  };

  const done = async (batch: readonly Waiting<Task, Result>[]): Promise<void> => {
    try {
      const results = await options.run(batch.map(({ task }) => task));
      for (const [index, { settle }] of batch.entries()) settle(results[index] as Result);
    } catch (error) {
      for (const { fail } of batch) fail(error);
    }
  };

  return (task) => {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    waiting.push({ task, settle: resolve, fail: reject });
    next();
    return promise;
  };
}

type Waiting<Task, Result> = {
  readonly task: Task;
  readonly settle: (result: Result) => void;
  readonly fail: (error: unknown) => void;
};
