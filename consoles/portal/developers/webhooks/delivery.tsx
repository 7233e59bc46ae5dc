import { Button, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import { call, type Reply } from '../../../shared/api/client.ts';
import { reading } from '../../../shared/api/queries.ts';
import { useCommands } from '../../../shared/commands/registry.ts';
import { Panel } from '../../../shared/layout/panel.tsx';
import { Answer } from '../../../shared/states/answer.tsx';
import { notifyOf, notifyOfFailure } from '../../../shared/states/notify.tsx';
import { Countdown } from '../../../shared/values/countdown.tsx';
import { Moment } from '../../../shared/values/moment.tsx';
import { jsonOf, TextBlock } from '../../../shared/values/text-block.tsx';
import { Corner, useIsManager } from '../corner.tsx';
import { orderOf } from '../events.ts';
import { DeliveryStatus, deliveryKindLabel, isUnderWay, LOOK_AGAIN_MS } from './delivery-status.tsx';

type Detail = Reply<'getWebhookDelivery'>;

/** One delivery: what was sent, what came back, and sending it again. */
export function DeliveryPage({ id, delivery }: { id: string; delivery: string }) {
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  const mayWrite = useIsManager();
  const query = useQuery({
    ...reading('getWebhookDelivery', { path: { id, delivery } }),
    refetchInterval: ({ state }) => (state.data !== undefined && isUnderWay(state.data) ? LOOK_AGAIN_MS : false),
  });
  const redeliver = async (): Promise<void> => {
    const sent = await call('redeliverWebhook', { path: { id, delivery } });
    // How the webhook does is about to change.
    await queries.invalidateQueries({ queryKey: ['getWebhook'] });
    if (sent.id === delivery) {
      notifyOf('Its next attempt starts now.');
      await query.refetch();
      return;
    }
    notifyOf('It is sent again, as a new delivery of the same event. This is the new one.');
    navigate(`/developers/webhooks/${id}/deliveries/${sent.id}`);
  };
  const send = (): void => void redeliver().catch(notifyOfFailure);
  useCommands(mayWrite ? [{ id: 'redeliver', label: 'Send it again', group: 'Delivery', run: send }] : []);
  return (
    <Corner title="Delivery" aside={mayWrite ? <Button onClick={send}>Send it again</Button> : undefined}>
      <Text size="sm">
        <Link href={`/developers/webhooks/${id}`} className="platen-link">
          All deliveries of this webhook
        </Link>
      </Text>
      <Answer query={query} lines={8}>
        {(detail) => (
          <>
            <Facts detail={detail} onDue={() => void query.refetch()} />
            <AnswerPanel detail={detail} />
            <Request detail={detail} />
          </>
        )}
      </Answer>
    </Corner>
  );
}

function Facts({ detail, onDue }: { detail: Detail; onDue: () => void }) {
  const order = detail.request === null ? undefined : orderOf(detail.request.body);
  return (
    <Panel title={detail.event} aside={<DeliveryStatus status={detail.status} />}>
      <dl className="platen-facts platen-panel-body">
        {order === undefined ? null : (
          <>
            <dt>Order</dt>
            <dd>
              <Link href={`/orders/${order}`} className="platen-link platen-number">
                {order}
              </Link>
            </dd>
          </>
        )}
        <dt>Made</dt>
        <dd>
          <Moment at={detail.created_at} />, {deliveryKindLabel(detail.kind)}
        </dd>
        <dt>Attempts</dt>
        <dd>{detail.attempts}</dd>
        {detail.attempted_at === null ? null : (
          <>
            <dt>Last attempt</dt>
            <dd>
              <Moment at={detail.attempted_at} />
            </dd>
          </>
        )}
        {detail.next_attempt_at === null ? null : (
          <>
            <dt>Next attempt</dt>
            <dd>
              <Moment at={detail.next_attempt_at} />, in <Countdown until={detail.next_attempt_at} onPassed={onDue} />
            </dd>
          </>
        )}
        <dt>Delivery</dt>
        <dd className="platen-code">{detail.id}</dd>
        <dt>Event</dt>
        <dd className="platen-code">{detail.event_id}</dd>
      </dl>
    </Panel>
  );
}

function AnswerPanel({ detail: { attempts, response_code: code, error, answer } }: { detail: Detail }) {
  return (
    <Panel title="Answer">
      <div className="platen-panel-body">
        <Text size="sm" mb={answer === null ? 0 : 'sm'}>
          {attempts === 0 ? 'It was not sent yet.' : (error ?? `The receiver answered ${code}.`)}
          {error !== null && code !== null && answer === null ? ' None of its text is kept.' : ''}
        </Text>
        {answer === null ? null : <TextBlock text={answer} label="What the receiver answered" />}
      </div>
    </Panel>
  );
}

function Request({ detail: { request } }: { detail: Detail }) {
  if (request === null) {
    return (
      <Panel title="Request">
        <Text size="sm" className="platen-panel-body">
          The event has left the log, so what was sent can no longer be shown.
        </Text>
      </Panel>
    );
  }
  const headers = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`);
  return (
    <Panel title="Request">
      <div className="platen-panel-body">
        <Text size="sm" mb="xs">
          The headers that all its attempts have. svc-timestamp, svc-signature, webhook-timestamp and webhook-signature
          are new at each.
        </Text>
        <TextBlock text={headers.join('\n')} label="Headers" />
        <Text size="sm" mt="md" mb="xs">
          The body, laid out to be read. What is signed are its bytes as they were sent.
        </Text>
        <TextBlock text={jsonOf(request.body)} label="Body" />
      </div>
    </Panel>
  );
}
