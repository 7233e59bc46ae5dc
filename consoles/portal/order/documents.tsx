import { Button, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call, download } from '../../shared/api/client.ts';
import { useCommands } from '../../shared/commands/registry.ts';
import { Panel } from '../../shared/layout/panel.tsx';
import type { Order } from '../../shared/orders/status.tsx';
import { useSaving } from '../../shared/states/use-saving.ts';
import { Money } from '../../shared/values/money.tsx';

const PAGE = 25;

/** The invoice of an order that was charged, and the credit notes of what was taken back, each as PDF. */
export function Documents({ order }: { order: Order }) {
  return order.charges.length === 0 ? null : <OfCharged order={order} />;
}

function OfCharged({ order }: { order: Order }) {
  const notes = useInfiniteQuery({
    // A note is issued soon after a refund, so a refund asks anew.
    queryKey: ['listCreditNotes', order.id, order.refunds.length],
    queryFn: ({ pageParam, signal }) =>
      call(
        'listCreditNotes',
        { path: { id: order.id }, query: { limit: PAGE, ...(pageParam === null ? {} : { cursor: pageParam }) } },
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor: next }) => next,
    enabled: order.refunds.length > 0,
  });
  const { reference } = order;
  const path = { id: order.id };
  const listed = notes.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <Panel title="Papers">
      <div className="platen-lines">
        <Document
          title="Invoice"
          number={reference}
          save={() => download('getInvoice', { path }, { mediaType: PDF, name: `invoice-${reference}.pdf` })}
        />
        {listed.map(({ id, number, issued_on: day, total, currency }) => (
          <Document
            key={id}
            title="Credit note"
            number={number}
            issued={day}
            command={`Save credit note ${number}`}
            amount={<Money amount={-total} currency={currency} />}
            save={() =>
              download(
                'getCreditNote',
                { path: { ...path, credit_note_id: id } },
                { mediaType: PDF, name: `${number}.pdf` },
              )
            }
          />
        ))}
        {notes.hasNextPage ? (
          <div className="platen-line">
            <Button
              size="compact-sm"
              variant="subtle"
              loading={notes.isFetchingNextPage}
              loaderProps={{ type: 'dots' }}
              onClick={() => void notes.fetchNextPage()}
            >
              More credit notes
            </Button>
          </div>
        ) : null}
        {notes.error === null ? null : (
          <Text size="sm" px="md" pb="sm" role="alert">
            The credit notes could not be loaded. {notes.error.message}
          </Text>
        )}
      </div>
    </Panel>
  );
}

const PDF = 'application/pdf';

function Document({
  title,
  number,
  issued,
  command,
  amount,
  save,
}: {
  title: string;
  number: string;
  /** The day of issue. */
  issued?: string;
  /** In the palette; the invoice has its own among those of the order. */
  command?: string;
  amount?: ReactNode;
  save: () => Promise<void>;
}) {
  const { isSaving, run } = useSaving(save);
  useCommands(command === undefined ? [] : [{ id: `save-${number}`, label: command, group: 'Order', run }]);
  return (
    <div className="platen-line">
      <div style={{ flex: 1, minWidth: 0 }}>
        <Text size="sm">
          {title} <span className="platen-number">{number}</span>
        </Text>
        {issued === undefined ? null : (
          <Text size="xs" c="dimmed">
            <span className="platen-number">{issued}</span>
          </Text>
        )}
      </div>
      {amount}
      <Button
        size="compact-sm"
        variant="default"
        loading={isSaving}
        loaderProps={{ type: 'dots' }}
        aria-label={`PDF of ${title.toLowerCase()} ${number}`}
        onClick={run}
      >
        PDF
      </Button>
    </div>
  );
}
