import { Button, Group, NativeSelect, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Link } from 'wouter';
import { saveList } from '../../shared/api/client.ts';
import { reading, useReadAhead } from '../../shared/api/queries.ts';
import { useCommands } from '../../shared/commands/registry.ts';
import { Page } from '../../shared/layout/page.tsx';
import { Due } from '../../shared/orders/due.tsx';
import { Blocks, ORDER_STATUSES, type Order, OrderStatus, piecesOf, statusLabel } from '../../shared/orders/status.tsx';
import { useSession } from '../../shared/session/session.tsx';
import { Answer, Empty } from '../../shared/states/answer.tsx';
import { keepTable, useAddressState } from '../../shared/table/address.ts';
import { CopySelected } from '../../shared/table/copy-selected.tsx';
import { TableMenus } from '../../shared/table/menus.tsx';
import { SaveCsv } from '../../shared/table/save-csv.tsx';
import { type Column, Table } from '../../shared/table/table.tsx';
import { Moment } from '../../shared/values/moment.tsx';
import { Money } from '../../shared/values/money.tsx';
import { Picture } from '../../shared/values/picture.tsx';
import { Cancelling, CancelSelected, type Filters } from './cancel-selected.tsx';
import { Narrowed } from './narrowed.tsx';

const COLUMNS: readonly Column<Order>[] = [
  {
    title: 'Order',
    cell: (order) => (
      <div className="platen-row-name">
        <Picture url={order.items[0]?.thumbnail_url ?? null} alt={order.items[0]?.name ?? 'Order'} size={36} />
        <div>
          <Link href={`/orders/${order.reference}`} className="platen-link platen-number">
            {order.reference}
          </Link>
          <div className="platen-row-second platen-reference">
            {order.shop_number === '' ? order.type : order.shop_number}
          </div>
        </div>
      </div>
    ),
  },
  { title: 'Status', cell: (order) => <OrderStatus order={order} /> },
  { title: 'For', isMinor: true, cell: (order) => order.shipping_address.contact_name },
  { title: 'Pieces', isNumber: true, isMinor: true, cell: piecesOf },
  {
    title: 'Blocked by',
    isMinor: true,
    cell: (order) => <Blocks order={order} />,
  },
  { title: 'Due', isMinor: true, cell: (order) => <Due order={order} /> },
  {
    title: 'Placed',
    isMinor: true,
    sorts: [
      { value: 'newest', label: 'Newest first', direction: 'descending' },
      { value: 'oldest', label: 'Oldest first', direction: 'ascending' },
    ],
    cell: (order) => <Moment at={order.created_at} />,
  },
  { title: 'Total', isNumber: true, cell: (order) => <Money amount={order.total} currency={order.currency} /> },
];

/** Who has looked at the first page for so long may leaf. */
const STAYS_MS = 1_000;

