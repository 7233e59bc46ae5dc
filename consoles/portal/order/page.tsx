import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { call, download } from '../../shared/api/client.ts';
import { reading } from '../../shared/api/queries.ts';
import { useCommands } from '../../shared/commands/registry.ts';
import { Confirm, type Question } from '../../shared/dialog/confirm.tsx';
import { Page } from '../../shared/layout/page.tsx';
import { Panel } from '../../shared/layout/panel.tsx';
import { Due } from '../../shared/orders/due.tsx';
import { blockLabel, Cure, type Order, OrderStatus } from '../../shared/orders/status.tsx';
import { cancelledWords, comesBackWords } from '../../shared/refunds/words.tsx';
import { useSession } from '../../shared/session/session.tsx';
import { Answer } from '../../shared/states/answer.tsx';
import { notifyOf, notifyOfFailure, notifyOfWarning } from '../../shared/states/notify.tsx';
import { Countdown } from '../../shared/values/countdown.tsx';
import { AskToCancel } from './ask-to-cancel.tsx';
import { AskedToCancel } from './asked.tsx';
import { Documents } from './documents.tsx';
import { Lines } from './lines.tsx';
import { Delivery, Paid, Shipments } from './papers.tsx';
import { piecesWords } from './pieces-words.ts';
import { Problems } from './problems.tsx';
import { Timeline } from './timeline.tsx';
import { Warnings } from './warnings.tsx';

/** An order: its lines with pictures, what happened, what was paid and sent, and what can still be done. */
export function OrderPage({ name }: { name: string }) {
  const query = useQuery(reading('getOrder', { path: { id: name } }));
  return (
    <Page
      title={query.data?.reference ?? name}
      aside={query.data === undefined ? null : <Actions order={query.data} onChanged={() => void query.refetch()} />}
    >
      <Answer query={query} lines={8}>
        {(order) => <Content order={order} />}
      </Answer>
    </Page>
  );
}

function Content({ order }: { order: Order }) {
  const pieces = piecesWords(order.items);
  return (
    <Stack gap="md">
      <Group gap="sm">
        <OrderStatus order={order} />
        <Text size="sm" c="dimmed" className="platen-reference">
          {[order.type, order.shop_number].filter((text) => text !== '').join(' · ')}
          {order.expected_delivery === null ? null : (
            <>
              {' · due '}
              <Due order={order} />
            </>
          )}
        </Text>
        {pieces === undefined ? null : <Text size="sm">{pieces}</Text>}
        {order.replaces === null ? null : (
          <Text size="sm" className="platen-replaces">
            Made again for{' '}
            <Link href={`/orders/${order.replaces.reference}`} className="platen-link">
              {order.replaces.reference}
            </Link>
          </Text>
        )}
      </Group>
      {order.blocked_by.map((block) => (
        <p key={`${block.kind} ${block.line_ids.join(' ')}`} className="platen-note" role="note">
          {blockLabel(block)}: {block.reason} <Cure order={order} block={block} />
        </p>
      ))}
      <Warnings order={order} />
      <div className="platen-columns">
        <Stack gap="md">
          <AskedToCancel order={order} />
          <Lines key={order.id} order={order} />
          <Shipments order={order} />
          <Problems order={order} />
          <Panel title="What happened">
            <div className="platen-panel-body">
              <Timeline order={order} />
            </div>
          </Panel>
        </Stack>
        <Stack gap="md">
          <Paid order={order} />
          <Documents order={order} />
          <Delivery order={order} />
        </Stack>
      </div>
    </Stack>
  );
}

function Actions({ order, onChanged }: { order: Order; onChanged: () => void }) {
  const queries = useQueryClient();
  const [question, setQuestion] = useState<Question>();
  const [isAsking, setAsking] = useState(false);
  const { role } = useSession().session.user;
  const mayChange = role !== 'reader';
  const { cancel, ask_to_cancel: asking } = order.actions;
  const canCancel = cancel.available && mayChange;
  const canAsk = asking.available && mayChange;
  const ask = (): void =>
    setQuestion({
      title: `Cancel ${order.reference}?`,
      label: 'Cancel the order',
      typed: order.reference,
      act: async () => {
        const { words, isOwed } = cancelledWords(await call('cancelOrder', { path: { id: order.id } }));
        (isOwed ? notifyOfWarning : notifyOf)(words);
        await queries.invalidateQueries();
      },
    });
  const [, navigate] = useLocation();
  const again = `/new-order?from=${order.reference}`;
  const isInvoiced = order.charges.length > 0;
  const saveInvoice = async (): Promise<void> => {
    try {
      const name = `invoice-${order.reference}.pdf`;
      await download('getInvoice', { path: { id: order.id } }, { mediaType: 'application/pdf', name });
    } catch (error) {
      notifyOfFailure(error);
    }
  };
  useCommands([
    ...(canCancel ? [{ id: 'cancel', label: 'Cancel the order', group: 'Order', run: ask }] : []),
    ...(canAsk ? [{ id: 'ask', label: 'Ask to cancel', group: 'Order', run: () => setAsking(true) }] : []),
    ...(isInvoiced
      ? [{ id: 'invoice', label: 'Save the invoice', group: 'Order', run: () => void saveInvoice() }]
      : []),
    ...(mayChange ? [{ id: 'again', label: 'Order this again', group: 'Order', run: () => navigate(again) }] : []),
    {
      id: 'copy',
      label: 'Copy the reference',
      group: 'Order',
      keys: 'c',
      run: () => void navigator.clipboard.writeText(order.reference),
    },
    { id: 'refresh', label: 'Look again', group: 'Order', keys: 'r', run: onChanged },
  ]);
  return (
    <Group gap="sm">
      {mayChange ? (
        <Button variant="default" component={Link} href={again}>
          Order again
        </Button>
      ) : null}
      {isInvoiced ? (
        <Button variant="default" onClick={() => void saveInvoice()}>
          Invoice (PDF)
        </Button>
      ) : null}
      {canCancel ? (
        <Button variant="default" className="platen-cancel" onClick={ask}>
          <span>
            Cancel, within <Countdown until={cancel.until} onPassed={onChanged} />
          </span>
        </Button>
      ) : null}
      {canAsk ? (
        <Button variant="default" onClick={() => setAsking(true)}>
          Ask to cancel
        </Button>
      ) : null}
      <Modal opened={isAsking} onClose={() => setAsking(false)} title={`Ask to cancel ${order.reference}`} size="lg">
        <AskToCancel order={order} onDone={() => setAsking(false)} />
      </Modal>
      <Confirm question={question} onClose={() => setQuestion(undefined)}>
        <Text size="sm">Nothing is made. {comesBackWords([order])} A cancelled order cannot be taken up again.</Text>
      </Confirm>
    </Group>
  );
}
