import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { call, type Input } from '../../shared/api/client.ts';
import { useCommands } from '../../shared/commands/registry.ts';
import { Confirm, type Question } from '../../shared/dialog/confirm.tsx';
import type { Order } from '../../shared/orders/status.tsx';
import { cancelledWords, comesBackWords } from '../../shared/refunds/words.tsx';
import { makeRuns, type RunResult, refusalWords } from '../../shared/runs/run.ts';
import { RunProgress } from '../../shared/runs/run-progress.tsx';
import { manyOrders } from '../../shared/shops/words.tsx';
import { Failure } from '../../shared/states/failure.tsx';
import { notifyOf } from '../../shared/states/notify.tsx';

export type Filters = NonNullable<Input<'listOrders'>['query']>;

/** So many of a list are looked at when all that match are asked for, a hundred at a time. */
const LOOKED_AT_MAX = 1_000;
const PAGE = 100;

// One by one: a cancel takes the account's balance, which the next would wait for.
const cancels = makeRuns(cancelOne);

async function cancelOne({ id, reference: name }: Order): Promise<RunResult> {
  try {
    const { words } = cancelledWords(await call('cancelOrder', { path: { id } }));
    return { id, name, words, isGood: true };
  } catch (error) {
    return { id, name, words: refusalWords(error), isGood: false };
  }
}

/** How far a cancel of several orders is; it goes on while the person looks at other pages. */
export function Cancelling({ onOver }: { onOver: () => void }) {
  const run = cancels.use();
  if (run === undefined) return null;
  const many = manyOrders(run.total);
  return (
    <RunProgress
      run={run}
      doing={`Cancelling ${many}`}
      done={(good) => `${good} of ${many} cancelled`}
      onStop={cancels.stop}
      onClose={() => {
        cancels.close();
        onOver();
      }}
    />
  );
}

/** Orders of which those that can be cancelled are cancelled, once a person has read how many. */
type Chosen = { readonly orders: readonly Order[]; readonly isCutOff: boolean };

/** Cancels those of the selected orders that can be, or of all that match: how many is said first. */
export function CancelSelected({
  orders,
  filters,
  hasMore,
  onDone,
}: {
  orders: readonly Order[];
  filters: Filters;
  /** Whether all of the page is selected, and the list goes on. */
  hasMore: boolean;
  onDone: () => void;
}) {
  const [question, setQuestion] = useState<Question & Chosen>();
  const [looked, setLooked] = useState<number>();
  const [failure, setFailure] = useState<Error>();
  const isUnderWay = cancels.use() !== undefined;
  const open = orders.filter(canBeCancelled);
  const ask = ({ orders: chosen, isCutOff }: Chosen): void => {
    const many = manyOrders(chosen.length);
    setQuestion({
      title: `Cancel ${many}?`,
      label: `Cancel ${many}`,
      typed: String(chosen.length),
      orders: chosen,
      isCutOff,
      act: async () => {
        void cancels.start(chosen).finally(onDone);
      },
    });
  };
  const askForAll = async (): Promise<void> => {
    setFailure(undefined);
    try {
      const found = await allThatMatch(filters, setLooked);
      if (found.orders.length > 0) ask(found);
      else notifyOf('None of those that match can be cancelled now.');
    } catch (error) {
      setFailure(error instanceof Error ? error : new Error(String(error)));
    } finally {
      setLooked(undefined);
    }
  };
  useCommands([
    ...(open.length === 0 || isUnderWay
      ? []
      : [
          {
            id: 'cancel-selected',
            label: 'Cancel the selected orders',
            group: 'Selected',
            run: () => ask({ orders: open, isCutOff: false }),
          },
        ]),
    ...(hasMore && !isUnderWay
      ? [{ id: 'cancel-all', label: 'Cancel all that match', group: 'Selected', run: () => void askForAll() }]
      : []),
  ]);
  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        className="platen-cancel"
        disabled={open.length === 0 || isUnderWay}
        onClick={() => ask({ orders: open, isCutOff: false })}
      >
        Cancel {manyOrders(open.length)}
      </Button>
      {hasMore ? (
        <Button
          size="compact-sm"
          variant="default"
          loading={looked !== undefined}
          loaderProps={{ type: 'dots' }}
          disabled={isUnderWay}
          onClick={() => void askForAll()}
        >
          Cancel all that match
        </Button>
      ) : null}
      {looked === undefined ? null : (
        <Group gap="xs" role="status">
          <Text size="sm">{looked} looked at</Text>
        </Group>
      )}
      {failure === undefined ? null : <Failure error={failure} />}
      <Confirm question={question} onClose={() => setQuestion(undefined)}>
        <Text size="sm">
          Nothing of them is made. {comesBackWords(question?.orders ?? [])} A cancelled order cannot be taken up again.
          What is refused is said with its order.
        </Text>
        {question?.isCutOff === true ? (
          <Text size="sm" mt="xs">
            More match: of the newest {LOOKED_AT_MAX} these can be cancelled now.
          </Text>
        ) : null}
      </Confirm>
    </>
  );
}

function canBeCancelled({ actions }: Order): boolean {
  return actions.cancel.available;
}

/** Looks through the list as it is narrowed for orders that can be cancelled. */
async function allThatMatch(filters: Filters, onLooked: (orders: number) => void): Promise<Chosen> {
  const found: Order[] = [];
  let cursor: string | undefined;
  let looked = 0;
  onLooked(0);
  for (;;) {
    const page = await call('listOrders', { query: { ...filters, limit: PAGE, ...(cursor && { cursor }) } });
    found.push(...page.data.filter(canBeCancelled));
    looked += page.data.length;
    onLooked(looked);
    if (page.next_cursor === null) return { orders: found, isCutOff: false };
    if (looked >= LOOKED_AT_MAX) return { orders: found, isCutOff: true };
    cursor = page.next_cursor;
  }
}
