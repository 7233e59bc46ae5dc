import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useCommands } from '../commands/registry.ts';
import { Confirm, type Question } from '../dialog/confirm.tsx';
import type { Runs } from '../runs/run.ts';
import { RunProgress } from '../runs/run-progress.tsx';

/** What is done with several rows of a list, in words. */
export type Deed = {
  /** `Archive` */
  readonly verb: string;
  /** `Archiving` */
  readonly doing: string;
  /** `archived` */
  readonly done: string;
  /** `3 products` */
  readonly many: (count: number) => string;
};

/** Does one thing with each of the selected rows that it can be done with, once a person has read how many these are. */
export function ActOnSelected<Item>({
  runs,
  items,
  deed: { verb, many },
  isForGood,
  onDone,
  children,
}: {
  runs: Runs<Item>;
  items: readonly Item[];
  deed: Deed;
  /** Whether the number has to be typed, since it cannot be undone. */
  isForGood: boolean;
  /** What is read anew afterwards. */
  onDone: () => void;
  /** What it means. */
  children: ReactNode;
}) {
  const [question, setQuestion] = useState<Question>();
  const isOff = items.length === 0 || runs.use() !== undefined;
  const label = `${verb} ${many(items.length)}`;
  const ask = (): void =>
    setQuestion({
      title: `${label}?`,
      label,
      ...(isForGood ? { typed: String(items.length) } : {}),
      // It goes on while the person looks at other pages.
      act: async () => void runs.start(items).finally(onDone),
    });
  useCommands(isOff ? [] : [{ id: 'act-on-selected', label, group: 'Selected', run: ask }]);
  return (
    <>
      <Button size="compact-sm" variant="default" disabled={isOff} onClick={ask}>
        {label}
      </Button>
      <Confirm question={question} onClose={() => setQuestion(undefined)}>
        {children}
      </Confirm>
    </>
  );
}

/** How far that is, and the result for each. */
export function DeedProgress<Item>({ runs, deed: { doing, done, many } }: { runs: Runs<Item>; deed: Deed }) {
  const run = runs.use();
  if (run === undefined) return null;
  return (
    <RunProgress
      run={run}
      doing={`${doing} ${many(run.total)}`}
      done={(good) => `${good} of ${many(run.total)} ${done}`}
      onStop={runs.stop}
      onClose={runs.close}
    />
  );
}
