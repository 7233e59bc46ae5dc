import { Button, Checkbox, Group, Text } from '@mantine/core';
import { type InfiniteData, useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { Fragment, useRef } from 'react';
import { call, type Reply } from '../../shared/api/client.ts';
import { useCommands } from '../../shared/commands/registry.ts';
import { Page } from '../../shared/layout/page.tsx';
import { Panel } from '../../shared/layout/panel.tsx';
import { useSession } from '../../shared/session/session.tsx';
import { Answer } from '../../shared/states/answer.tsx';
import { notifyOfFailure } from '../../shared/states/notify.tsx';

type Matrix = Reply<'getNotifications'>;
type Person = Matrix['self'];

/** So many others come at once: each is a column, with a box for each mail. */
const PAGE = 25;

const KEY = ['getNotifications'];

/** Who gets which mail: a row for each mail, a column for each person; owners choose for all, others for themselves. */
export function NotificationsPage() {
  const query = useInfiniteQuery({
    queryKey: KEY,
    queryFn: ({ pageParam, signal }) => call('getNotifications', { query: { limit: PAGE, cursor: pageParam } }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
  });
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const others = (query.data?.pages ?? []).flatMap((page) => page.others);
  useCommands(
    hasNextPage
      ? [{ id: 'more', label: 'Show more people', group: 'Notifications', run: () => void fetchNextPage() }]
      : [],
  );
  return (
    <Page title="Notifications">
      <Answer query={query}>
        {({ pages: [matrix] }) =>
          matrix === undefined ? null : (
            <>
              {matrix.is_mailed ? null : (
                <Text size="sm" className="platen-note">
                  The print shop has not set up mail yet. What you choose counts as soon as it has.
                </Text>
              )}
              <Panel title="Who gets which mail">
                <Mails matrix={matrix} others={others} />
                {hasNextPage ? (
                  <Group gap="sm" className="platen-panel-body">
                    <Text size="sm" c="dimmed">
                      You and the first {others.length.toLocaleString('en-GB')} others.
                    </Text>
                    <Button variant="default" onClick={() => void fetchNextPage()} loading={isFetchingNextPage}>
                      Show more
                    </Button>
                  </Group>
                ) : null}
                <Text size="sm" c="dimmed" className="platen-panel-body">
                  Mails about one’s own sign-in are always sent. Each other goes to 50 people at the most: first to
                  those who have chosen it here.
                </Text>
              </Panel>
            </>
          )
        }
      </Answer>
    </Page>
  );
}

function Mails({ matrix: { kinds, self }, others }: { matrix: Matrix; others: readonly Person[] }) {
  const { user } = useSession().session;
  const choose = useChoosing();
  const people = [self, ...others];
  const nameOf = (person: Person): string => (person === self ? 'You' : person.name || person.email);
  return (
    <div className="platen-matrix-frame">
      <table className="platen-table platen-matrix">
        <caption className="platen-unseen">Who gets which mail</caption>
        <thead>
          <tr>
            <th scope="col">Mail</th>
            {people.map((person) => (
              <th key={person.id} scope="col">
                <Broken name={nameOf(person)} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {kinds.map(({ kind, label, means }) => (
            <tr key={kind}>
              <th scope="row">
                {label}
                <Text size="xs" c="dimmed" fw={400}>
                  {means}
                </Text>
              </th>
              {people.map((person) => (
                <td key={person.id}>
                  <Checkbox
                    aria-label={`${label}: ${nameOf(person)}`}
                    checked={person.wants.includes(kind)}
                    disabled={person !== self && user.role !== 'owner'}
                    onChange={({ currentTarget }) =>
                      choose.mutate({ id: person.id, wants: { [kind]: currentTarget.checked } })
                    }
                  />
                  {/* Where the page is narrow, in place of the head of a column; the box has the name for all others. */}
                  <span className="platen-matrix-name" aria-hidden>
                    {nameOf(person)}
                  </span>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A name that is an address breaks before its host, rather than anywhere. */
function Broken({ name }: { name: string }) {
  const [local, ...host] = name.split(/(?=@)/);
  return (
    <>
      {local}
      {host.map((part) => (
        <Fragment key={part}>
          <wbr />
          {part}
        </Fragment>
      ))}
    </>
  );
}

type Choice = { readonly id: string; readonly wants: Readonly<Record<string, boolean>> };
type Pages = InfiniteData<Matrix, string | undefined>;

const CHOOSING = ['changeNotifications'];

function useChoosing() {
  const queries = useQueryClient();
  const isRefused = useRef(false);
  const isLast = (isAlike: (other: Choice) => boolean): boolean =>
    queries.isMutating({ mutationKey: CHOOSING, predicate: ({ state }) => isAlike(state.variables as Choice) }) === 1;
  const redraw = (id: string, change: (person: Person, matrix: Matrix) => Person): void => {
    queries.setQueryData<Pages>(KEY, (before) => before && withPerson(before, id, change));
  };
  return useMutation({
    mutationKey: CHOOSING,
    // One is sent after the other, so that the last answer knows all of them.
    scope: { id: 'notifications' },
    mutationFn: ({ id, wants }: Choice) => call('changeNotifications', { path: { id }, body: { wants } }),
    // Drawn at once; what the service says then takes its place, and a refusal takes it back.
    onMutate: async ({ id, wants }) => {
      // What is read at this moment knows nothing of the choice.
      await queries.cancelQueries({ queryKey: KEY });
      redraw(id, (person, { kinds }) => ({
        ...person,
        wants: kinds.map(({ kind }) => kind).filter((kind) => wants[kind] ?? person.wants.includes(kind)),
      }));
    },
    onSuccess: (after, { id }) => {
      // The answer to a choice knows nothing of one for the same person after it.
      if (isLast((other) => other.id === id)) redraw(id, () => after);
    },
    onError: (error) => {
      notifyOfFailure(error);
      isRefused.current = true;
    },
    onSettled: () => {
      if (!isRefused.current || !isLast(() => true)) return;
      isRefused.current = false;
      void queries.invalidateQueries({ queryKey: KEY });
    },
  });
}

function withPerson(before: Pages, id: string, change: (person: Person, matrix: Matrix) => Person): Pages {
  const pages = before.pages.map((matrix) => {
    const changed = (person: Person): Person => (person.id === id ? change(person, matrix) : person);
    return { ...matrix, self: changed(matrix.self), others: matrix.others.map(changed) };
  });
  return { ...before, pages };
}
