import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { type Reply, saveList } from '../../shared/api/client.ts';
import { reading } from '../../shared/api/queries.ts';
import { Answer, Empty } from '../../shared/states/answer.tsx';
import { useAddressState } from '../../shared/table/address.ts';
import { CopySelected } from '../../shared/table/copy-selected.tsx';
import { TableMenus } from '../../shared/table/menus.tsx';
import { type Column, Table } from '../../shared/table/table.tsx';
import { Moment } from '../../shared/values/moment.tsx';
import { Money } from '../../shared/values/money.tsx';
import { Period } from './period.tsx';

type Entry = Reply<'getStatement'>['data'][number];

const COLUMNS: readonly Column<Entry>[] = [
  {
    title: 'What',
    cell: (entry) => (
      <div>
        {entry.description}
        <Text size="xs" c="dimmed">
          {entry.order_id === null ? (
            entry.reference
          ) : (
            <Link href={`/orders/${entry.order_id}`} className="platen-link platen-number">
              {entry.reference}
            </Link>
          )}
        </Text>
      </div>
    ),
  },
  { title: 'When', isMinor: true, cell: (entry) => <Moment at={entry.created_at} /> },
  { title: 'Amount', isNumber: true, cell: (entry) => <Money amount={entry.amount} currency={entry.currency} /> },
  {
    title: 'Balance after',
    isNumber: true,
    cell: (entry) => <Money amount={entry.balance_after} currency={entry.currency} />,
  },
];

/** What moved on the balance in a period, with the balance before and after it. */
export function Statement() {
  const { get } = useAddressState();
  const period = { from: get('from'), to: get('to') };
  const query = useQuery(reading('getStatement', { query: { ...period, cursor: get('cursor') } }));
  const save = (): Promise<void> => saveList('getStatement', { query: period }, 'statement.csv');
  return (
    <>
      <Period save={save} menus={<TableMenus page="statement" columns={COLUMNS} />} />
      <Answer query={query} lines={8}>
        {({ data, next_cursor: nextCursor, opening_balance: opening, closing_balance: closing, currency }) =>
          data.length === 0 ? (
            <Empty title="Nothing moved in this time.">
              The balance was <Money amount={closing} currency={currency} />.
            </Empty>
          ) : (
            <>
              <Text size="sm" px="md" pb="sm" c="dimmed">
                Balance before: <Money amount={opening} currency={currency} />. Balance after:{' '}
                <Money amount={closing} currency={currency} />.
              </Text>
              <Table
                label="Statement"
                rows={data}
                idOf={({ id }) => id}
                nameOf={({ description, reference }) => `${description} ${reference}`}
                columns={COLUMNS}
                nextCursor={nextCursor}
                isBusy={query.isPlaceholderData}
              >
                {({ rows }) => <CopySelected what="references" lines={rows.map(({ reference }) => reference)} />}
              </Table>
            </>
          )
        }
      </Answer>
    </>
  );
}
