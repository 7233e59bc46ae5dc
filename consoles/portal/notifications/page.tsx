import { Checkbox, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Fragment } from 'react';
import { call, type Reply } from '../../shared/api/client.ts';
import { reading } from '../../shared/api/queries.ts';
import { Page } from '../../shared/layout/page.tsx';
import { Panel } from '../../shared/layout/panel.tsx';
import { useSession } from '../../shared/session/session.tsx';
import { Answer } from '../../shared/states/answer.tsx';
import { notifyOfFailure } from '../../shared/states/notify.tsx';

type Matrix = Reply<'getNotifications'>;
type Person = Matrix['people'][number];

/** Who gets which mail: a row for each mail, a column for each person; owners choose for all, others for themselves. */
export function NotificationsPage() {
  const query = useQuery(reading('getNotifications', {}));
  return (
    <Page title="Notifications">
      <Answer query={query}>
        {(matrix) => (
          <>
            {matrix.is_mailed ? null : (
              <Text size="sm" className="platen-note">
                The print shop has not set up mail yet. What you choose counts as soon as it has.
              </Text>
            )}
            <Panel title="Who gets which mail">
              <Mails matrix={matrix} />
              <Text size="sm" c="dimmed" className="platen-panel-body">
                Mails about one’s own sign-in are always sent.
              </Text>
            </Panel>
          </>
        )}
      </Answer>
    </Page>
  );
}

function Mails({ matrix }: { matrix: Matrix }) {
  const { user } = useSession().session;
  const choose = useChoosing();
  const isSelf = ({ id }: Person): boolean => id === user.id;
  const people = matrix.people.toSorted((one, other) => Number(isSelf(other)) - Number(isSelf(one)));
  const nameOf = (person: Person): string => (isSelf(person) ? 'You' : person.name || person.email);
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
          {matrix.kinds.map(({ kind, label, means }) => (
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
                    disabled={!isSelf(person) && user.role !== 'owner'}
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

const CHOOSING = ['changeNotifications'];

function useChoosing() {
  const queries = useQueryClient();
  const { queryKey } = reading('getNotifications', {});
  // The answer to a choice knows nothing of one after it.
  const isLast = (): boolean => queries.isMutating({ mutationKey: CHOOSING }) === 1;
  return useMutation({
    mutationKey: CHOOSING,
    // One is sent after the other, so that the last answer knows all of them.
    scope: { id: 'notifications' },
    mutationFn: ({ id, wants }: Choice) => call('changeNotifications', { path: { id }, body: { wants } }),
    // Drawn at once; what the service says then takes its place, and a refusal takes it back.
    onMutate: (choice) => queries.setQueryData<Matrix>(queryKey, (before) => before && withWants(before, choice)),
    onSuccess: (after) => isLast() && queries.setQueryData(queryKey, after),
    onError: (error) => {
      notifyOfFailure(error);
      if (isLast()) void queries.invalidateQueries({ queryKey });
    },
  });
}

function withWants(matrix: Matrix, { id, wants }: Choice): Matrix {
  const people = matrix.people.map((person) =>
    person.id === id
      ? {
          ...person,
          wants: matrix.kinds.map(({ kind }) => kind).filter((kind) => wants[kind] ?? person.wants.includes(kind)),
        }
      : person,
  );
  return { ...matrix, people };
}
