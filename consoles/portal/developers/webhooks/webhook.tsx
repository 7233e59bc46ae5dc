import { Button, Modal, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { call, type Reply } from '../../../shared/api/client.ts';
import { reading } from '../../../shared/api/queries.ts';
import { type Command, useCommands } from '../../../shared/commands/registry.ts';
import { Confirm, type Question } from '../../../shared/dialog/confirm.tsx';
import { type Secret, ShownOnce } from '../../../shared/dialog/shown-once.tsx';
import { Panel } from '../../../shared/layout/panel.tsx';
import { Answer } from '../../../shared/states/answer.tsx';
import { notifyOf, notifyOfFailure } from '../../../shared/states/notify.tsx';
import { Countdown } from '../../../shared/values/countdown.tsx';
import { Moment } from '../../../shared/values/moment.tsx';
import { Corner, useIsManager } from '../corner.tsx';
import { Deliveries } from './deliveries.tsx';
import { Health } from './health.tsx';
import { Replays } from './replays.tsx';
import { SendingAgain } from './send-again.tsx';
import { TestEvent } from './test-event.tsx';
import { WebhookForm, type WebhookValues } from './webhook-form.tsx';

type Detail = Reply<'getWebhook'>;
type Asked = Question & { readonly why: string };

/** How it does changes by itself. */
const LOOK_AGAIN_MS = 5_000;

/** One webhook: how it does, what can be done with it, and its deliveries. */
export function WebhookPage({ id }: { id: string }) {
  const queries = useQueryClient();
  const mayWrite = useIsManager();
  const query = useQuery({ ...reading('getWebhook', { path: { id } }), refetchInterval: LOOK_AGAIN_MS });
  const [dialog, setDialog] = useState<'edit' | 'test'>();
  const [question, setQuestion] = useState<Asked>();
  const [secret, setSecret] = useState<Secret>();
  const [, navigate] = useLocation();
  const refresh = async (): Promise<void> => {
    await queries.invalidateQueries({ queryKey: ['listWebhooks'] });
    await query.refetch();
  };
  const change = async (body: Partial<WebhookValues> & { active?: boolean }): Promise<void> => {
    await call('changeWebhook', { path: { id }, body });
    await refresh();
  };
  const edit = async (values: WebhookValues): Promise<void> => {
    await change(values);
    setDialog(undefined);
    notifyOf('The webhook is changed.');
  };
  const resume = (): void => void change({ active: true }).catch(notifyOfFailure);
  const ask = {
    pause: (): void =>
      setQuestion({
        title: 'Pause this webhook?',
        label: 'Pause it',
        why: 'Deliveries that wait are cancelled, and nothing is sent until it is resumed. What happens meanwhile is not sent afterwards either, unless you replay it.',
        act: () => change({ active: false }),
      }),
    rotate: (): void =>
      setQuestion({
        title: 'Replace the signing secret?',
        label: 'Make a new secret',
        keepLabel: 'Leave it',
        isMaking: true,
        why: 'For 24 hours deliveries are signed with both secrets. Put the new one into your receiver meanwhile: no delivery fails, whichever it checks. Then the new one signs alone. If you lost an earlier new secret, this one takes its place.',
        act: async () => {
          const made = await call('rotateWebhookSecret', { path: { id } });
          const note = 'Put it into your receiver within 24 hours. Until then the present one is valid, too.';
          setSecret({ title: 'The new signing secret', text: made.secret, note });
          await query.refetch();
        },
      }),
    remove: (url: string): void =>
      setQuestion({
        title: 'Remove this webhook?',
        label: 'Remove it',
        typed: new URL(url).hostname,
        why: 'Nothing is sent to this address any more, and its deliveries can no longer be looked at. The log of events stays.',
        act: async () => {
          await call('removeWebhook', { path: { id } });
          await queries.invalidateQueries({ queryKey: ['listWebhooks'] });
          navigate('/developers/webhooks');
        },
      }),
  };
  const ofState = ({ active, url }: Detail): readonly Command[] => [
    active
      ? { id: 'pause', label: 'Pause the webhook', group: 'Webhook', run: ask.pause }
      : { id: 'resume', label: 'Resume the webhook', group: 'Webhook', run: resume },
    { id: 'remove', label: 'Remove the webhook', group: 'Webhook', run: () => ask.remove(url) },
  ];
  useCommands(
    mayWrite
      ? [
          { id: 'test', label: 'Send a test event', group: 'Webhook', keys: 't', run: () => setDialog('test') },
          { id: 'edit', label: 'Change the webhook', group: 'Webhook', keys: 'e', run: () => setDialog('edit') },
          { id: 'rotate', label: 'Replace the signing secret', group: 'Webhook', run: ask.rotate },
          ...(query.data === undefined ? [] : ofState(query.data)),
        ]
      : [],
  );
  return (
    <Corner title="Webhook">
      <Answer query={query} lines={6}>
        {(webhook) => (
          <>
            <Panel title={new URL(webhook.url).hostname} aside={<Times webhook={webhook} />}>
              <div className="platen-line">
                <div className="platen-line-text">
                  <Text size="sm" fw={600}>
                    {webhook.url}
                  </Text>
                  {webhook.description === '' ? null : <Text size="sm">{webhook.description}</Text>}
                  <Health webhook={webhook} />
                  <Text size="sm" c="dimmed">
                    {webhook.events.length === 0 ? 'Every event' : webhook.events.join(', ')}
                    {webhook.failure_count === 0 ? '' : ` · ${webhook.failure_count} of 15 failures in a row`}
                  </Text>
                </div>
                {mayWrite ? (
                  <div className="platen-buttons">
                    <Button variant="default" onClick={() => setDialog('test')}>
                      Send a test
                    </Button>
                    <Button variant="default" onClick={() => setDialog('edit')}>
                      Change
                    </Button>
                    {webhook.active ? (
                      <Button variant="default" onClick={ask.pause}>
                        Pause
                      </Button>
                    ) : (
                      <Button onClick={resume}>Resume</Button>
                    )}
                    <Button variant="default" onClick={() => ask.remove(webhook.url)}>
                      Remove
                    </Button>
                  </div>
                ) : null}
              </div>
              <SigningSecret
                webhook={webhook}
                onRotate={mayWrite ? ask.rotate : undefined}
                onPassed={() => void query.refetch()}
              />
            </Panel>
            <SendingAgain webhook={id} />
            <Deliveries id={id} />
            <Replays id={id} isActive={webhook.active} />
            <Modal opened={dialog === 'edit'} onClose={() => setDialog(undefined)} title="Change the webhook">
              <WebhookForm
                initial={{ url: webhook.url, description: webhook.description, events: webhook.events }}
                label="Save"
                submit={edit}
              />
            </Modal>
          </>
        )}
      </Answer>
      <Modal opened={dialog === 'test'} onClose={() => setDialog(undefined)} title="Send a test event" size="lg">
        <TestEvent id={id} />
      </Modal>
      <ShownOnce secret={secret} onClose={() => setSecret(undefined)} />
      <Confirm question={question} onClose={() => setQuestion(undefined)}>
        <Text size="sm">{question?.why}</Text>
      </Confirm>
    </Corner>
  );
}

function Times({ webhook }: { webhook: Detail }) {
  return (
    <Text size="xs" c="dimmed" component="div">
      Since <Moment at={webhook.created_at} />
    </Text>
  );
}

/** Which secrets sign now, and until when. */
function SigningSecret({
  webhook: { previous_secret_until: until },
  onRotate,
  onPassed,
}: {
  webhook: Detail;
  onRotate: (() => void) | undefined;
  onPassed: () => void;
}) {
  return (
    <div className="platen-line">
      <div className="platen-line-text">
        <Text size="sm" fw={600}>
          Signing secret
        </Text>
        <Text size="sm" c="dimmed" component="div">
          {until === null ? (
            'One secret signs every delivery. It was shown when it was made.'
          ) : (
            <>
              Two secrets sign every delivery for another <Countdown until={until} onPassed={onPassed} />. Put the new
              one into your receiver before: from <Moment at={until} /> on it signs alone.
            </>
          )}
        </Text>
      </div>
      {onRotate === undefined ? null : (
        <Button variant="default" onClick={onRotate}>
          Replace it
        </Button>
      )}
    </div>
  );
}
