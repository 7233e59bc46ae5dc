import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type DragEvent, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { call, download, type Reply } from '../../shared/api/client.ts';
import { reading } from '../../shared/api/queries.ts';
import { useCommands } from '../../shared/commands/registry.ts';
import { ActOnSelected, type Deed, DeedProgress } from '../../shared/deeds/act-on-selected.tsx';
import { Page } from '../../shared/layout/page.tsx';
import { Panel } from '../../shared/layout/panel.tsx';
import { makeRuns, refusalWords } from '../../shared/runs/run.ts';
import { useSession } from '../../shared/session/session.tsx';
import { Answer, Empty } from '../../shared/states/answer.tsx';
import { Failure } from '../../shared/states/failure.tsx';
import { useAddressState } from '../../shared/table/address.ts';
import { CopySelected } from '../../shared/table/copy-selected.tsx';
import { TableMenus } from '../../shared/table/menus.tsx';
import { SaveCsv } from '../../shared/table/save-csv.tsx';
import { type Column, Table } from '../../shared/table/table.tsx';
import { Moment } from '../../shared/values/moment.tsx';
import { Money } from '../../shared/values/money.tsx';
import { FileStatus } from './status.tsx';
import { textOf } from './text-of.ts';

type Listed = Reply<'listOrderFiles'>['data'][number];

const COLUMNS: readonly Column<Listed>[] = [
  {
    title: 'File',
    cell: (file) => (
      <Link href={`/order-file/${file.id}`} className="platen-link">
        {file.name === '' ? 'A file' : file.name}
      </Link>
    ),
  },
  { title: 'Status', cell: (file) => <FileStatus status={file.status} /> },
  { title: 'Placed', isNumber: true, cell: ({ counts }) => counts.placed },
  { title: 'Left', isNumber: true, isMinor: true, cell: ({ counts }) => counts.wrong + counts.refused + counts.ready },
  {
    title: 'Total',
    isNumber: true,
    isMinor: true,
    cell: ({ placed_total: placed, currency }) => <Money amount={placed} currency={currency} />,
  },
  { title: 'Uploaded', isMinor: true, cell: (file) => <Moment at={file.created_at} /> },
];

const REMOVE: Deed = {
  verb: 'Remove',
  doing: 'Removing',
  done: 'removed',
  many: (count) => (count === 1 ? '1 file' : `${count} files`),
};

const removals = makeRuns(async ({ id, name }: Listed) => {
  try {
    await call('removeOrderFile', { path: { id } });
    return { id, name, words: 'removed', isGood: true };
  } catch (error) {
    return { id, name, words: refusalWords(error), isGood: false };
  }
});

/** Uploads a file of many orders, and lists those of the last days. */
export function OrderFilesPage() {
  const { get } = useAddressState();
  const queries = useQueryClient();
  const mayPlace = useSession().session.user.role !== 'reader';
  const query = useQuery(reading('listOrderFiles', { query: { cursor: get('cursor') } }));
  return (
    <Page title="Orders from a file">
      <Stack gap="md">
        {mayPlace ? <Upload /> : null}
        <DeedProgress runs={removals} deed={REMOVE} />
        <section className="platen-panel">
          <Group px="md" py="xs" gap="xs" justify="flex-end">
            <SaveCsv
              group="File"
              save={() => download('listOrderFiles', {}, { mediaType: 'text/csv', name: 'order-files.csv' })}
            />
            <TableMenus page="order-files" columns={COLUMNS} />
          </Group>
          <Answer query={query} lines={3}>
            {({ data, next_cursor: nextCursor }) =>
              data.length === 0 ? (
                <Empty title="No file is here.">A file is kept for 14 days, the orders placed from it for good.</Empty>
              ) : (
                <Table
                  label="Files"
                  rows={data}
                  idOf={({ id }) => id}
                  nameOf={({ name }) => name}
                  columns={COLUMNS}
                  nextCursor={nextCursor}
                  isBusy={query.isPlaceholderData}
                >
                  {({ rows, clear }) => (
                    <>
                      {mayPlace ? (
                        <ActOnSelected
                          runs={removals}
                          items={rows.filter(({ status }) => status !== 'placing')}
                          deed={REMOVE}
                          isForGood={false}
                          onDone={() => {
                            clear();
                            void queries.invalidateQueries({ queryKey: ['listOrderFiles'] });
                          }}
                        >
                          <Text size="sm">Their rows and results go. Orders that were placed from them stay.</Text>
                        </ActOnSelected>
                      ) : null}
                      <CopySelected what="names" lines={rows.map(({ name }) => name)} />
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
      </Stack>
    </Page>
  );
}

function Upload() {
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  const chooser = useRef<HTMLInputElement>(null);
  const [isSending, setSending] = useState(false);
  const [failure, setFailure] = useState<Error>();
  const send = async (file: File | undefined): Promise<void> => {
    if (file === undefined || isSending) return;
    setSending(true);
    setFailure(undefined);
    try {
      const body = { name: file.name.slice(0, 200), content: await textOf(file) };
      const { id } = await call('uploadOrderFile', { body });
      await queries.invalidateQueries({ queryKey: ['listOrderFiles'] });
      navigate(`/order-file/${id}`);
    } catch (error) {
      setFailure(error instanceof Error ? error : new Error(String(error)));
    } finally {
      setSending(false);
    }
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    void send(event.dataTransfer.files[0]);
  };
  useCommands([
    { id: 'choose', label: 'Choose a file of orders', group: 'File', keys: 'u', run: () => chooser.current?.click() },
  ]);
  return (
    <Panel title="Upload a file">
      <section
        className="platen-panel-body"
        aria-label="Leave a file of orders here"
        onDragOver={(event) => event.preventDefault()}
        onDrop={drop}
      >
        <Stack gap="sm">
          {failure === undefined ? null : <Failure error={failure} />}
          <Text size="sm">
            A CSV file with up to 1,000 rows: the export of Shopify, Etsy or WooCommerce, or a sheet of your own with a
            number, a product, a quantity and an address in each row. Rows with one number are one order. You see what
            each order costs before anything is placed.
          </Text>
          <Group>
            <Button loading={isSending} loaderProps={{ type: 'dots' }} onClick={() => chooser.current?.click()}>
              Choose a file
            </Button>
            <Text size="sm" c="dimmed">
              or drop it here
            </Text>
          </Group>
        </Stack>
        <input
          ref={chooser}
          hidden
          type="file"
          accept=".csv,.tsv,.txt,text/csv"
          onChange={({ currentTarget }) => {
            void send(currentTarget.files?.[0]);
            currentTarget.value = '';
          }}
        />
      </section>
    </Panel>
  );
}
