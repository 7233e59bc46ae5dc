import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { useCommands } from '../../shared/commands/registry.ts';
import { Confirm, type Question } from '../../shared/dialog/confirm.tsx';
import { RunProgress } from '../../shared/runs/run-progress.tsx';
import { manyOrders, type ShopOrder } from '../../shared/shops/words.tsx';
import { type AnswerKind, answerAndLook, type Result } from './answers.ts';

/** Several orders that are answered one after another, and what became of those that were. */
export type Run = {
  readonly kind: AnswerKind;
  readonly total: number;
  readonly results: readonly Result[];
};

/** Places or ignores those of the selected orders that can be: how many is said first. */
export function Selected({
  orders,
  isBusy,
  onRun,
  onClear,
}: {
  orders: readonly ShopOrder[];
  /** Whether others are being answered. */
  isBusy: boolean;
  onRun: (kind: AnswerKind, orders: readonly ShopOrder[]) => void;
  onClear: () => void;
}) {
  const [question, setQuestion] = useState<Question & { readonly why: string }>();
  const open = {
    place: orders.filter(({ actions }) => actions.place),
    ignore: orders.filter(({ actions }) => actions.ignore),
  };
  const ask = (kind: AnswerKind): void => {
    const chosen = open[kind];
    const many = manyOrders(chosen.length);
    if (chosen.length === 0 || isBusy) return;
    setQuestion({
      title: kind === 'place' ? `Place ${many}?` : `Ignore ${many}?`,
      label: kind === 'place' ? `Place ${many}` : `Ignore ${many}`,
      keepLabel: kind === 'place' ? 'Not yet' : 'Keep them',
      isMaking: kind === 'place',
      why: whyOf(kind),
      act: async () => onRun(kind, chosen),
    });
  };
  useCommands([
    { id: 'place', label: 'Place the selected orders', group: 'Orders of shops', keys: 'a', run: () => ask('place') },
    {
      id: 'ignore',
      label: 'Ignore the selected orders',
      group: 'Orders of shops',
      keys: 'i',
      run: () => ask('ignore'),
    },
  ]);
  return (
    <>
      <Button size="compact-sm" disabled={open.place.length === 0 || isBusy} onClick={() => ask('place')}>
        Place {manyOrders(open.place.length)}
      </Button>
      <Button
        size="compact-sm"
        variant="default"
        disabled={open.ignore.length === 0 || isBusy}
        onClick={() => ask('ignore')}
      >
        Ignore {manyOrders(open.ignore.length)}
      </Button>
      <Button size="compact-sm" variant="subtle" onClick={onClear}>
        Select none
      </Button>
      <Confirm question={question} onClose={() => setQuestion(undefined)}>
        <Text size="sm">{question?.why}</Text>
      </Confirm>
    </>
  );
}

/** What an answer does, as it is said before. */
export function whyOf(kind: AnswerKind): string {
  return kind === 'place'
    ? 'What can be placed is charged to the account, made and sent. What is wrong, such as an address, still waits, and says why.'
    : 'It is never placed, whatever the shop sends of it later. The shop is not told: cancel it there, too.';
}

/** Answers orders one after another, so that each result is known; calls back after each. */
export async function runAnswers(
  kind: AnswerKind,
  orders: readonly ShopOrder[],
  onStep: (run: Run) => void,
): Promise<void> {
  const results: Result[] = [];
  onStep({ kind, total: orders.length, results: [] });
  for (const order of orders) {
    results.push(await answerAndLook(kind, order));
    onStep({ kind, total: orders.length, results: [...results] });
  }
}

/** How far a run is, and the result for each order. */
export function Progress({ run: { kind, total, results }, onClose }: { run: Run; onClose: () => void }) {
  const [doing, done] = kind === 'place' ? ['Placing', 'placed'] : ['Ignoring', 'ignored'];
  return (
    <RunProgress
      run={{ total, results: results.map(({ number, ...result }) => ({ ...result, name: number })), isStopped: false }}
      doing={`${doing} ${manyOrders(total)}`}
      done={(good) => `${good} of ${manyOrders(total)} ${done}`}
      onClose={onClose}
    />
  );
}
