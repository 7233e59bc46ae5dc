import { PasswordInput, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { call, type Reply } from '../../shared/api/client.ts';
import { isRefusedWith } from '../../shared/api/failures.ts';
import { reading } from '../../shared/api/queries.ts';
import { Form } from '../../shared/form/form.tsx';
import { Entry } from '../../shared/layout/entry.tsx';
import { Answer } from '../../shared/states/answer.tsx';

/** Where the link of a sign-up leads: the person chooses a password, and comes in or waits. */
export function ConfirmPage() {
  // Behind `#`, which no browser sends; it leaves the address so that it stays in no history.
  const [token] = useState(() => location.hash.slice(1));
  useEffect(() => history.replaceState(null, '', location.pathname), []);
  const query = useQuery({
    ...reading('readSignUp', { body: { token } }),
    // The link works once: asked again after that, it would seem never to have worked.
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (isRefusedWith(query.error, 'not_found')) {
    return (
      <Entry title="This link cannot be used">
        <Text size="sm">
          It works once, within a day. <Link href="/sign-up">Sign up again</Link>, or{' '}
          <Link href="/sign-in">sign in</Link> if you have used it already.
        </Text>
      </Entry>
    );
  }
  return <Answer query={query}>{(signUp) => <Choose signUp={signUp} token={token} />}</Answer>;
}

function Choose({ signUp, token }: { signUp: Reply<'readSignUp'>; token: string }) {
  const [isWaiting, setWaiting] = useState(false);
  const form = useForm({ initialValues: { password: '' } });
  const confirm = async ({ password }: typeof form.values): Promise<void> => {
    const reply = await call('confirmSignUp', { body: { token, password } });
    if ('state' in reply) setWaiting(true);
    else location.assign('/portal');
  };
  if (isWaiting) {
    return (
      <Entry title="Your address is confirmed">
        <Text size="sm" role="status">
          The print shop looks at your request, and you get a mail as soon as {signUp.company} is open.
        </Text>
      </Entry>
    );
  }
  return (
    <Entry title={`Open ${signUp.company}`}>
      <Text c="dimmed" size="sm" mb="lg">
        You will sign in as {signUp.email}.
        {signUp.needs_approval ? ' The print shop decides before the account is opened.' : ''}
      </Text>
      <Form form={form} submit={confirm} label={signUp.needs_approval ? 'Confirm' : 'Open the account'}>
        <PasswordInput
          label="Password"
          description="Twelve characters or more; a sentence is good."
          autoComplete="new-password"
          required
          {...form.getInputProps('password')}
        />
      </Form>
    </Entry>
  );
}
