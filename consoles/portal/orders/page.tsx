import { Button, CopyButton, Group, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { download, type Input } from '../../shared/api/client.ts';
import { reading } from '../../shared/api/queries.ts';
import { useCommands } from '../../shared/commands/registry.ts';
import { Page } from '../../shared/layout/page.tsx';
import {
  ORDER_STATUSES,
  type Order,
  OrderStatus,
  piecesOf,
  statusLabel,
  troubleOf,
} from '../../shared/orders/status.tsx';
import { Answer, Empty } from '../../shared/states/answer.tsx';
import { notifyOfFailure } from '../../shared/states/notify.tsx';
import { useAddressState } from '../../shared/table/address.ts';
import { type Column, Table } from '../../shared/table/table.tsx';
import { Moment } from '../../shared/values/moment.tsx';
import { Money } from '../../shared/values/money.tsx';
import { Picture } from '../../shared/values/picture.tsx';
import { CancelSelected } from './cancel-selected.tsx';

type Filters = NonNullable<Input<'listOrders'>['query']>;

const COLUMNS: readonly Column<Order>[] = [
  {
    title: 'Order',
    cell: (order) => (
      <Group gap="sm" wrap="nowrap">
        <Picture url={order.items[0]?.thumbnail_url ?? null} alt={order.items[0]?.name ?? 'Order'} size={36} />
        <div>
          <Link href={`/orders/${order.reference}`} className="platen-link platen-number">
            {order.reference}
          </Link>
          <Text size="xs" c="dimmed">
            {order.external_reference === '' ? order.type : order.external_reference}
          </Text>
        </div>
      </Group>
    ),
  },
  { title: 'Status', cell: (order) => <OrderStatus order={order} /> },
  { title: 'For', isMinor: true, cell: (order) => order.shipping_address.contact_name },
  { title: 'Pieces', isNumber: true, isMinor: true, cell: piecesOf },
  {
    title: 'Blocked by',
    isMinor: true,
    cell: (order) => troubleOf(order)?.reason ?? '',
  },
  { title: 'Placed', isMinor: true, cell: (order) => <Moment at={order.created_at} /> },
  { title: 'Total', isNumber: true, cell: (order) => <Money amount={order.total} currency={order.currency} /> },
];

/** The orders of the account, newest first, narrowed by what stands in the address. */
export function OrdersPage() {
  const { get, set } = useAddressState();
  const number = get('number');
  const filters = {
    status: get('status') as Filters['status'],
    type: get('type') as Filters['type'],
    external_reference: number,
    placed_since: timeAt(get('from'), 0),
    placed_before: timeAt(get('to'), 1),
  };
  const query = useQuery(reading('listOrders', { query: { ...filters, cursor: get('cursor') } }));
  const isNarrowed = Object.values(filters).some((value) => value !== undefined);
  const clear = (): void =>
    set({ status: undefined, type: undefined, number: undefined, from: undefined, to: undefined });
  useCommands([
    ...[undefined, ...ORDER_STATUSES].map((status) => ({
      id: `status-${status ?? 'all'}`,
      label: status === undefined ? 'Orders of every status' : `Only orders: ${statusLabel(status)}`,
      group: 'Orders',
      run: () => set({ status }),
    })),
    { id: 'samples', label: 'Only samples', group: 'Orders', run: () => set({ type: 'sample' }) },
    { id: 'export', label: 'Save these orders as CSV', group: 'Orders', run: () => void save(filters) },
    { id: 'no-filter', label: 'Show all orders', group: 'Orders', run: clear },
    { id: 'refresh', label: 'Look again', group: 'Orders', keys: 'r', run: () => void query.refetch() },
  ]);
  return (
    <Page title="Orders">
      <section className="platen-panel">
        <Group px="md" py="xs" justify="space-between" gap="sm">
          <Statuses chosen={filters.status} from={get('from')} to={get('to')} />
          <Group gap="xs" align="center">
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
            <Button size="compact-sm" variant="default" onClick={() => void save(filters)}>
              Save as CSV
            </Button>
          </Group>
          {number === undefined ? null : (
            <Group gap="xs">
              <Text size="sm">Number {number}</Text>
              <Button size="compact-sm" variant="subtle" onClick={() => set({ number: undefined })}>
                Show all orders
              </Button>
            </Group>
          )}
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
                    <CancelSelected orders={rows} onDone={() => void query.refetch()} />
                    <CopyButton value={rows.map(({ reference }) => reference).join('\n')}>
                      {({ copied, copy }) => (
                        <Button size="compact-sm" variant="default" onClick={copy}>
                          {copied ? 'Copied' : 'Copy references'}
                        </Button>
                      )}
                    </CopyButton>
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

/** The whole list as it is narrowed, as a file. */
async function save(filters: Filters): Promise<void> {
  try {
    await download('listOrders', { query: filters }, { mediaType: 'text/csv', name: 'orders.csv' });
  } catch (error) {
    notifyOfFailure(error);
  }
}

/** The beginning of a day here, or of one after it. */
function timeAt(day: string | undefined, later: number): string | undefined {
  const [year, month, date] = (day ?? '').split('-').map(Number);
  if (year === undefined || month === undefined || date === undefined) return undefined;
  const time = new Date(year, month - 1, date + later);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

function Statuses({
  chosen,
  from,
  to,
}: {
  chosen: string | undefined;
  from: string | undefined;
  to: string | undefined;
}) {
  const hrefOf = (status: string | undefined): string => {
    const pairs = Object.entries({ status, from, to }).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    );
    return pairs.length === 0 ? '/orders' : `/orders?${new URLSearchParams(pairs).toString()}`;
  };
  return (
    <nav className="platen-tabs" aria-label="Status">
      {[undefined, ...ORDER_STATUSES].map((status) => (
        <Link key={status ?? 'all'} href={hrefOf(status)} aria-current={status === chosen ? 'page' : undefined}>
          {status === undefined ? 'All' : statusLabel(status)}
        </Link>
      ))}
    </nav>
  );
}
