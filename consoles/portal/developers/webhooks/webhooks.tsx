import { Button, Modal, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { call, download } from '../../../shared/api/client.ts';
import { reading } from '../../../shared/api/queries.ts';
import { useCommands } from '../../../shared/commands/registry.ts';
import { type Secret, ShownOnce } from '../../../shared/dialog/shown-once.tsx';
import { Panel } from '../../../shared/layout/panel.tsx';
import { Answer, Empty } from '../../../shared/states/answer.tsx';
import { useAddressState } from '../../../shared/table/address.ts';
import { SaveCsv } from '../../../shared/table/save-csv.tsx';
import { Pages } from '../../../shared/table/table.tsx';
import { Corner, useIsManager } from '../corner.tsx';
import { Health, type Webhook } from './health.tsx';
import { WebhookForm, type WebhookValues } from './webhook-form.tsx';

/** Where events are sent, and how each receiver does. */
export function WebhooksPage() {
  const { get } = useAddressState();
  const [, navigate] = useLocation();
  const mayWrite = useIsManager();
  const query = useQuery(reading('listWebhooks', { query: { cursor: get('cursor') } }));
  const [isCreating, setCreating] = useState(false);
  const [made, setMade] = useState<{ id: string; secret: Secret }>();
  const create = async (values: WebhookValues): Promise<void> => {
    const { id, secret } = await call('createWebhook', { body: values });
    setCreating(false);
    const note = 'Your receiver checks the signature of each delivery with it.';
    setMade({ id, secret: { title: 'The signing secret', text: secret, note } });
    await query.refetch();
  };
  useCommands(
    mayWrite
      ? [{ id: 'create', label: 'Add a webhook', group: 'Webhooks', keys: 'c', run: () => setCreating(true) }]
      : [],
  );
  return (
    <Corner
      title="Webhooks"
      aside={mayWrite ? <Button onClick={() => setCreating(true)}>Add a webhook</Button> : undefined}
    >
      <Panel
        title="Where events are sent"
        aside={
          <SaveCsv
            group="Webhooks"
            save={() => download('listWebhooks', {}, { mediaType: 'text/csv', name: 'webhooks.csv' })}
          />
        }
      >
        <Answer query={query}>
          {({ data, next_cursor: nextCursor }) =>
            data.length === 0 ? (
              <Empty title="There is no webhook yet.">
                Your server is told of each event of your orders by a signed POST. Until then, read{' '}
                <Link href="/developers/events">the log of events</Link>.
              </Empty>
            ) : (
              <>
                <div className="platen-lines">
                  {data.map((webhook) => (
                    <Line key={webhook.id} webhook={webhook} />
                  ))}
                </div>
                <Pages label="Webhooks" nextCursor={nextCursor} />
              </>
            )
          }
        </Answer>
      </Panel>
      <Modal opened={isCreating} onClose={() => setCreating(false)} title="Add a webhook">
        <WebhookForm initial={{ url: '', description: '', events: [] }} label="Add it" submit={create} />
      </Modal>
      <ShownOnce
        secret={made?.secret}
        onClose={() => {
          setMade(undefined);
          if (made !== undefined) navigate(`/developers/webhooks/${made.id}`);
        }}
      />
    </Corner>
  );
}

function Line({ webhook }: { webhook: Webhook }) {
  return (
    <div className="platen-line">
      <div className="platen-line-text">
        <Link href={`/developers/webhooks/${webhook.id}`} className="platen-link">
          {webhook.url}
        </Link>
        {webhook.description === '' ? null : <Text size="sm">{webhook.description}</Text>}
        <Health webhook={webhook} />
        <Text size="sm" c="dimmed">
          {webhook.events.length === 0 ? 'Every event' : webhook.events.join(', ')}
        </Text>
      </div>
    </div>
  );
}
