import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call, type Reply } from '../../shared/api/client.ts';
import { reading } from '../../shared/api/queries.ts';
import { useCommands } from '../../shared/commands/registry.ts';
import { Confirm, type Question } from '../../shared/dialog/confirm.tsx';
import { Page } from '../../shared/layout/page.tsx';
import { Panel } from '../../shared/layout/panel.tsx';
import { useSession } from '../../shared/session/session.tsx';
import { browserOf } from '../../shared/sign-ins/browser.ts';
import { Answer } from '../../shared/states/answer.tsx';
import { Moment } from '../../shared/values/moment.tsx';
import { Password } from './password.tsx';
import { SecondFactor } from './second-factor.tsx';
import { SignIns } from './sign-ins.tsx';

type Listed = Reply<'listOwnSessions'>['data'][number];

/** Where the person is signed in, and how they end a session that is not theirs. */
export function SecurityPage() {
  const { session, signOut } = useSession();
  const query = useQuery(reading('listOwnSessions', {}));
  const [question, setQuestion] = useState<Question>();
  const askToEnd = (listed: Listed): void =>
    setQuestion({
      title: 'End this session?',
      label: 'End the session',
      act: async () => {
        await call('endOwnSession', { path: { id: listed.id } });
        await query.refetch();
      },
    });
  const others = (query.data?.data ?? []).filter(({ is_current: isCurrent }) => !isCurrent);
  useCommands(
    others.map((listed) => ({
      id: `end-${listed.id}`,
      label: `End the session of ${browserOf(listed.user_agent)}`,
      group: 'Security',
      run: () => askToEnd(listed),
    })),
  );
  return (
    <Page title="Security">
      <Panel title="Where you are signed in">
        <Answer query={query}>
          {({ data }) => (
            <div className="platen-lines">
              {data.map((listed) => (
                <div key={listed.id} className="platen-line">
                  <div style={{ flex: 1, minWidth: 0 }}>
                    <Text fw={600} size="sm">
                      {browserOf(listed.user_agent)}
                      {listed.is_current ? ', this browser' : ''}
                    </Text>
                    <Text size="sm" c="dimmed">
                      Signed in <Moment at={listed.created_at} />, last seen <Moment at={listed.last_seen_at} />
                    </Text>
                  </div>
                  {listed.is_current ? (
                    <Button variant="default" onClick={signOut}>
                      Sign out
                    </Button>
                  ) : (
                    <Button variant="default" onClick={() => askToEnd(listed)}>
                      End
                    </Button>
                  )}
                </div>
              ))}
            </div>
          )}
        </Answer>
      </Panel>
      <Password onChanged={() => void query.refetch()} />
      <SecondFactor />
      <SignIns />
      <Text size="sm" c="dimmed">
        You are signed in as {session.user.email}. This session ends <Moment at={session.expires_at} /> at the latest.
      </Text>
      <Confirm question={question} onClose={() => setQuestion(undefined)}>
        <Text size="sm">That browser has to sign in again, within two seconds.</Text>
      </Confirm>
    </Page>
  );
}
