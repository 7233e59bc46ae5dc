import { Button, Group, Modal, NativeSelect, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useRef } from 'react';
import { Link } from 'wouter';
import { type Reply, saveList } from '../../../shared/api/client.ts';
import { reading } from '../../../shared/api/queries.ts';
import { useCommands } from '../../../shared/commands/registry.ts';
import { Panel } from '../../../shared/layout/panel.tsx';
import { Answer, Empty } from '../../../shared/states/answer.tsx';
import { useAddressState } from '../../../shared/table/address.ts';
import { CopySelected } from '../../../shared/table/copy-selected.tsx';
import { TableMenus } from '../../../shared/table/menus.tsx';
import { SaveCsv } from '../../../shared/table/save-csv.tsx';
import { type Column, Table } from '../../../shared/table/table.tsx';
import { Moment } from '../../../shared/values/moment.tsx';
import { jsonOf, TextBlock } from '../../../shared/values/text-block.tsx';
import { Corner } from '../corner.tsx';
import { EVENT_CHOICES, orderOf } from '../events.ts';
import { fromField, toField } from '../span.ts';

type LoggedEvent = Reply<'listEvents'>['data'][number];

/** The log of events, newest first, narrowed by what stands in the address. */
export function EventsPage() {
  const { get, set } = useAddressState();
  const orderField = useRef<HTMLInputElement>(null);
  const filters = { event: get('event'), order: get('order'), since: get('since'), cursor: get('cursor') };
  const query = useQuery(reading('listEvents', { query: { sort: 'newest', ...filters } }));
  const isNarrowed = filters.event !== undefined || filters.order !== undefined || filters.since !== undefined;
  const clear = (): void => set({ event: undefined, order: undefined, since: undefined });
  const open = (id: string | undefined): void => set({ open: id, cursor: filters.cursor });
  const find = (submitted: FormEvent): void => {
    submitted.preventDefault();
    set({ order: orderField.current?.value.trim() });
  };
  useCommands([
    { id: 'all', label: 'Show all events', group: 'Events', run: clear },
    { id: 'refresh', label: 'Look again', group: 'Events', keys: 'r', run: () => void query.refetch() },
  ]);
  const opened = query.data?.data.find(({ id }) => id === get('open'));
  return (
    <Corner title="Events">
      <Panel
        title="What has happened"
        aside={
          <Group gap="xs">
            {isNarrowed ? (
              <Button size="compact-sm" variant="subtle" onClick={clear}>
                Show all
              </Button>
            ) : null}
            <SaveCsv
              group="Events"
              save={() =>
                saveList('listEvents', { query: { sort: 'newest', ...filters, cursor: undefined } }, 'events.csv')
              }
            />
            <TableMenus page="events" columns={columnsOf(filters.cursor)} />
          </Group>
        }
      >
        <form className="platen-filters platen-panel-body" onSubmit={find}>
          <NativeSelect
            label="Event"
            data={EVENT_CHOICES}
            value={filters.event ?? ''}
            onChange={({ currentTarget }) => set({ event: currentTarget.value })}
          />
          <TextInput
            key={filters.order ?? ''}
            ref={orderField}
            label="Order"
            placeholder="PF-…"
            defaultValue={filters.order ?? ''}
          />
          <TextInput
            label="From"
            type="datetime-local"
            value={toField(filters.since)}
            onChange={({ currentTarget }) => set({ since: fromField(currentTarget.value) })}
          />
          <Button type="submit" variant="default">
            Find
          </Button>
        </form>
        <Answer query={query} lines={8}>
          {({ data, next_cursor: nextCursor, log_begins_at: begins }) =>
            data.length === 0 ? (
              <Empty title={isNarrowed ? 'No event is like this.' : 'Nothing has happened yet.'}>
                The log reaches back to <Moment at={begins} />.
              </Empty>
            ) : (
              <Table
                label="Events"
                rows={data}
                idOf={(event) => event.id}
                nameOf={(event) => `${event.event} ${event.id}`}
                columns={columnsOf(filters.cursor)}
                nextCursor={nextCursor}
                isBusy={query.isPlaceholderData}
              >
                {({ rows, clear: clearSelection }) => (
                  <>
                    <CopySelected what="ids" lines={rows.map(({ id }) => id)} />
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
      <Modal
        opened={opened !== undefined}
        onClose={() => open(undefined)}
        title={opened?.event}
        size="lg"
        closeOnClickOutside
      >
        {opened === undefined ? null : (
          <>
            <Text size="sm" mb="sm" component="div">
              <Moment at={opened.created_at} />, as webhooks deliver it.
            </Text>
            <TextBlock text={jsonOf(opened)} label="The event" />
          </>
        )}
      </Modal>
    </Corner>
  );
}

function columnsOf(cursor: string | undefined): readonly Column<LoggedEvent>[] {
  return [
    { title: 'Event', cell: (event) => <Opening event={event} cursor={cursor} /> },
    {
      title: 'Order',
      cell: (event) => {
        const order = orderOf(event);
        return order === undefined ? (
          '–'
        ) : (
          <Link href={`/orders/${order}`} className="platen-link platen-number">
            {order}
          </Link>
        );
      },
    },
    { title: 'Sequence', isNumber: true, isMinor: true, cell: ({ sequence }) => sequence },
    { title: 'When', cell: ({ created_at: at }) => <Moment at={at} /> },
  ];
}

/** The link that opens an event where it stands. */
function Opening({ event: { id, event }, cursor }: { event: LoggedEvent; cursor: string | undefined }) {
  const { set } = useAddressState();
  return (
    <a
      href={`?open=${id}`}
      className="platen-link"
      onClick={(click) => {
        if (click.metaKey || click.ctrlKey || click.shiftKey) return;
        click.preventDefault();
        set({ open: id, cursor });
      }}
    >
      {event}
    </a>
  );
}
