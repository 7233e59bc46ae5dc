import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Reply } from '../../shared/api/client.ts';
import { reading } from '../../shared/api/queries.ts';
import { Panel } from '../../shared/layout/panel.tsx';
import { Answer } from '../../shared/states/answer.tsx';
import { Moment } from '../../shared/values/moment.tsx';
import { browserOf } from './browser.ts';

type Entry = Reply<'listOwnSignIns'>['data'][number];

const WORDS: Readonly<Record<Entry['event'], string>> = {
  signed_in: 'Signed in',
  refused: 'A wrong password was tried',
  code_refused: 'The right password and a wrong code were tried',
  signed_out: 'Signed out',
  session_ended: 'A session was ended',
  password_changed: 'The password was changed',
  password_reset: 'The password was set anew by a link',
  joined: 'Joined by an invitation',
  factor_added: 'A second factor was added',
  factor_removed: 'The second factor was removed',
};

const ALARMING: readonly Entry['event'][] = ['refused', 'code_refused', 'factor_removed'];

/** What happened to the person's sign-in of late, for them to find what was not theirs. */
export function SignIns() {
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const cursor = cursors.at(-1);
  const query = useQuery(reading('listOwnSignIns', { query: { limit: 10, ...(cursor ? { cursor } : {}) } }));
  return (
    <Panel title="What happened to your sign-in">
      <Answer query={query}>
        {({ data, next_cursor: next }) => (
          <div className="platen-lines">
            {data.map((entry) => (
              <div key={entry.id} className="platen-line">
                <div style={{ flex: 1, minWidth: 0 }}>
                  <Text size="sm" fw={ALARMING.includes(entry.event) ? 600 : 400}>
                    {WORDS[entry.event]}
                    {entry.times > 1 ? `, ${entry.times} times within an hour` : ''}
                  </Text>
                  <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                    <Moment at={entry.at} />
                    {entry.user_agent === '' ? '' : `, ${browserOf(entry.user_agent)}`}
                    {entry.address === null ? '' : `, from ${entry.address}`}
                  </Text>
                </div>
              </div>
            ))}
            <div className="platen-line">
              <Text size="sm" c="dimmed" style={{ flex: 1 }}>
                Of the last 90 days. If something was not you, change the password: it ends all other sessions.
              </Text>
              {cursors.length > 0 && (
                <Button variant="default" onClick={() => setCursors(cursors.slice(0, -1))}>
                  Newer
                </Button>
              )}
              {next !== null && (
                <Button variant="default" onClick={() => setCursors([...cursors, next])}>
                  Older
                </Button>
              )}
            </div>
          </div>
        )}
      </Answer>
    </Panel>
  );
}
