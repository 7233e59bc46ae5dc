import { Button, Modal, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call, download, type Reply } from '../../../shared/api/client.ts';
import { reading } from '../../../shared/api/queries.ts';
import { useCommands } from '../../../shared/commands/registry.ts';
import { Confirm, type Question } from '../../../shared/dialog/confirm.tsx';
import { type Secret, ShownOnce } from '../../../shared/dialog/shown-once.tsx';
import { Panel } from '../../../shared/layout/panel.tsx';
import { useSession } from '../../../shared/session/session.tsx';
import { Answer, Empty } from '../../../shared/states/answer.tsx';
import { notifyOf } from '../../../shared/states/notify.tsx';
import { useAddressState } from '../../../shared/table/address.ts';
import { SaveCsv } from '../../../shared/table/save-csv.tsx';
import { Pages } from '../../../shared/table/table.tsx';
import { Moment } from '../../../shared/values/moment.tsx';
import { Corner } from '../corner.tsx';
import { Grants } from './grants.tsx';
import { RegisterApp } from './register-app.tsx';

type App = Reply<'listOwnApps'>['data'][number];

/** The OAuth apps of the account, and the apps that may use it. */
export function AppsPage() {
  const { get } = useAddressState();
  const isOwner = useSession().session.user.role === 'owner';
  const query = useQuery(reading('listOwnApps', { query: { cursor: get('cursor') } }));
  const [isRegistering, setRegistering] = useState(false);
  const [secret, setSecret] = useState<Secret>();
  const [question, setQuestion] = useState<Question & { why: string }>();
  const askToRotate = (app: App): void =>
    setQuestion({
      title: `Give ${app.name} a new secret?`,
      label: 'Make a new secret',
      why: 'The old secret and all access tokens of the app are refused within two seconds. What people have allowed it stays: with the new secret it gets new tokens.',
      act: async () => {
        const made = await call('rotateOwnAppSecret', { path: { id: app.client_id } });
        setSecret(secretOf(app.name, made.client_secret));
        await query.refetch();
      },
    });
  const askToRemove = (app: App): void =>
    setQuestion({
      title: `Remove ${app.name}?`,
      label: 'Remove the app',
      typed: app.name,
      why: 'All its tokens end within two seconds, and what people of any account have allowed it. It can only be registered anew, with another client id.',
      act: async () => {
        await call('removeOwnApp', { path: { id: app.client_id } });
        await query.refetch();
      },
    });
  useCommands(
    isOwner
      ? [
          { id: 'register', label: 'Register an app', group: 'Apps', keys: 'c', run: () => setRegistering(true) },
          ...(query.data?.data ?? [])
            .filter(({ removed_at: removedAt }) => removedAt === null)
            .flatMap((app) => [
              ...(app.confidential
                ? [
                    {
                      id: `rotate-${app.client_id}`,
                      label: `New secret of ${app.name}`,
                      group: 'Apps',
                      run: () => askToRotate(app),
                    },
                  ]
                : []),
              {
                id: `remove-${app.client_id}`,
                label: `Remove ${app.name}`,
                group: 'Apps',
                run: () => askToRemove(app),
              },
            ]),
        ]
      : [],
  );
  return (
    <Corner
      title="Apps"
      aside={isOwner ? <Button onClick={() => setRegistering(true)}>Register an app</Button> : undefined}
    >
      <Panel
        title="Your OAuth apps"
        aside={
          <SaveCsv group="Apps" save={() => download('listOwnApps', {}, { mediaType: 'text/csv', name: 'apps.csv' })} />
        }
      >
        <Answer query={query}>
          {({ data, next_cursor: nextCursor }) =>
            data.length === 0 ? (
              <Empty title="No app is registered.">
                Register one if people of other accounts are to use your software with theirs. For your own programs a
                token is enough.
              </Empty>
            ) : (
              <>
                <div className="platen-lines">
                  {data.map((app) => (
                    <Line
                      key={app.client_id}
                      app={app}
                      onRotate={isOwner && app.confidential ? () => askToRotate(app) : undefined}
                      onRemove={isOwner ? () => askToRemove(app) : undefined}
                    />
                  ))}
                </div>
                <Pages label="Apps" nextCursor={nextCursor} />
              </>
            )
          }
        </Answer>
      </Panel>
      <Grants />
      <Modal opened={isRegistering} onClose={() => setRegistering(false)} title="Register an app">
        <RegisterApp
          onRegistered={(app) => {
            setRegistering(false);
            if (app.client_secret === null) notifyOf(`${app.name} is registered as ${app.client_id}.`);
            else setSecret(secretOf(app.name, app.client_secret));
            void query.refetch();
          }}
        />
      </Modal>
      <ShownOnce secret={secret} onClose={() => setSecret(undefined)} />
      <Confirm question={question} onClose={() => setQuestion(undefined)}>
        <Text size="sm">{question?.why}</Text>
      </Confirm>
    </Corner>
  );
}

function secretOf(name: string, text: string): Secret {
  return { title: `The secret of ${name}`, text, note: 'Keep it on your server, never in an app on devices.' };
}

function Line({
  app,
  onRotate,
  onRemove,
}: {
  app: App;
  onRotate: (() => void) | undefined;
  onRemove: (() => void) | undefined;
}) {
  const isRemoved = app.removed_at !== null;
  return (
    <div className="platen-line">
      <div className="platen-line-text">
        <Text fw={600} size="sm" component="div">
          {app.name}{' '}
          <span className="platen-status" data-tone={isRemoved ? 'still' : 'busy'}>
            {isRemoved ? 'Removed' : app.confidential ? 'With a secret' : 'On devices (PKCE)'}
          </span>
        </Text>
        <Text size="sm" component="div">
          Client id <span className="platen-code">{app.client_id}</span>
        </Text>
        {app.redirect_uris.map((uri) => (
          <Text key={uri} size="sm" className="platen-code">
            {uri}
          </Text>
        ))}
        <Text size="sm" c="dimmed" component="div">
          At most {app.scopes.join(', ')} · registered <Moment at={app.created_at} />
          {app.rotated_at === null ? null : (
            <>
              {' '}
              · secret of <Moment at={app.rotated_at} />
            </>
          )}
        </Text>
      </div>
      {isRemoved ? null : (
        <div className="platen-buttons">
          {onRotate === undefined ? null : (
            <Button variant="default" onClick={onRotate} aria-label={`New secret of ${app.name}`}>
              New secret
            </Button>
          )}
          {onRemove === undefined ? null : (
            <Button variant="default" onClick={onRemove} aria-label={`Remove ${app.name}`}>
              Remove
            </Button>
          )}
        </div>
      )}
    </div>
  );
}
