import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { call, download, type Reply } from '../../shared/api/client.ts';
import { reading } from '../../shared/api/queries.ts';
import { useCommands } from '../../shared/commands/registry.ts';
import { Confirm, type Question } from '../../shared/dialog/confirm.tsx';
import { Page } from '../../shared/layout/page.tsx';
import { Panel } from '../../shared/layout/panel.tsx';
import { useSession } from '../../shared/session/session.tsx';
import { Answer } from '../../shared/states/answer.tsx';
import { notifyOfFailure } from '../../shared/states/notify.tsx';
import { formatMoney, Money } from '../../shared/values/money.tsx';
import { Columns } from './columns.tsx';
import { Entries } from './entries.tsx';
import { FileItems } from './items.tsx';
import { FileStatus } from './status.tsx';

type OrderFile = Reply<'getOrderFile'>;

/** How often the service is asked while it works on the file. */
const POLL_MS = 1_000;

/** A file of many orders: its columns, what its orders cost and what is wrong with them, and what became of each. */
export function OrderFilePage({ id }: { id: string }) {
  const queries = useQueryClient();
  const mayPlace = useMayPlace();
  const input = { path: { id } };
  const query = useQuery({
    ...reading('getOrderFile', input),
    refetchInterval: ({ state: { data } }) => (data !== undefined && isUnderWay(data) ? POLL_MS : false),
  });
  const keep = (file: OrderFile): void => void queries.setQueryData(reading('getOrderFile', input).queryKey, file);
  return (
    <Page
      title={query.data === undefined || query.data.name === '' ? 'Orders from a file' : query.data.name}
      aside={query.data === undefined ? null : <Actions file={query.data} onChanged={keep} />}
    >
      <Answer query={query} lines={8}>
        {(file) => (
          <div className="platen-columns">
            <Stack gap="md">
              {mayPlace && file.confirmed_at === null && file.status !== 'unmapped' ? (
                <FileItems key={file.id} file={file} onChanged={keep} />
              ) : null}
              <Entries file={file} />
            </Stack>
            <Stack gap="md">
              <Plan file={file} />
              {mayPlace && file.confirmed_at === null && file.headings.length > 0 ? (
                <Columns key={file.id} file={file} onChanged={keep} />
              ) : null}
            </Stack>
          </div>
        )}
      </Answer>
    </Page>
  );
}

/** Whether this person places orders. The service refuses others anyway. */
function useMayPlace(): boolean {
  return useSession().session.user.role !== 'reader';
}

function isUnderWay({ status }: OrderFile): boolean {
  return status === 'checking' || status === 'placing';
}

/** What is left to check, or to place. */
function Plan({ file }: { file: OrderFile }) {
  const { counts, currency, unpaid_count: unpaid } = file;
  const balance = useQuery(reading('getBalance', {}));
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const left = file.status === 'checking' ? counts.waiting : counts.ready;
  const rows: readonly (readonly [label: string, count: number])[] = [
    ['Ready', counts.ready],
    ['To be mended', counts.wrong],
    ['Placed before', counts.existing],
    ['Placed', counts.placed],
    ['Not placed', counts.refused],
    ['Not made here', counts.others],
  ];
  return (
    <Panel title="Plan" aside={<FileStatus status={file.status} />}>
      <div className="platen-panel-body" aria-live="polite">
        <Stack gap="sm">
          {isUnderWay(file) && all > 0 ? (
            <progress
              className="platen-progress"
              value={all - left}
              max={all}
              aria-label={file.status === 'checking' ? 'Orders checked' : 'Orders placed'}
            />
          ) : null}
          <dl className="platen-facts">
            {rows.map(([label, count]) =>
              count === 0 ? null : (
                <Fact key={label} label={label} value={count === 1 ? '1 order' : `${count} orders`} />
              ),
            )}
            {counts.ready === 0 ? null : (
              <Fact label="Total, at most" value={<Money amount={file.total} currency={currency} />} isStrong />
            )}
            {unpaid === 0 ? null : (
              <Fact label="Of these, not paid when placed" value={unpaid === 1 ? '1 order' : `${unpaid} orders`} />
            )}
            {counts.placed === 0 ? null : (
              <Fact
                label="Total of what is placed"
                value={<Money amount={file.placed_total} currency={currency} />}
                isStrong
              />
            )}
            {balance.data === undefined || file.confirmed_at !== null ? null : (
              <Fact label="Balance" value={<Money amount={balance.data.balance} currency={balance.data.currency} />} />
            )}
          </dl>
          {unpaid === 0 ? null : (
            <Text size="sm">
              Orders that are not paid wait for it.{' '}
              <Link href="/money" className="platen-link">
                Top up the balance
              </Link>{' '}
              soon: that pays them, the oldest first.
            </Text>
          )}
          {file.status === 'unmapped' ? <Text size="sm">Choose the columns that are missing below.</Text> : null}
          {file.status === 'ready' && counts.wrong > 0 ? (
            <Text size="sm">
              Orders to be mended are left out. Save them, mend them, and upload that file: what is placed by then is
              not placed again.
            </Text>
          ) : null}
        </Stack>
      </div>
    </Panel>
  );
}

