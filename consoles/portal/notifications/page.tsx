import { Checkbox, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { call, type Reply } from '../../shared/api/client.ts';
import { reading } from '../../shared/api/queries.ts';
import { Page } from '../../shared/layout/page.tsx';
import { Panel } from '../../shared/layout/panel.tsx';
import { useSession } from '../../shared/session/session.tsx';
import { Answer } from '../../shared/states/answer.tsx';
import { notifyOfFailure } from '../../shared/states/notify.tsx';

type Matrix = Reply<'getNotifications'>;
type Person = Matrix['people'][number];

/** Which mails a person gets, and for owners which the others get. */
export function NotificationsPage() {
  const { user } = useSession().session;
  const query = useQuery(reading('getNotifications', {}));
  return (
    <Page title="Notifications">
      <Answer query={query}>
        {(matrix) => {
          const self = matrix.people.filter(({ id }) => id === user.id);
          const others = matrix.people.filter(({ id }) => id !== user.id);
          return (
            <>
              {matrix.is_mailed ? null : (
                <Text size="sm" className="platen-note">
                  The print shop has not set up mail yet. What you choose counts as soon as it has.
                </Text>
              )}
              {[...self, ...others].map((person) => (
                <Mails
                  key={person.id}
                  matrix={matrix}
                  person={person}
                  title={person.id === user.id ? 'Your mails' : `Mails to ${person.name || person.email}`}
                  mayChoose={person.id === user.id || user.role === 'owner'}
                />
              ))}
            </>
          );
        }}
      </Answer>
    </Page>
  );
}

function Mails({
  matrix,
  person,
  title,
  mayChoose,
}: {
  matrix: Matrix;
  person: Person;
  title: string;
  mayChoose: boolean;
}) {
  const queries = useQueryClient();
  const { queryKey } = reading('getNotifications', {});
  const choose = useMutation({
    mutationFn: (wants: Record<string, boolean>) =>
      call('changeNotifications', { path: { id: person.id }, body: { wants } }),
    // Drawn at once; what the service says then takes its place, and a refusal takes it back.
    onMutate: (wants) =>
      queries.setQueryData<Matrix>(queryKey, (before) => before && withWants(before, person.id, wants)),
    onSuccess: (after) => queries.setQueryData(queryKey, after),
    onError: (error) => {
      notifyOfFailure(error);
      void queries.invalidateQueries({ queryKey });
    },
  });
  return (
    <Panel title={title}>
      <Stack gap="sm" className="platen-panel-body">
        {matrix.kinds.map(({ kind, label, means }) => (
          <Checkbox
            key={kind}
            label={label}
            description={means}
            checked={person.wants.includes(kind)}
            disabled={!mayChoose}
            onChange={({ currentTarget }) => choose.mutate({ [kind]: currentTarget.checked })}
          />
        ))}
        <Text size="sm" c="dimmed">
          Mails about {mayChoose && title === 'Your mails' ? 'your' : 'their'} own sign-in are always sent.
        </Text>
      </Stack>
    </Panel>
  );
}

function withWants(matrix: Matrix, id: string, wants: Record<string, boolean>): Matrix {
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
