import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Reply } from '../api/client.ts';
import { reading } from '../api/queries.ts';
import { Answer } from '../states/answer.tsx';
import { Moment } from '../values/moment.tsx';
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

const SHOWN = 10;

/** What happened to a sign-in of late, a page at a time: the own, or that of a person of the account. */
export function SignInLines({ of, note }: { of: string | undefined; note: string }) {
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const cursor = cursors.at(-1);
  const query = { limit: SHOWN, cursor };
  const own = useQuery({ ...reading('listOwnSignIns', { query }), enabled: of === undefined });
  const theirs = useQuery({
    ...reading('listSignInsOfPerson', { path: { id: of ?? '' }, query }),
    enabled: of !== undefined,
  });
  return (
    <Answer query={of === undefined ? own : theirs}>
      {({ data, next_cursor: next }) => (
        <div className="platen-lines">
          {data.map((entry) => (
            <Line key={entry.id} entry={entry} />
          ))}
          <div className="platen-line">
            <Text size="sm" c="dimmed" style={{ flex: 1 }}>
              {data.length === 0 ? 'Nothing is on record. ' : ''}
              {note}
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
  );
}

function Line({ entry: { event, times, at, user_agent: agent, address } }: { entry: Entry }) {
  return (
    <div className="platen-line">
      <div style={{ flex: 1, minWidth: 0 }}>
        <Text size="sm" fw={ALARMING.includes(event) ? 600 : 400}>
          {WORDS[event]}
          {times > 1 ? `, ${times} times within an hour` : ''}
        </Text>
        <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          <Moment at={at} />
          {agent === '' ? '' : `, ${browserOf(agent)}`}
          {address === null ? '' : `, from ${address}`}
        </Text>
      </div>
    </div>
  );
}
