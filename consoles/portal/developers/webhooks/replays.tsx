import { Button, Group, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { call, type Reply, serviceNowMs } from '../../../shared/api/client.ts';
import { reading } from '../../../shared/api/queries.ts';
import { useCommands } from '../../../shared/commands/registry.ts';
import { Confirm, type Question } from '../../../shared/dialog/confirm.tsx';
import { Form } from '../../../shared/form/form.tsx';
import { Panel } from '../../../shared/layout/panel.tsx';
import { Answer } from '../../../shared/states/answer.tsx';
import { notifyOfFailure } from '../../../shared/states/notify.tsx';
import { Moment } from '../../../shared/values/moment.tsx';
import { useIsManager } from '../corner.tsx';
import { fromField, toField } from '../span.ts';

type Replay = Reply<'listWebhookReplays'>['data'][number];

const DAY_MS = 86_400_000;
const LOOK_AGAIN_MS = 1_000;
const SHOWN = 5;

/** Sending the events of a span of time again: how many there are, then the sending and its progress. */
export function Replays({ id, isActive }: { id: string; isActive: boolean }) {
  const mayWrite = useIsManager();
  const query = useQuery({
    ...reading('listWebhookReplays', { path: { id }, query: { limit: SHOWN } }),
    refetchInterval: ({ state }) => (state.data?.data.some(isOpen) ? LOOK_AGAIN_MS : false),
  });
  const [question, setQuestion] = useState<Question>();
  const change = async (replay: string, status: 'running' | 'paused' | 'cancelled'): Promise<void> => {
    await call('changeWebhookReplay', { path: { id, replay }, body: { status } });
    await query.refetch();
  };
  const askToCancel = (replay: string): void =>
    setQuestion({
      title: 'Cancel this replay?',
      label: 'Cancel it',
      keepLabel: 'Let it go on',
      act: () => change(replay, 'cancelled'),
    });
  useCommands(
    mayWrite
      ? (query.data?.data ?? []).filter(isOpen).flatMap(({ id: replay, status }) => [
          status === 'running'
            ? {
                id: `pause-${replay}`,
                label: 'Pause the replay',
                group: 'Replay',
                run: () => void change(replay, 'paused').catch(notifyOfFailure),
              }
            : {
                id: `resume-${replay}`,
                label: 'Resume the replay',
                group: 'Replay',
                run: () => void change(replay, 'running').catch(notifyOfFailure),
              },
          { id: `cancel-${replay}`, label: 'Cancel the replay', group: 'Replay', run: () => askToCancel(replay) },
        ])
      : [],
  );
  return (
    <Panel title="Replay">
      {mayWrite ? <Start id={id} isActive={isActive} onStarted={() => void query.refetch()} /> : null}
      <Answer query={query} lines={2}>
        {({ data, has_more: hasMore }) => (
          <div className="platen-lines">
            {data.map((replay) => (
              <Line
                key={replay.id}
                replay={replay}
                onPause={() => void change(replay.id, 'paused').catch(notifyOfFailure)}
                onResume={() => void change(replay.id, 'running').catch(notifyOfFailure)}
                onCancel={() => askToCancel(replay.id)}
                mayWrite={mayWrite}
              />
            ))}
            {hasMore ? <Text size="sm">Replays before these are not shown.</Text> : null}
          </div>
        )}
      </Answer>
      <Confirm question={question} onClose={() => setQuestion(undefined)}>
        <Text size="sm">What was sent stays sent. The rest of its events is not sent any more.</Text>
      </Confirm>
    </Panel>
  );
}

function isOpen({ status }: Replay): boolean {
  return status === 'running' || status === 'paused';
}

function Start({ id, isActive, onStarted }: { id: string; isActive: boolean; onStarted: () => void }) {
  const [counted, setCounted] = useState<Reply<'replayWebhook'>>();
  const form = useForm({
    initialValues: { since: toField(new Date(serviceNowMs() - DAY_MS).toISOString()), until: '' },
    onValuesChange: () => setCounted(undefined),
  });
  const from = useRef<HTMLInputElement>(null);
  useCommands([
    { id: 'replay', label: 'Replay the events of a span of time', group: 'Replay', run: () => from.current?.focus() },
  ]);
  const count = async ({ since, until }: typeof form.values): Promise<void> => {
    setCounted(await call('replayWebhook', { path: { id }, body: { ...spanOf(since, until), dry_run: true } }));
  };
  const start = async (span: Reply<'replayWebhook'>): Promise<void> => {
    await call('replayWebhook', { path: { id }, body: { since: span.since, until: span.until } });
    setCounted(undefined);
    onStarted();
  };
  return (
    <div className="platen-panel-body">
      <Text size="sm" mb="sm">
        Sends the events of a span of time again, in their order, with the ids that they had. They are counted first;
        nothing is sent before you say so.
      </Text>
      <Form form={form} submit={count} label="Count the events">
        <div className="platen-filters">
          <TextInput ref={from} label="Events from" type="datetime-local" required {...form.getInputProps('since')} />
          <TextInput label="Before (empty: now)" type="datetime-local" {...form.getInputProps('until')} />
        </div>
      </Form>
      {counted === undefined ? null : (
        <Group mt="md" gap="sm" role="status">
          <Text size="sm">
            {counted.events === 0
              ? 'There is no event'
              : counted.events === 1
                ? 'One event'
                : `${counted.events} events`}{' '}
            from <Moment at={counted.since} /> to <Moment at={counted.until} />.
            {isActive ? '' : ' Resume the webhook first: nothing is sent to it now.'}
          </Text>
          {counted.events === 0 || !isActive ? null : (
            <Button onClick={() => void start(counted).catch(notifyOfFailure)}>
              {counted.events === 1 ? 'Send it again' : `Send ${counted.events} events again`}
            </Button>
          )}
        </Group>
      )}
    </div>
  );
}

function spanOf(since: string, until: string): { since: string; until?: string } {
  const [from, to] = [fromField(since) ?? since, fromField(until)];
  return to === undefined ? { since: from } : { since: from, until: to };
}

const WORDS: Readonly<Record<string, readonly [label: string, tone: string]>> = {
  running: ['Under way', 'busy'],
  paused: ['Paused', 'wait'],
  completed: ['Completed', 'good'],
  cancelled: ['Cancelled', 'still'],
};

function Line({
  replay,
  mayWrite,
  onPause,
  onResume,
  onCancel,
}: {
  replay: Replay;
  mayWrite: boolean;
  onPause: () => void;
  onResume: () => void;
  onCancel: () => void;
}) {
  const [label, tone] = WORDS[replay.status] ?? [replay.status, 'still'];
  const ended = replay.succeeded + replay.failed;
  return (
    <div className="platen-line">
      <div className="platen-line-text">
        <Text size="sm" component="div">
          <span className="platen-status" data-tone={tone}>
            {label}
          </span>{' '}
          {replay.succeeded} of {replay.events} succeeded
          {replay.failed === 0 ? '' : `, ${replay.failed} failed`}
        </Text>
        {isOpen(replay) ? (
          <progress
            className="platen-progress"
            value={ended}
            max={Math.max(1, replay.events)}
            aria-label="How far the replay is"
          />
        ) : null}
        {replay.paused_reason === null ? null : <Text size="sm">{replay.paused_reason}</Text>}
        <Text size="sm" c="dimmed" component="div">
          Events from <Moment at={replay.since} /> to <Moment at={replay.until} />, begun{' '}
          <Moment at={replay.created_at} />
        </Text>
      </div>
      {mayWrite && isOpen(replay) ? (
        <div className="platen-buttons">
          {replay.status === 'running' ? (
            <Button variant="default" onClick={onPause}>
              Pause
            </Button>
          ) : (
            <Button variant="default" onClick={onResume}>
              Resume
            </Button>
          )}
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
        </div>
      ) : null}
    </div>
  );
}
