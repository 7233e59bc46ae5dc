import { PasswordInput, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { call, type Reply } from '../../shared/api/client.ts';
import { isRefusedWith } from '../../shared/api/failures.ts';
import { reading } from '../../shared/api/queries.ts';
import { Form } from '../../shared/form/form.tsx';
import { Entry } from '../../shared/layout/entry.tsx';
import { CodeField } from '../../shared/session/code-field.tsx';
import { Answer } from '../../shared/states/answer.tsx';

type Link = Reply<'readLink'>;

/** Where a link leads that works once: a person who was invited joins, or one who forgot the password chooses another. */
export function LinkPage() {
  // Behind `#`, which no browser sends; it leaves the address so that it stays in no history.
  const [token] = useState(() => location.hash.slice(1));
  useEffect(() => {
    history.replaceState(null, '', location.pathname);
  }, []);
  const query = useQuery(reading('readLink', { body: { token } }));
  if (isRefusedWith(query.error, 'not_found')) {
    return (
      <Entry title="This link cannot be used">
        <Text size="sm">
          It works once, within an hour. Ask whoever sent it for a new one, or <a href="/portal/sign-in">sign in</a> if
          you have used it already.
        </Text>
      </Entry>
    );
  }
  return <Answer query={query}>{(link) => <Choose link={link} token={token} />}</Answer>;
}

function Choose({ link, token }: { link: Link; token: string }) {
  const [needsCode, setNeedsCode] = useState(false);
  const isInvitation = link.kind === 'invitation';
  const form = useForm({ initialValues: { name: link.name, password: '', code: '' } });
  const accept = async ({ name, password, code }: typeof form.values): Promise<void> => {
    try {
      const body = {
        token,
        password,
        ...(isInvitation ? { name } : {}),
        ...(code === '' ? {} : { code: code.trim() }),
      };
      await call('acceptLink', { body });
      location.assign('/portal');
    } catch (error) {
      if (!isRefusedWith(error, 'second_factor_required') || needsCode) throw error;
      setNeedsCode(true);
    }
  };
  return (
    <Entry title={isInvitation ? `Join ${link.account.name}` : 'Choose a new password'}>
      <Text c="dimmed" size="sm" mb="lg">
        {isInvitation ? 'You will sign in as' : 'For'} {link.email}.
      </Text>
      <Form form={form} submit={accept} label={isInvitation ? 'Join' : 'Set the password'}>
        {isInvitation ? <TextInput label="Your name" autoComplete="name" {...form.getInputProps('name')} /> : null}
        <PasswordInput
          label="Password"
          description="Twelve characters or more; a sentence is good."
          autoComplete="new-password"
          required
          {...form.getInputProps('password')}
        />
        {needsCode ? <CodeField form={form} /> : null}
      </Form>
    </Entry>
  );
}
