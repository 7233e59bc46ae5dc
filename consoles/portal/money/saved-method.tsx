import { Button, Group, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { call, callOnce, type Input, type Reply } from '../../shared/api/client.ts';
import { reading } from '../../shared/api/queries.ts';
import { useCommands } from '../../shared/commands/registry.ts';
import { Confirm, type Question } from '../../shared/dialog/confirm.tsx';
import { Answer } from '../../shared/states/answer.tsx';
import { Failure } from '../../shared/states/failure.tsx';
import { Moment } from '../../shared/values/moment.tsx';
import { AutoTopUp } from './auto-top-up.tsx';
import { newKey } from './new-key.ts';

type Method = Reply<'getPaymentMethod'>;
type Kind = Input<'beginSavingMethod'>['body']['kind'];

const KINDS: readonly Kind[] = ['card', 'direct_debit'];
const SAVE: Readonly<Record<Kind, string>> = { card: 'Save a card', direct_debit: 'Save a direct debit' };
const ANOTHER: Readonly<Record<Kind, string>> = {
  card: 'Save another card',
  direct_debit: 'Save another direct debit',
};

/** The card or direct debit that is charged for what the balance does not cover, and how it tops up by itself. */
export function SavedMethod({ mayChange }: { mayChange: boolean }) {
  const queries = useQueryClient();
  const query = useQuery(reading('getPaymentMethod', {}));
  const [question, setQuestion] = useState<Question>();
  const ask = (): void =>
    setQuestion({
      title: 'Remove the payment method?',
      label: 'Remove it',
      act: async () => {
        await call('removePaymentMethod', {});
        await Promise.all([query.refetch(), queries.invalidateQueries({ queryKey: ['getAutoTopUp'] })]);
      },
    });
  return (
    <>
      <div className="platen-panel-body">
        <Answer query={query} lines={2}>
          {(method) => (
            <>
              <Saved method={method} />
              {mayChange && (method.saved !== null || method.kinds.length > 0) ? (
                <Actions method={method} onRemove={ask} />
              ) : null}
            </>
          )}
        </Answer>
      </div>
      {query.data?.saved?.kind !== 'card' && query.data?.has_auto_top_up !== true ? null : (
        <AutoTopUp mayChange={mayChange} hasCard={query.data.saved?.kind === 'card'} />
      )}
      <Confirm question={question} onClose={() => setQuestion(undefined)}>
        <Text size="sm">
          Nothing more is charged to it, and automatic top-ups end. Orders then wait for the balance.
        </Text>
      </Confirm>
    </>
  );
}

function Saved({ method: { saved, kinds } }: { method: Method }) {
  if (saved === null) {
    return (
      <Text size="sm">
        {kinds.length === 0
          ? 'No card is taken here: the balance pays.'
          : 'None is saved. An order that the balance does not cover waits until you top up.'}
      </Text>
    );
  }
  const otherwise = saved.kind === 'card' ? 'A card' : 'A direct debit';
  return (
    <>
      <Text fw={500}>{saved.label === '' ? otherwise : saved.label}</Text>
      <Text size="sm" c="dimmed" component="div">
        {saved.expires_on === null ? null : `Good until ${saved.expires_on.slice(0, 7)}. `}
        Saved <Moment at={saved.saved_at} />. It is charged for what the balance does not cover of an order.
      </Text>
    </>
  );
}

function Actions({ method: { saved, kinds }, onRemove }: { method: Method; onRemove: () => void }) {
  const [failure, setFailure] = useState<Error>();
  const [underWay, setUnderWay] = useState<Kind>();
  // The same press again, after an answer that was lost, is the same page.
  const asked = useRef<{ kind: Kind; key: string }>(undefined);
  const begin = async (kind: Kind): Promise<void> => {
    if (underWay !== undefined) return;
    setUnderWay(kind);
    setFailure(undefined);
    if (asked.current?.kind !== kind) asked.current = { kind, key: newKey() };
    try {
      const { id, page_url: url } = await callOnce('beginSavingMethod', { body: { kind } }, asked.current.key);
      location.assign(url ?? `/portal/money/saved?saving=${id}`);
      asked.current = undefined;
    } catch (error) {
      setFailure(error instanceof Error ? error : new Error(String(error)));
    } finally {
      setUnderWay(undefined);
    }
  };
  const offered = KINDS.filter((kind) => kinds.includes(kind)).map((kind) => ({
    kind,
    label: saved?.kind === kind ? ANOTHER[kind] : SAVE[kind],
  }));
  useCommands([
    ...offered.map(({ kind, label }) => ({ id: `save-${kind}`, label, group: 'Money', run: () => void begin(kind) })),
    ...(saved === null
      ? []
      : [{ id: 'remove-method', label: 'Remove the payment method', group: 'Money', run: onRemove }]),
  ]);
  return (
    <>
      {failure === undefined ? null : <Failure error={failure} />}
      <Group gap="sm" mt="sm">
        {offered.map(({ kind, label }) => (
          <Button
            key={kind}
            variant="default"
            loading={underWay === kind}
            loaderProps={{ type: 'dots' }}
            onClick={() => void begin(kind)}
          >
            {label}
          </Button>
        ))}
        {saved === null ? null : (
          <Button variant="subtle" color="red" onClick={onRemove}>
            Remove it
          </Button>
        )}
      </Group>
    </>
  );
}
