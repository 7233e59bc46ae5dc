import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Link } from 'wouter';
import type { Reply } from '../../shared/api/client.ts';
import { reading } from '../../shared/api/queries.ts';
import { Answer, Empty } from '../../shared/states/answer.tsx';
import { useAddressState } from '../../shared/table/address.ts';
import { CopySelected } from '../../shared/table/copy-selected.tsx';
import { type Column, Table } from '../../shared/table/table.tsx';
import { Money } from '../../shared/values/money.tsx';
import { ENTRY_STATES, type EntryState, EntryStatus, entryLabel } from './status.tsx';

type OrderFile = Reply<'getOrderFile'>;
type Entry = Reply<'listOrderFileEntries'>['data'][number];

const COLUMNS: readonly Column<Entry>[] = [
  {
    title: 'Order',
    cell: (entry) => (
      <div>
        {entry.order === null ? (
          <Text size="sm">{entry.external_reference === '' ? 'No number' : entry.external_reference}</Text>
        ) : (
          <Link href={`/orders/${entry.order.reference}`} className="platen-link platen-number">
            {entry.external_reference}
          </Link>
        )}
        <Text size="xs" c="dimmed">
          {entry.rows.length === 1 ? 'Row' : 'Rows'} {entry.rows.slice(0, 6).join(', ')}
          {entry.rows.length > 6 ? ' …' : ''}
        </Text>
      </div>
    ),
  },
  {
    title: 'Status',
    cell: (entry) => (
      <div>
        <EntryStatus state={entry.status} />
        {entry.problems.map(({ row, column, message }) => (
          <Text key={`${row} ${column} ${message}`} size="sm" mt={4}>
            Row {row}
            {column === null ? '' : `, ${column}`}: {message}
          </Text>
        ))}
        {entry.warnings.map((warning) => (
          <Text key={warning} size="xs" c="dimmed" mt={4}>
            {warning}
          </Text>
        ))}
      </div>
    ),
  },
  {
    title: 'Total',
    isNumber: true,
    cell: ({ total }) => (total === null ? '' : <Money amount={total} currency="GBP" />),
  },
];

/** The orders of a file, all or those of a status, a page at a time. */
export function Entries({ file }: { file: OrderFile }) {
  const { get } = useAddressState();
  const status = get('status') as EntryState | undefined;
  const { counts, plan } = file;
  const query = useQuery(
    reading('listOrderFileEntries', { path: { id: file.id }, query: { status, after: get('cursor') } }),
  );
  const { refetch } = query;
  // Each step of the service changes the counts.
  const step = `${plan} ${Object.values(counts).join(' ')}`;
  const seen = useRef(step);
  useEffect(() => {
    if (seen.current !== step) void refetch();
    seen.current = step;
  }, [step, refetch]);
  return (
    <section className="platen-panel">
      <nav className="platen-tabs platen-tabs-of-panel" aria-label="Status">
        {[undefined, ...ENTRY_STATES].map((state) =>
          state !== undefined && counts[state] === 0 && state !== status ? null : (
            <Link
              key={state ?? 'all'}
              href={state === undefined ? `/order-file/${file.id}` : `/order-file/${file.id}?status=${state}`}
              aria-current={state === status ? 'page' : undefined}
            >
              {state === undefined ? 'All' : `${entryLabel(state)} (${counts[state]})`}
            </Link>
          ),
        )}
      </nav>
      <Answer query={query} lines={8}>
        {({ data, next_after: next }) =>
          data.length === 0 ? (
            <Empty title="No order is like this." />
          ) : (
            <Table
              label="Orders of the file"
              rows={data}
              idOf={({ place }) => String(place)}
              nameOf={(entry) => entry.external_reference}
              columns={COLUMNS}
              nextCursor={next === null ? null : String(next)}
              isBusy={query.isPlaceholderData}
            >
              {({ rows, clear }) => (
                <>
                  <CopySelected
                    what="numbers"
                    lines={rows.map((entry) => entry.external_reference || `Row ${entry.rows.join(', ')}`)}
                  />
                  <Button size="compact-sm" variant="subtle" onClick={clear}>
                    Select none
                  </Button>
                </>
              )}
            </Table>
          )
        }
      </Answer>
    </section>
  );
}
