import { Button, Group, NativeSelect, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { type Input, saveList } from '../../../shared/api/client.ts';
import { reading } from '../../../shared/api/queries.ts';
import { useCommands } from '../../../shared/commands/registry.ts';
import { Panel } from '../../../shared/layout/panel.tsx';
import { Answer, Empty } from '../../../shared/states/answer.tsx';
import { useAddressState } from '../../../shared/table/address.ts';
import { TableMenus } from '../../../shared/table/menus.tsx';
import { SaveCsv } from '../../../shared/table/save-csv.tsx';
import { type Column, Table } from '../../../shared/table/table.tsx';
import { Moment } from '../../../shared/values/moment.tsx';
import { useIsManager } from '../corner.tsx';
import { EVENT_CHOICES } from '../events.ts';
import { fromField, toField } from '../span.ts';
import {
  answerOf,
  DELIVERY_STATUSES,
  type Delivery,
  DeliveryStatus,
  deliveryKindLabel,
  deliveryStatusLabel,
  isUnderWay,
  LOOK_AGAIN_MS,
} from './delivery-status.tsx';
import { SendAgain } from './send-again.tsx';

type Filters = NonNullable<Input<'listWebhookDeliveries'>['query']>;

const STATUS_CHOICES = [
  { value: '', label: 'Every outcome' },
  ...DELIVERY_STATUSES.map((status) => ({ value: status, label: deliveryStatusLabel(status) })),
];

/** The deliveries of a subscription, narrowed by what stands in the address. */
export function Deliveries({ id }: { id: string }) {
  const { get, set } = useAddressState();
  const mayWrite = useIsManager();
  const filters = {
    status: get('status') as Filters['status'],
    event: get('event') as Filters['event'],
    since: get('since'),
    until: get('until'),
    cursor: get('cursor'),
  };
  const query = useQuery({
    ...reading('listWebhookDeliveries', { path: { id }, query: filters }),
    refetchInterval: ({ state }) => (state.data?.data.some(isUnderWay) ? LOOK_AGAIN_MS : false),
  });
  const isNarrowed = [filters.status, filters.event, filters.since, filters.until].some((each) => each !== undefined);
  const clear = (): void => set({ status: undefined, event: undefined, since: undefined, until: undefined });
  useCommands([
    {
      id: 'failed',
      label: 'Only deliveries that were given up',
      group: 'Deliveries',
      run: () => set({ status: 'abandoned' }),
    },
    { id: 'all', label: 'Show all deliveries', group: 'Deliveries', run: clear },
    { id: 'refresh', label: 'Look again', group: 'Deliveries', keys: 'r', run: () => void query.refetch() },
  ]);
  return (
    <Panel
      title="Deliveries"
      aside={
        <Group gap="xs">
          {isNarrowed ? (
            <Button size="compact-sm" variant="subtle" onClick={clear}>
              Show all
            </Button>
          ) : null}
          <SaveCsv
            group="Deliveries"
            save={() =>
              saveList(
                'listWebhookDeliveries',
                { path: { id }, query: { ...filters, cursor: undefined } },
                'deliveries.csv',
              )
            }
          />
          <TableMenus page="deliveries" columns={columnsOf(id)} />
        </Group>
      }
    >
      <div className="platen-filters platen-panel-body">
        <NativeSelect
          label="Outcome"
          data={STATUS_CHOICES}
          value={filters.status ?? ''}
          onChange={({ currentTarget }) => set({ status: currentTarget.value })}
        />
        <NativeSelect
          label="Event"
          data={EVENT_CHOICES}
          value={filters.event ?? ''}
          onChange={({ currentTarget }) => set({ event: currentTarget.value })}
        />
        <TextInput
          label="From"
          type="datetime-local"
          value={toField(filters.since)}
          onChange={({ currentTarget }) => set({ since: fromField(currentTarget.value) })}
        />
        <TextInput
          label="Before"
          type="datetime-local"
          value={toField(filters.until)}
          onChange={({ currentTarget }) => set({ until: fromField(currentTarget.value) })}
        />
      </div>
      <Answer query={query} lines={6}>
        {({ data, next_cursor: nextCursor }) =>
          data.length === 0 ? (
            <Empty title={isNarrowed ? 'No delivery is like this.' : 'Nothing was sent yet.'}>
              {isNarrowed ? null : 'The next event of an order is, or a test that you send now.'}
            </Empty>
          ) : (
            <Table
              label="Deliveries"
              rows={data}
              idOf={(delivery) => delivery.id}
              nameOf={(delivery) => `${delivery.event} ${delivery.id}`}
              columns={columnsOf(id)}
              nextCursor={nextCursor}
              isBusy={query.isPlaceholderData}
            >
              {({ rows, clear: clearSelection }) => (
                <>
                  {mayWrite ? <SendAgain webhook={id} deliveries={rows} onOver={() => void query.refetch()} /> : null}
                  <Button size="compact-sm" variant="subtle" onClick={clearSelection}>
                    Select none
                  </Button>
                </>
              )}
            </Table>
          )
        }
      </Answer>
    </Panel>
  );
}

function columnsOf(webhook: string): readonly Column<Delivery>[] {
  return [
    {
      title: 'Event',
      cell: (delivery) => (
        <>
          <Link href={`/developers/webhooks/${webhook}/deliveries/${delivery.id}`} className="platen-link">
            {delivery.event}
          </Link>
          <Text size="xs" c="dimmed">
            {deliveryKindLabel(delivery.kind)}
          </Text>
        </>
      ),
    },
    { title: 'Outcome', cell: (delivery) => <DeliveryStatus status={delivery.status} /> },
    { title: 'Answer', cell: answerOf },
    { title: 'Attempts', isNumber: true, isMinor: true, cell: ({ attempts }) => attempts },
    { title: 'Made', isMinor: true, cell: ({ created_at: at }) => <Moment at={at} /> },
    {
      title: 'Last attempt',
      isMinor: true,
      cell: ({ attempted_at: at }) => (at === null ? '–' : <Moment at={at} />),
    },
  ];
}
