/**
 * Makes a function that does tasks together while others are under way.
 * A task that comes alone is done at once. When `atOnceMax` runs are under way, the next ones wait, and the first run
 * that ends takes as many of them as it may, in their order. `run` returns a result for each task, or throws for all of
 * them. What waits is bounded by those who call: each request waits for one task.
 */
export function createTogether<Task, Result>(options: {
  readonly atOnceMax: number;
  /** The most that one run does: tasks, and their weight. */
  readonly sizeMax: number;
  readonly weightMax: number;
  readonly weightOf: (task: Task) => number;
  /** Two tasks of one key are never in the same run; undefined goes with any. */
  readonly keyOf: (task: Task) => string | null;
  readonly run: (tasks: readonly Task[]) => Promise<readonly Result[]>;
}): (task: Task) => Promise<Result> {
  let waiting: Waiting<Task, Result>[] = [];
  let underWay = 0;

  const next = (): void => {
    while (underWay < options.atOnceMax && waiting.length > 0) {
      const batch = takeBatch();
      underWay += 1;
      void done(batch).finally(() => {
        underWay -= 1;
        next();
      });
    }
  };

  const takeBatch = (): Waiting<Task, Result>[] => {
    const batch: Waiting<Task, Result>[] = [];
    const left: Waiting<Task, Result>[] = [];
    const keys = new Set<string>();
    let weight = 0;
    for (const each of waiting) {
      const key = options.keyOf(each.task);
      const fits = batch.length < options.sizeMax && weight + options.weightOf(each.task) <= options.weightMax;
      // The first goes whatever it weighs.
      if (batch.length > 0 && (!fits || (key !== null && keys.has(key)))) {
        left.push(each);
        continue;
      }
      batch.push(each);
      weight += options.weightOf(each.task);
      if (key !== null) keys.add(key);
    }
    waiting = left;
    return batch;
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
