import { Button, Group, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { call, download, type Reply } from '../../shared/api/client.ts';
import { reading } from '../../shared/api/queries.ts';
import { useCommands } from '../../shared/commands/registry.ts';
import { ActOnSelected, type Deed, DeedProgress } from '../../shared/deeds/act-on-selected.tsx';
import { Page } from '../../shared/layout/page.tsx';
import { makeRuns, refusalWords } from '../../shared/runs/run.ts';
import { useSession } from '../../shared/session/session.tsx';
import { Answer, Empty } from '../../shared/states/answer.tsx';
import { useAddressState } from '../../shared/table/address.ts';
import { CopySelected } from '../../shared/table/copy-selected.tsx';
import { TableMenus } from '../../shared/table/menus.tsx';
import { SaveCsv } from '../../shared/table/save-csv.tsx';
import { type Column, Table } from '../../shared/table/table.tsx';
import { Moment } from '../../shared/values/moment.tsx';
import { NewTemplate } from './new-template.tsx';

type Summary = Reply<'listTemplates'>['data'][number];

const COLUMNS: readonly Column<Summary>[] = [
  {
    title: 'Product',
    cell: ({ id, name, base_product: base }) => (
      <>
        <Link href={`/templates/${id}`} className="platen-link">
          {name}
        </Link>
        <Text size="xs" c="dimmed">
          {base.title}
        </Text>
      </>
    ),
  },
  { title: 'Standing', cell: (row) => <Standing row={row} /> },
  { title: 'Layers', isNumber: true, isMinor: true, cell: ({ layers }) => layers },
  { title: 'Changed', isMinor: true, cell: ({ updated_at: at }) => <Moment at={at} /> },
];

const ARCHIVE: Deed = {
  verb: 'Archive',
  doing: 'Archiving',
  done: 'archived',
  many: (count) => (count === 1 ? '1 product' : `${count} products`),
};

const archives = makeRuns(async ({ id, name }: Summary) => {
  try {
    await call('archiveProduct', { path: { id } });
    return { id, name, words: 'archived', isGood: true };
  } catch (error) {
    return { id, name, words: refusalWords(error), isGood: false };
  }
});

function Standing({ row: { published_version: version, is_changed: isChanged } }: { row: Summary }) {
  if (version === 0) {
    return (
      <span className="platen-status" data-tone="still">
        not published
      </span>
    );
  }
  return (
    <span className="platen-status" data-tone={isChanged ? 'wait' : 'good'}>
      {isChanged ? `version ${version}, draft changed` : `version ${version}`}
    </span>
  );
}

/** The personalised products of the account, newest first, and a new one. */
export function TemplatesPage() {
  const { role } = useSession().session.user;
  const { get } = useAddressState();
  const queries = useQueryClient();
  const [isNew, setNew] = useState(false);
  const mayChange = role === 'owner' || role === 'manager';
  const cursor = get('cursor');
  const query = useQuery(reading('listTemplates', { query: cursor === undefined ? {} : { cursor } }));
  useCommands([
    ...(mayChange
      ? [{ id: 'new-template', label: 'New personalised product', group: 'Personalised', run: () => setNew(true) }]
      : []),
    { id: 'refresh', label: 'Look again', group: 'Personalised', keys: 'r', run: () => void query.refetch() },
  ]);
  return (
    <Page
      title="Personalised products"
      aside={mayChange && !isNew ? <Button onClick={() => setNew(true)}>New personalised product</Button> : null}
    >
      {isNew ? <NewTemplate onClose={() => setNew(false)} /> : null}
      <DeedProgress runs={archives} deed={ARCHIVE} />
      <section className="platen-panel">
        <Group px="md" py="xs" gap="xs" justify="flex-end">
          <SaveCsv
            group="Personalised"
            save={() => download('listTemplates', {}, { mediaType: 'text/csv', name: 'personalised-products.csv' })}
          />
          <TableMenus page="templates" columns={COLUMNS} />
        </Group>
        <Answer query={query} lines={6}>
          {({ data, next_cursor: nextCursor }) =>
            data.length === 0 ? (
              <Empty title="There is no personalised product yet.">
                Design what your buyers fill in: their texts, pictures and choices.
              </Empty>
            ) : (
              <Table
                label="Personalised products"
                rows={data}
                idOf={({ id }) => id}
                nameOf={({ name }) => name}
                columns={COLUMNS}
                nextCursor={nextCursor}
                isBusy={query.isPlaceholderData}
              >
                {({ rows, clear }) => (
                  <>
                    {mayChange ? (
                      <ActOnSelected
                        runs={archives}
                        items={rows}
                        deed={ARCHIVE}
                        isForGood
                        onDone={() => {
                          clear();
                          for (const name of ['listTemplates', 'listGallery', 'listProducts']) {
                            void queries.invalidateQueries({ queryKey: [name] });
                          }
                        }}
                      >
                        <Text size="sm">
                          They leave the list and can no longer be changed or ordered. Placed orders keep theirs. This
                          cannot be undone, but copies can be made of them. What is refused is said with its product.
                        </Text>
                      </ActOnSelected>
                    ) : null}
                    <CopySelected what="ids" lines={rows.map(({ id }) => id)} />
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
    </Page>
  );
}