/** The orders of the account, narrowed and in the order that stand in the address; newest first by itself. */
export function OrdersPage() {
  const { get, set } = useAddressState();
  const mayCancel = useSession().session.user.role !== 'reader';
  const filters = {
    status: get('status') as Filters['status'],
    type: get('type') as Filters['type'],
    number: get('number'),
    blocked_by: get('blocked_by') as Filters['blocked_by'],
    placed_since: timeAt(get('from'), 0),
    placed_before: timeAt(get('to'), 1),
  };
  // The order narrows nothing: what is done to all that match begins with the newest, which may still be cancelled.
  const list = { ...filters, sort: get('sort') as Filters['sort'] };
  const cursor = get('cursor');
  const query = useQuery(reading('listOrders', { query: { ...list, cursor } }));
  const readAhead = useReadAhead('listOrders');
  const next = query.isPlaceholderData ? null : query.data?.next_cursor;
  // Who leafs wants the page after this one, too; of who opens the list, only who stays.
  useEffect(() => {
    if (typeof next !== 'string') return undefined;
    const read = setTimeout(() => readAhead({ query: { ...list, cursor: next } }), cursor === undefined ? STAYS_MS : 0);
    return () => clearTimeout(read);
  });
  const isNarrowed = Object.values(filters).some((value) => value !== undefined);
  const clear = (): void =>
    set({
      status: undefined,
      type: undefined,
      number: undefined,
      blocked_by: undefined,
      from: undefined,
      to: undefined,
    });
  useCommands([
    ...[undefined, ...ORDER_STATUSES].map((status) => ({
      id: `status-${status ?? 'all'}`,
      label: status === undefined ? 'Orders of every status' : `Only orders: ${statusLabel(status)}`,
      group: 'Orders',
      run: () => set({ status }),
    })),
    { id: 'needs-you', label: 'Only orders that need you', group: 'Orders', run: () => set({ blocked_by: ANYTHING }) },
    { id: 'samples', label: 'Only samples', group: 'Orders', run: () => set({ type: 'sample' }) },
    { id: 'no-filter', label: 'Show all orders', group: 'Orders', run: clear },
    { id: 'refresh', label: 'Look again', group: 'Orders', keys: 'r', run: () => void query.refetch() },
  ]);
  return (
    <Page title="Orders">
      <Cancelling onOver={() => void query.refetch()} />
      <section className="platen-panel">
        <Group px="md" py="xs" justify="space-between" gap="sm">
          <Statuses
            chosen={filters.status}
            blockedBy={filters.blocked_by}
            kept={{ type: filters.type, number: filters.number, from: get('from'), to: get('to') }}
            onNear={(of) => readAhead({ query: { ...list, ...of } })}
          />
          <Group gap="xs" align="center">
            {filters.blocked_by === undefined ? null : (
              <NativeSelect
                size="xs"
                aria-label="Blocked by"
                data={REASONS}
                value={filters.blocked_by}
                onChange={({ currentTarget }) => set({ blocked_by: currentTarget.value })}
              />
            )}
            <TextInput
              type="date"
              size="xs"
              aria-label="Placed from"
              value={get('from') ?? ''}
              onChange={({ currentTarget }) => set({ from: currentTarget.value })}
            />
            <Text size="sm">to</Text>
            <TextInput
              type="date"
              size="xs"
              aria-label="Placed until"
              value={get('to') ?? ''}
              onChange={({ currentTarget }) => set({ to: currentTarget.value })}
            />
            <SaveCsv group="Orders" save={() => saveList('listOrders', { query: list }, 'orders.csv')} />
          </Group>
          <TableMenus page="orders" columns={COLUMNS} />
          <Narrowed />
        </Group>
        <Answer query={query} lines={8}>
          {({ data, next_cursor: nextCursor }) =>
            data.length === 0 ? (
              <Empty title={isNarrowed ? 'No order is like this.' : 'There are no orders yet.'}>
                {isNarrowed ? (
                  <Button variant="subtle" onClick={clear}>
                    Show all orders
                  </Button>
                ) : (
                  'The first one stands here as soon as it is placed.'
                )}
              </Empty>
            ) : (
              <Table
                label="Orders"
                rows={data}
                idOf={(order) => order.id}
                nameOf={(order) => order.reference}
                columns={COLUMNS}
                nextCursor={nextCursor}
                isBusy={query.isPlaceholderData}
              >
                {({ rows, clear: clearSelection }) => (
                  <>
                    {mayCancel ? (
                      <CancelSelected
                        orders={rows}
                        filters={filters}
                        hasMore={rows.length === data.length && (nextCursor !== null || cursor !== undefined)}
                        onDone={() => void query.refetch()}
                      />
                    ) : null}
                    <CopySelected what="references" lines={rows.map(({ reference }) => reference)} />
                    <Button size="compact-sm" variant="subtle" onClick={clearSelection}>
                      Select none
                    </Button>
                  </>
                )}
              </Table>
            )
          }
        </Answer>
      </section>
    </Page>
  );
}

/** The beginning of a day here, or of one after it. */
function timeAt(day: string | undefined, later: number): string | undefined {
  const [year, month, date] = (day ?? '').split('-').map(Number);
  if (year === undefined || month === undefined || date === undefined) return undefined;
  const time = new Date(year, month - 1, date + later);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

const ANYTHING = 'anything';
const REASONS = [
  { value: '', label: 'Blocked or not' },
  { value: ANYTHING, label: 'For any reason' },
  { value: 'payment', label: 'Unpaid' },
  { value: 'hold', label: 'On hold' },
  { value: 'artwork', label: 'No artwork' },
];

/** What one of the tabs chooses. */
type Tab = { readonly status: Filters['status']; readonly blocked_by: Filters['blocked_by'] };

const TABS: readonly (Tab & { readonly label: string })[] = [
  ...[undefined, ...ORDER_STATUSES].map((status) => ({
    status: status as Filters['status'],
    blocked_by: undefined,
    label: status === undefined ? 'All' : statusLabel(status),
  })),
  { status: undefined, blocked_by: ANYTHING, label: 'Needs you' },
];

function Statuses({
  chosen,
  blockedBy,
  kept,
  onNear,
}: {
  chosen: string | undefined;
  blockedBy: string | undefined;
  /** What else the list is narrowed by, which another tab keeps. */
  kept: Readonly<Record<string, string | undefined>>;
  /** The focus is on one of them, which a key or a click is about to choose. */
  onNear: (tab: Tab) => void;
}) {
  const hrefOf = (tab: Tab): string => {
    const pairs = Object.entries({ ...tab, ...kept }).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    );
    return pairs.length === 0 ? '/orders' : `/orders?${new URLSearchParams(pairs).toString()}`;
  };
  return (
    <nav className="platen-tabs" aria-label="Status">
      {TABS.map(({ label, ...tab }) => (
        <Link
          key={label}
          href={keepTable(hrefOf(tab))}
          onFocus={() => onNear(tab)}
          aria-current={
            (
              blockedBy === undefined
                ? tab.blocked_by === undefined && tab.status === chosen
                : tab.blocked_by !== undefined
            )
              ? 'page'
              : undefined
          }
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}