function Fact({ label, value, isStrong }: { label: string; value: ReactNode; isStrong?: boolean }) {
  return (
    <>
      <dt>{isStrong === true ? <strong>{label}</strong> : label}</dt>
      <dd>{isStrong === true ? <strong>{value}</strong> : value}</dd>
    </>
  );
}

function Actions({ file, onChanged }: { file: OrderFile; onChanged: (file: OrderFile) => void }) {
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  const [question, setQuestion] = useState<Question & { readonly plan: number }>();
  const mayPlace = useMayPlace();
  const { counts, plan } = file;
  const path = { id: file.id };
  const amount = formatMoney(file.total, file.currency);
  const many = counts.ready === 1 ? '1 order' : `${counts.ready} orders`;
  const canPlace = mayPlace && file.status === 'ready' && counts.ready > 0;
  const canRemove = mayPlace && file.status !== 'placing';
  const open = counts.wrong + counts.refused + counts.ready;
  const ask = (): void =>
    setQuestion({
      title: `Place ${many} for ${amount} at most?`,
      label: `Place ${many}`,
      keepLabel: 'Not yet',
      isMaking: true,
      plan,
      act: async () => {
        onChanged(await call('placeOrderFile', { path, body: { plan } }));
        await queries.invalidateQueries({ queryKey: ['listOrders'] });
      },
    });
  const askToRemove = (): void =>
    setQuestion({
      title: 'Remove this file?',
      label: 'Remove the file',
      plan,
      act: async () => {
        await call('removeOrderFile', { path });
        await queries.invalidateQueries({ queryKey: ['listOrderFiles'] });
        navigate('/order-file');
      },
    });
  const save = async (rows: 'all' | 'open'): Promise<void> => {
    try {
      const name = `${rows === 'open' ? 'to-mend' : 'results'}-${file.name.replace(/\.\w+$/, '')}.csv`;
      await download('downloadOrderFile', { path, query: { rows } }, { mediaType: 'text/csv', name });
    } catch (error) {
      notifyOfFailure(error);
    }
  };
  useCommands([
    ...(canPlace ? [{ id: 'place', label: `Place ${many}`, group: 'File', run: ask }] : []),
    { id: 'save-open', label: 'Save the rows to mend', group: 'File', run: () => void save('open') },
    { id: 'save-all', label: 'Save all rows with their results', group: 'File', run: () => void save('all') },
    ...(canRemove ? [{ id: 'remove', label: 'Remove the file', group: 'File', run: askToRemove }] : []),
  ]);
  return (
    <Group gap="sm">
      <Link href="/order-file" className="platen-link">
        All files
      </Link>
      {open === 0 || file.status === 'checking' ? null : (
        <Button variant="default" onClick={() => void save('open')}>
          Save rows to mend
        </Button>
      )}
      <Button variant="default" onClick={() => void save('all')}>
        Save results
      </Button>
      {canRemove ? (
        <Button variant="default" onClick={askToRemove}>
          Remove
        </Button>
      ) : null}
      {canPlace ? <Button onClick={ask}>Place {many}</Button> : null}
      <Confirm
        question={question}
        outdated={
          question !== undefined && question.plan !== plan ? 'The file was read anew: look at it again.' : undefined
        }
        onClose={() => setQuestion(undefined)}
      >
        <Text size="sm">
          {question?.isMaking === true
            ? 'The account is charged for each order as it is placed, and real parcels are sent. An order that costs more by then is left out. Each can be cancelled for a while afterwards.'
            : 'Its rows and results go. Orders that were placed from it stay.'}
        </Text>
      </Confirm>
    </Group>
  );
}
