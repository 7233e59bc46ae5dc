import { Button, Group, Modal, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { call, type Reply, saveList } from '../../shared/api/client.ts';
import { useCommands } from '../../shared/commands/registry.ts';
import { Confirm, type Question } from '../../shared/dialog/confirm.tsx';
import { Page } from '../../shared/layout/page.tsx';
import { Panel } from '../../shared/layout/panel.tsx';
import { useSession } from '../../shared/session/session.tsx';
import { browserOf } from '../../shared/sign-ins/browser.ts';
import { Answer } from '../../shared/states/answer.tsx';
import { useAddressState } from '../../shared/table/address.ts';
import { SaveCsv } from '../../shared/table/save-csv.tsx';
import { Moment } from '../../shared/values/moment.tsx';
import { Invitations, Invite } from './invitations.tsx';
import { ChangePerson, nameOf } from './person.tsx';
import { SignInsOf } from './sign-ins.tsx';

export type Person = Reply<'listPeople'>['data'][number];

/** So many people come at once. */
const PAGE = 100;

/** Who may sign in for the account, and who was asked to. Owners change it. */
export function TeamPage() {
  const { session } = useSession();
  const isOwner = session.user.role === 'owner';
  const query = useInfiniteQuery({
    queryKey: ['listPeople'],
    queryFn: ({ pageParam, signal }) => call('listPeople', { query: { limit: PAGE, cursor: pageParam } }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
  });
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = query;
  const people = (query.data?.pages ?? []).flatMap(({ data }) => data);
  const { get, set } = useAddressState();
  const open = isOwner ? get('open') : undefined;
  const shown = open === undefined ? undefined : people.find(({ id }) => id === open);
  // A link may name a person who stands further down than is loaded yet.
  const isSought = open !== undefined && shown === undefined && hasNextPage && !isFetchNextPageError;
  useEffect(() => {
    if (isSought && !isFetchingNextPage) void fetchNextPage();
  }, [isSought, isFetchingNextPage, fetchNextPage]);
  const [isInviting, setInviting] = useState(false);
  const [changed, setChanged] = useState<Person>();
  const [question, setQuestion] = useState<Question & { readonly words: string }>();
  const change = async (person: Person, body: { disabled?: boolean; second_factor?: false }): Promise<void> => {
    await call('changePerson', { path: { id: person.id }, body });
    await query.refetch();
  };
  const askToRemove = (person: Person): void =>
    setQuestion({
      title: `Remove ${nameOf(person)}?`,
      label: 'Remove',
      words: 'They cannot sign in any more. Their sessions end, and so does what they have allowed to apps.',
      act: () => change(person, { disabled: true }),
    });
  const askToLetIn = (person: Person): void =>
    setQuestion({
      title: `Let ${nameOf(person)} in again?`,
      label: 'Let in',
      words: 'They sign in by the password that they had.',
      act: () => change(person, { disabled: false }),
    });
  const invite = (): void => setInviting(true);
  const ofOwners = isOwner
    ? [
        { id: 'invite', label: 'Invite a person', group: 'Team', keys: 'c', run: invite },
        ...people.flatMap((person) => [
          {
            id: `change-${person.id}`,
            label: `Change ${nameOf(person)}`,
            group: 'People',
            run: () => setChanged(person),
          },
          {
            id: `sign-ins-${person.id}`,
            label: `Sign-ins of ${nameOf(person)}`,
            group: 'People',
            run: () => set({ open: person.id }),
          },
          person.disabled_at === null
            ? {
                id: `remove-${person.id}`,
                label: `Remove ${nameOf(person)}`,
                group: 'People',
                run: () => askToRemove(person),
              }
            : {
                id: `let-in-${person.id}`,
                label: `Let ${nameOf(person)} in again`,
                group: 'People',
                run: () => askToLetIn(person),
              },
        ]),
      ]
    : [];
  useCommands([
    ...ofOwners,
    ...(hasNextPage ? [{ id: 'more', label: 'Show more people', group: 'Team', run: () => void fetchNextPage() }] : []),
  ]);
  return (
    <Page title="Team" aside={isOwner ? <Button onClick={invite}>Invite a person</Button> : undefined}>
      <Panel
        title="People"
        aside={<SaveCsv group="Team" list="the people" save={() => saveList('listPeople', {}, 'people.csv')} />}
      >
        <Answer query={query}>
          {() => (
            <div className="platen-lines">
              {people.map((person) => (
                <PersonLine key={person.id} person={person} isSelf={person.id === session.user.id}>
                  {isOwner ? (
                    <div className="platen-buttons">
                      <Button
                        variant="default"
                        onClick={() => setChanged(person)}
                        aria-label={`Change ${nameOf(person)}`}
                      >
                        Change
                      </Button>
                      <Button
                        variant="default"
                        onClick={() => set({ open: person.id })}
                        aria-label={`Sign-ins of ${nameOf(person)}`}
                      >
                        Sign-ins
                      </Button>
                      {person.disabled_at === null ? (
                        <Button
                          variant="default"
                          onClick={() => askToRemove(person)}
                          aria-label={`Remove ${nameOf(person)}`}
                        >
                          Remove
                        </Button>
                      ) : (
                        <Button
                          variant="default"
                          onClick={() => askToLetIn(person)}
                          aria-label={`Let ${nameOf(person)} in again`}
                        >
                          Let in again
                        </Button>
                      )}
                    </div>
                  ) : null}
                </PersonLine>
              ))}
            </div>
          )}
        </Answer>
        {hasNextPage ? (
          <Group gap="sm" className="platen-panel-body">
            <Text size="sm" c="dimmed">
              The first {people.length.toLocaleString('en-GB')} people.
            </Text>
            <Button variant="default" onClick={() => void fetchNextPage()} loading={isFetchingNextPage}>
              Show more
            </Button>
          </Group>
        ) : null}
      </Panel>
      {isOwner ? <Invitations /> : null}
      <Modal opened={isInviting} onClose={() => setInviting(false)} title="Invite a person" size="sm">
        {isInviting ? <Invite onClose={() => setInviting(false)} /> : null}
      </Modal>
      <Modal opened={changed !== undefined} onClose={() => setChanged(undefined)} title="Change a person" size="sm">
        {changed === undefined ? null : (
          <ChangePerson
            person={changed}
            onChanged={() => {
              setChanged(undefined);
              void query.refetch();
            }}
          />
        )}
      </Modal>
      <SignInsOf person={shown} onClose={() => set({ open: undefined })} />
      <Confirm question={question} onClose={() => setQuestion(undefined)}>
        <Text size="sm">{question?.words}</Text>
      </Confirm>
    </Page>
  );
}

function PersonLine({ person, isSelf, children }: { person: Person; isSelf: boolean; children: ReactNode }) {
  const { role, email, disabled_at: disabledAt, last_seen_at: seenAt, second_factor: hasFactor } = person;
  const { last_sign_in: last } = person;
  return (
    <div className="platen-line">
      <div className="platen-line-text">
        <Text fw={600} size="sm">
          {nameOf(person)}
          {isSelf ? ' (you)' : ''}{' '}
          <span className="platen-status" data-tone={disabledAt === null ? 'busy' : 'bad'}>
            {disabledAt === null ? role : 'removed'}
          </span>
        </Text>
        <Text size="sm" c="dimmed">
          {person.name === '' ? '' : `${email} · `}
          {hasFactor ? 'second factor' : 'no second factor'} ·{' '}
          {seenAt === null ? (
            'not seen lately'
          ) : (
            <>
              last seen <Moment at={seenAt} />
            </>
          )}
          {last === null ? null : (
            <>
              {' '}
              · signed in <Moment at={last.at} />, {browserOf(last.user_agent)}
            </>
          )}
        </Text>
      </div>
      {children}
    </div>
  );
}
