import { useEffect, useSyncExternalStore } from 'react';
import { Refused } from '../api/failures.ts';

/** What became of one of several things that were done one after another. */
export type RunResult = {
  readonly id: string;
  readonly name: string;
  readonly words: string;
  readonly isGood: boolean;
};

/** Several things that are done one after another, and what became of those that were. */
export type Run = {
  readonly total: number;
  readonly results: readonly RunResult[];
  /** A person has stopped it: what is under way ends, and nothing more is begun. */
  readonly isStopped: boolean;
};

/** Runs of a page. They go on while the person looks at other pages of the console. */
export type Runs<Item> = {
  readonly start: (items: readonly Item[]) => Promise<void>;
  readonly stop: () => void;
  /** Takes a run that is over away. */
  readonly close: () => void;
  readonly use: () => Run | undefined;
};

/** Why one was refused, in the service's words, with the request id for support. */
export function refusalWords(error: unknown): string {
  const requestId = error instanceof Refused ? error.problem.requestId : undefined;
  return `${error instanceof Error ? error.message : String(error)}${requestId === undefined ? '' : ` (${requestId})`}`;
}

/** Whether a run is over. */
export function isOver({ total, results, isStopped }: Run): boolean {
  return results.length === total || isStopped;
}

/** Makes the runs of a page: `act` does one thing, never throws, and says what became of it. */
export function makeRuns<Item>(act: (item: Item) => Promise<RunResult>): Runs<Item> {
  let run: Run | undefined;
  const waiting = new Set<() => void>();
  const set = (next: Run | undefined): void => {
    run = next;
    for (const look of waiting) look();
  };
  const wait = (look: () => void): (() => void) => {
    waiting.add(look);
    return () => void waiting.delete(look);
  };
  return {
    start: async (items) => {
      if (run !== undefined && !isOver(run)) return;
      set({ total: items.length, results: [], isStopped: false });
      for (const item of items) {
        if (run?.isStopped === true) return;
        const result = await act(item);
        if (run !== undefined) set({ ...run, results: [...run.results, result] });
      }
    },
    stop: () => run !== undefined && set({ ...run, isStopped: true }),
    close: () => set(undefined),
    use: () => {
      const shown = useSyncExternalStore(wait, () => run);
      const isUnderWay = shown !== undefined && !isOver(shown);
      useEffect(() => {
        if (!isUnderWay) return undefined;
        const keep = (event: BeforeUnloadEvent): void => event.preventDefault();
        addEventListener('beforeunload', keep);
        return () => removeEventListener('beforeunload', keep);
      }, [isUnderWay]);
      return shown;
    },
  };
}
