import { NativeSelect, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { call, type Reply } from '../../../shared/api/client.ts';
import { Form } from '../../../shared/form/form.tsx';
import { jsonOf, TextBlock } from '../../../shared/values/text-block.tsx';
import { EVENT_NAMES, type EventName } from '../events.ts';

/** Sends a made-up event of a kind, and shows what was sent and answered. */
export function TestEvent({ id }: { id: string }) {
  const [result, setResult] = useState<Reply<'testWebhook'>>();
  const form = useForm<{ event: EventName }>({ initialValues: { event: 'order.created' } });
  const send = async ({ event }: { event: EventName }): Promise<void> => {
    setResult(undefined);
    setResult(await call('testWebhook', { path: { id }, body: { event } }));
  };
  return (
    <>
      <Text size="sm" mb="md">
        It is signed as a delivery and says that it is a test; its order does not exist. Nothing is recorded, and a
        failure counts towards nothing.
      </Text>
      <Form form={form} submit={send} label="Send the test">
        <NativeSelect label="Event" data={[...EVENT_NAMES]} data-autofocus {...form.getInputProps('event')} />
      </Form>
      {result === undefined ? null : <Outcome result={result} />}
    </>
  );
}

function Outcome({ result }: { result: Reply<'testWebhook'> }) {
  const { delivered, response_code: code, error, answer, duration_ms: ms, request } = result;
  const headers = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`);
  return (
    <section aria-label="What came of the test" className="platen-outcome">
      <Text size="sm" role="status" component="div" mb="sm">
        <span className="platen-status" data-tone={delivered ? 'good' : 'bad'}>
          {delivered ? 'Delivered' : 'Not delivered'}
        </span>{' '}
        {error ?? `The receiver answered ${code}.`} It took {ms} ms.
      </Text>
      {answer === '' ? null : <TextBlock text={answer} label="What the receiver answered" />}
      <Text size="sm" mt="sm" mb="xs">
        What was sent
      </Text>
      <TextBlock text={`${headers.join('\n')}\n\n${jsonOf(request.body)}`} label="What was sent" />
    </section>
  );
}
