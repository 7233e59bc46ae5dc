import { Button, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../shared/api/client.ts';
import { Confirm, type Question } from '../../shared/dialog/confirm.tsx';
import { Panel } from '../../shared/layout/panel.tsx';
import { askingReasonLabel, requestStateText } from '../../shared/orders/request-words.ts';
import type { Order } from '../../shared/orders/status.tsx';
import { useSession } from '../../shared/session/session.tsx';
import { Countdown } from '../../shared/values/countdown.tsx';
import { Moment } from '../../shared/values/moment.tsx';

/** The latest request to cancel an order: why, until when it is to be answered, and the answer. */
export function AskedToCancel({ order }: { order: Order }) {
  const queries = useQueryClient();
  const [question, setQuestion] = useState<Question>();
  const { role } = useSession().session.user;
  const request = order.cancellation_request;
  if (request === null) return null;
  const ask = (): void =>
    setQuestion({
      title: 'Withdraw the request to cancel?',
      label: 'Withdraw it',
      act: async () => {
        await call('withdrawCancellationRequest', { path: { id: order.id } });
        await queries.invalidateQueries();
      },
    });
  return (
    <Panel title="Request to cancel">
      <div className="platen-panel-body">
        <Text size="sm" fw={600}>
          {requestStateText(request)}
        </Text>
        <Text size="sm" c="dimmed">
          {askingReasonLabel(request.reason)} · <Moment at={request.asked_at} />
        </Text>
        {request.text === '' ? null : (
          <Text size="sm" mt={4} style={{ whiteSpace: 'pre-line' }} className="platen-words">
            {request.text}
          </Text>
        )}
        {request.answer === null ? null : (
          <Text size="sm" mt={6} className="platen-answer">
            {request.answer}
          </Text>
        )}
        {request.state === 'open' ? (
          <Text size="sm" c="dimmed" mt={6}>
            To be answered within <Countdown until={request.answer_by} />. The order goes on until then.
          </Text>
        ) : null}
        {request.actions.withdraw.available && role !== 'reader' ? (
          <Button variant="default" size="compact-sm" mt="sm" onClick={ask}>
            Withdraw the request
          </Button>
        ) : null}
      </div>
      <Confirm question={question} onClose={() => setQuestion(undefined)}>
        <Text size="sm">The shop then makes and sends the order as it was placed.</Text>
      </Confirm>
    </Panel>
  );
}
