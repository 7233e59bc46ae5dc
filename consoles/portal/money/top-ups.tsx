import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { saveList } from '../../shared/api/client.ts';
import { reading } from '../../shared/api/queries.ts';
import { Answer, Empty } from '../../shared/states/answer.tsx';
import { useAddressState } from '../../shared/table/address.ts';
import { CopySelected } from '../../shared/table/copy-selected.tsx';
import { TableMenus } from '../../shared/table/menus.tsx';
import { SaveCsv } from '../../shared/table/save-csv.tsx';
import { type Column, Table } from '../../shared/table/table.tsx';
import { Moment } from '../../shared/values/moment.tsx';
import { Money } from '../../shared/values/money.tsx';
import { GoOn } from './go-on.tsx';
import { isPayable, type TopUp, TopUpState } from './top-up-state.tsx';

const COLUMNS: readonly Column<TopUp>[] = [
  {
    title: 'Top-up',
    cell: ({ id, is_automatic: isAutomatic }) => (
      <div>
        {isAutomatic ? 'By itself' : 'On the page of the payment provider'}
        <Text size="xs" c="dimmed" className="platen-number platen-reference">
          {id}
        </Text>
      </div>
    ),
  },
  { title: 'Amount', isNumber: true, cell: ({ amount, currency }) => <Money amount={amount} currency={currency} /> },
  { title: 'How it stands', cell: (topUp) => <TopUpState topUp={topUp} /> },
  { title: 'Begun', isMinor: true, cell: ({ created_at: at }) => <Moment at={at} /> },
  { title: 'What can be done', cell: (topUp) => <Next topUp={topUp} /> },
];

/** The top-ups by card, newest first: each leads to its page while it can be paid, and then to its entry. */
export function TopUps() {
  const { get } = useAddressState();
  const query = useQuery(reading('listTopUps', { query: { cursor: get('cursor') } }));
  return (
    <>
      <Group px="md" py="sm" gap="sm" justify="flex-end">
        <SaveCsv group="Money" save={() => saveList('listTopUps', {}, 'top-ups.csv')} />
        <TableMenus page="top-ups" columns={COLUMNS} />
      </Group>
      <Answer query={query} lines={6}>
        {({ data, next_cursor: nextCursor }) =>
          data.length === 0 ? (
            <Empty title="There is no top-up by card.">Those that came to nothing are kept for a month.</Empty>
          ) : (
            <Table
              label="Top-ups by card"
              rows={data}
              idOf={({ id }) => id}
              nameOf={({ id }) => id}
              columns={COLUMNS}
              nextCursor={nextCursor}
              isBusy={query.isPlaceholderData}
            >
              {({ rows }) => <CopySelected what="references" lines={rows.map(({ id }) => id)} />}
            </Table>
          )
        }
      </Answer>
    </>
  );
}

function Next({ topUp }: { topUp: TopUp }) {
  if (isPayable(topUp)) return <GoOn topUp={topUp} />;
  if (topUp.state !== 'paid' || topUp.settled_at === null) return null;
  const at = Date.parse(topUp.settled_at);
  return (
    <Link href={`/money?from=${dayOf(at - BEHIND_MS)}&to=${dayOf(at + AHEAD_MS)}`} className="platen-link">
      On the statement
    </Link>
  );
}

/** How far the seller's clock can be from UTC: the statement goes by its days, which these days always contain. */
const BEHIND_MS = 12 * 3_600_000;
const AHEAD_MS = 14 * 3_600_000;

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
