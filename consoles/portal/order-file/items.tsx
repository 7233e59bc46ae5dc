import { Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { call, type Reply } from '../../shared/api/client.ts';
import { reading } from '../../shared/api/queries.ts';
import { ItemLists, type ItemNote, SaidOfItem } from '../../shared/items/lists.tsx';
import { Panel } from '../../shared/layout/panel.tsx';

/** As many as the service lists of those that are not known. */
const SHOWN_MAX = 50;

type OrderFile = Reply<'getOrderFile'>;

/** What the file sells that is no product here by its name, and what was said of such items. */
export function FileItems({ file, onChanged }: { file: OrderFile; onChanged: (file: OrderFile) => void }) {
  const path = { id: file.id };
  const query = useQuery(reading('listOrderFileItems', { path }));
  const queries = useQueryClient();
  const { refetch } = query;
  // The file was read anew: by other columns, or by what was said.
  const seen = useRef(file.plan);
  useEffect(() => {
    if (seen.current !== file.plan) void refetch();
    seen.current = file.plan;
  }, [file.plan, refetch]);
  const [note, setNote] = useState<ItemNote>();
  const { unknown = [], known = [] } = query.data ?? {};
  const keep = async (changed: OrderFile, text: string): Promise<void> => {
    setNote({ text, tone: 'good' });
    onChanged(changed);
    await queries.invalidateQueries({ queryKey: ['listOrderFileItems'] });
  };
  if (unknown.length + known.length === 0 && note === undefined) return null;
  return (
    <Panel title="Items">
      <SaidOfItem note={note} />
      <ItemLists
        unknown={unknown}
        known={known}
        mayChange
        say={async ({ key, title }, is, words) => {
          const changed = await call('sayOrderFileItem', { path, body: { key, ...is } });
          await keep(changed, `${title}: ${words}. Its orders are checked anew.`);
        }}
        forget={async ({ key, title }) => {
          const changed = await call('forgetOrderFileItem', { path, body: { key } });
          await keep(changed, `${title} is forgotten.`);
        }}
        whyNotOurs="It is left out of this and all later files. An order that has nothing else is left to those who make it."
        heading={
          <Text size="sm" className="platen-subtitle">
            These are no products of yours by their names. Say once what each is: that holds for later files, too.
            {unknown.length < SHOWN_MAX
              ? ''
              : ` ${SHOWN_MAX} are shown. If there are more, they come once you have said what some of these are.`}
          </Text>
        }
        detailOf={({ rows }) => (rows === 1 ? 'In 1 row' : `In ${rows} rows`)}
      />
    </Panel>
  );
}
