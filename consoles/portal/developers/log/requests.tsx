import { Button, CopyButton, Group, NativeSelect, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useRef } from 'react';
import { Link } from 'wouter';
import { type Input, type Reply, saveList } from '../../../shared/api/client.ts';
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
import { Corner, useIsManager } from '../corner.tsx';

type LoggedRequest = Reply<'listOwnRequests'>['data'][number];
type Filters = NonNullable<Input<'listOwnRequests'>['query']>;

const METHODS = [
  { value: '', label: 'Every method' },
  ...['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'].map((method) => ({ value: method, label: method })),
];
const STATUSES = [
  { value: '', label: 'Every answer' },
  { value: '2xx', label: 'Succeeded (2xx)' },
  { value: '4xx', label: 'Refused (4xx)' },
  { value: '5xx', label: 'Failed here (5xx)' },
];
/** Those that are looked at in the choice of a token; others are found by their id in the address. */
const TOKENS_CHOSEN_FROM = 100;

/** The requests of the account's programs of the last seven days, narrowed by what stands in the address. */
export function RequestsPage() {
  const { get, set } = useAddressState();
  const isManager = useIsManager();
  const [pathField, idField] = [useRef<HTMLInputElement>(null), useRef<HTMLInputElement>(null)];
  const filters: Filters = {
    method: get('method') as Filters['method'],
    status: get('status'),
    path: get('path'),
    token: get('token'),
    id: get('id'),
  };
  const query = useQuery(reading('listOwnRequests', { query: { ...filters, cursor: get('cursor') } }));
  const tokens = useQuery({
    ...reading('listOwnTokens', { query: { limit: TOKENS_CHOSEN_FROM } }),
    enabled: isManager,
  });
  const isNarrowed = Object.values(filters).some((each) => each !== undefined);
  const clear = (): void =>
    set({ method: undefined, status: undefined, path: undefined, token: undefined, id: undefined });
  const find = (submitted: FormEvent): void => {
    submitted.preventDefault();
    set({ path: pathField.current?.value.trim(), id: idField.current?.value.trim() });
  };
  const namesById = new Map((tokens.data?.data ?? []).map(({ id, name }) => [id, name === '' ? id : name]));
  useCommands([
    { id: 'refused', label: 'Only refused requests', group: 'Requests', run: () => set({ status: '4xx' }) },
    { id: 'all', label: 'Show all requests', group: 'Requests', run: clear },
    { id: 'refresh', label: 'Look again', group: 'Requests', keys: 'r', run: () => void query.refetch() },
  ]);
  return (
    <Corner title="Requests">
      <Panel
        title="Requests of your programs"
        aside={
          <Group gap="xs">
            {isNarrowed ? (
              <Button size="compact-sm" variant="subtle" onClick={clear}>
                Show all
              </Button>
            ) : null}
            <SaveCsv group="Requests" save={() => saveList('listOwnRequests', { query: filters }, 'requests.csv')} />
            <TableMenus page="requests" columns={columnsOf(namesById)} />
          </Group>
        }
      >
        <form className="platen-filters platen-panel-body" onSubmit={find}>
          <NativeSelect
            label="Method"
            data={METHODS}
            value={filters.method ?? ''}
            onChange={({ currentTarget }) => set({ method: currentTarget.value })}
          />
          <NativeSelect
            label="Answer"
            data={withChosen(STATUSES, filters.status)}
            value={filters.status ?? ''}
            onChange={({ currentTarget }) => set({ status: currentTarget.value })}
          />
          {isManager || filters.token !== undefined ? (
            <NativeSelect
              label="Token"
              data={withChosen(
                [{ value: '', label: 'Every token' }, ...[...namesById].map(([value, label]) => ({ value, label }))],
                filters.token,
              )}
              value={filters.token ?? ''}
              onChange={({ currentTarget }) => set({ token: currentTarget.value })}
            />
          ) : null}
          <TextInput
            key={`path ${filters.path ?? ''}`}
            ref={pathField}
            label="Path"
            placeholder="/orders"
            defaultValue={filters.path ?? ''}
          />
          <TextInput
            key={`id ${filters.id ?? ''}`}
            ref={idField}
            label="Request id"
            placeholder="req_…"
            defaultValue={filters.id ?? ''}
          />
          <Button type="submit" variant="default">
            Find
          </Button>
        </form>
        <Answer query={query} lines={8}>
          {({ data, next_cursor: nextCursor }) =>
            data.length === 0 ? (
              <None isNarrowed={isNarrowed} goOn={nextCursor} onGoOn={() => set({ cursor: nextCursor ?? undefined })} />
            ) : (
              <Table
                label="Requests"
                rows={data}
                idOf={(request) => request.id}
                nameOf={(request) => request.id}
                columns={columnsOf(namesById)}
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
      <Text size="sm" c="dimmed">
        Seven days of requests to the public API, each a second after its answer, without bodies, queries and headers.
      </Text>
    </Corner>
  );
}

/** The choices with what the address has beside them: nothing narrows the list unseen. */
function withChosen(choices: typeof STATUSES, value: string | undefined): typeof STATUSES {
  return value === undefined || choices.some((each) => each.value === value)
    ? choices
    : [...choices, { value, label: value }];
}

function None({ isNarrowed, goOn, onGoOn }: { isNarrowed: boolean; goOn: string | null; onGoOn: () => void }) {
  if (goOn !== null) {
    return (
      <Empty title="None of the 2,000 requests that were looked at is like this.">
        <Button variant="default" mt="sm" onClick={onGoOn}>
          Look further back
        </Button>
      </Empty>
    );
  }
  if (isNarrowed) return <Empty title="No request is like this." />;
  return (
    <Empty title="No program has made a request.">
      The <Link href="/developers">quick start</Link> shows how.
    </Empty>
  );
}

function columnsOf(namesById: ReadonlyMap<string, string>): readonly Column<LoggedRequest>[] {
  return [
    {
      title: 'Request',
      cell: (request) => (
        <>
          <Link href={`/developers/requests?id=${request.id}`} className="platen-link platen-code">
            {request.method} {request.path.replace(/^\/api\/v1/, '')}
          </Link>
          <Text size="xs" c="dimmed" component="div">
            <CopyButton value={request.id}>
              {({ copied, copy }) => (
                <button type="button" className="platen-copy" onClick={copy} aria-label={`Copy ${request.id}`}>
                  {copied ? 'Copied' : request.id}
                </button>
              )}
            </CopyButton>
          </Text>
        </>
      ),
    },
    { title: 'Answer', cell: (request) => <Status request={request} /> },
    { title: 'By', isMinor: true, cell: ({ token_id: token, client_id: app }) => nameOf(namesById, token, app) },
    {
      title: 'Took',
      isNumber: true,
      isMinor: true,
      cell: ({ ms }) => `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`,
    },
    { title: 'When', cell: ({ at }) => <Moment at={at} /> },
  ];
}

function nameOf(namesById: ReadonlyMap<string, string>, token: string | null, app: string | null): string {
  if (token === null) return app ?? '–';
  return namesById.get(token) ?? token;
}

function Status({ request: { status, code } }: { request: LoggedRequest }) {
  const tone = status >= 500 ? 'bad' : status >= 400 ? 'wait' : 'good';
  return (
    <>
      <span className="platen-status" data-tone={tone}>
        {status}
      </span>
      {code === null ? null : (
        <Text size="xs" c="dimmed">
          {code}
        </Text>
      )}
    </>
  );
}
