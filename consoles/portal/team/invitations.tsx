import { Button, Code, CopyButton, Group, Modal, NativeSelect, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call, type Input, type Reply } from '../../shared/api/client.ts';
import { reading } from '../../shared/api/queries.ts';
import { useCommands } from '../../shared/commands/registry.ts';
import { Form } from '../../shared/form/form.tsx';
import { Panel } from '../../shared/layout/panel.tsx';
import { Answer, Empty } from '../../shared/states/answer.tsx';
import { notifyOf, notifyOfFailure } from '../../shared/states/notify.tsx';
import { Countdown } from '../../shared/values/countdown.tsx';
import { ROLES, type Role } from './person.tsx';

type Made = Reply<'invitePerson'>;

/** The invitations that can still be used. */
export function Invitations() {
  const query = useQuery(reading('listInvitations', {}));
  const [made, setMade] = useState<Made>();
  const withdraw = async (id: string): Promise<void> => {
    await call('withdrawInvitation', { path: { id } });
    await query.refetch();
  };
  const again = async ({ email, role, name }: Reply<'listInvitations'>['data'][number]): Promise<void> => {
    setMade(await call('invitePerson', { body: { email, role: role as Role, name } }));
    await query.refetch();
  };
  useCommands(
    (query.data?.data ?? []).flatMap((invitation) => [
      {
        id: `again-${invitation.id}`,
        label: `Send again to ${invitation.email}`,
        group: 'Invitations',
        run: () => void again(invitation).catch(notifyOfFailure),
      },
      {
        id: `withdraw-${invitation.id}`,
        label: `Withdraw the invitation to ${invitation.email}`,
        group: 'Invitations',
        run: () => void withdraw(invitation.id).catch(notifyOfFailure),
      },
    ]),
  );
  return (
    <Panel title="Invitations">
      <Answer query={query} lines={2}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="No invitation is open.">Each can be used for an hour, once.</Empty>
          ) : (
            <div className="platen-lines">
              {data.map((invitation) => (
                <div key={invitation.id} className="platen-line">
                  <div className="platen-line-text">
                    <Text fw={600} size="sm">
                      {invitation.email}{' '}
                      <span className="platen-status" data-tone="wait">
                        {invitation.role}
                      </span>
                    </Text>
                    <Text size="sm" c="dimmed">
                      Can be used for <Countdown until={invitation.expires_at} />
                    </Text>
                  </div>
                  <div className="platen-buttons">
                    <Button
                      variant="default"
                      aria-label={`Send again to ${invitation.email}`}
                      onClick={() => void again(invitation).catch(notifyOfFailure)}
                    >
                      Send again
                    </Button>
                    <Button
                      variant="default"
                      aria-label={`Withdraw the invitation to ${invitation.email}`}
                      onClick={() => void withdraw(invitation.id).catch(notifyOfFailure)}
                    >
                      Withdraw
                    </Button>
                  </div>
                </div>
              ))}
            </div>
          )
        }
      </Answer>
      <Modal opened={made !== undefined} onClose={() => setMade(undefined)} title="The invitation" size="md">
        {made === undefined ? null : <Passed invitation={made} onClose={() => setMade(undefined)} />}
      </Modal>
    </Panel>
  );
}

/** The form that invites a person; where no mail is sent it then shows the link, to be passed on. */
export function Invite({ onClose }: { onClose: () => void }) {
  const queries = useQueryClient();
  const [made, setMade] = useState<Made>();
  const form = useForm<Input<'invitePerson'>['body'] & { name: string }>({
    initialValues: { email: '', role: 'orders', name: '' },
  });
  const invite = async (body: typeof form.values): Promise<void> => {
    const invitation = await call('invitePerson', { body });
    await queries.invalidateQueries({ queryKey: ['listInvitations'] });
    if (!invitation.mailed) {
      setMade(invitation);
      return;
    }
    notifyOf(`A mail with a link is on its way to ${invitation.email}.`);
    onClose();
  };
  if (made !== undefined) return <Passed invitation={made} onClose={onClose} />;
  return (
    <Form form={form} submit={invite} label="Invite">
      <TextInput label="Email" type="email" required data-autofocus {...form.getInputProps('email')} />
      <TextInput label="Name" {...form.getInputProps('name')} />
      <NativeSelect label="Role" data={[...ROLES]} {...form.getInputProps('role')} />
    </Form>
  );
}

function Passed({ invitation: { email, mailed, url = '' }, onClose }: { invitation: Made; onClose: () => void }) {
  return (
    <>
      <Text size="sm" mb="sm">
        {mailed
          ? `A mail with a new link is on its way to ${email}; the one before cannot be used any more.`
          : `Pass this link on to ${email}. It is shown this once, and works once, within an hour.`}
      </Text>
      {mailed ? null : (
        <Code block mb="md" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {url}
        </Code>
      )}
      <Group gap="sm">
        <Button onClick={onClose}>Done</Button>
        {mailed ? null : (
          <CopyButton value={url}>
            {({ copied, copy }) => (
              <Button variant="default" onClick={copy}>
                {copied ? 'Copied' : 'Copy the link'}
              </Button>
            )}
          </CopyButton>
        )}
      </Group>
    </>
  );
}
