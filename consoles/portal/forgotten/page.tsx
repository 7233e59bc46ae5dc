import { Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { call } from '../../shared/api/client.ts';
import { reading } from '../../shared/api/queries.ts';
import { Form } from '../../shared/form/form.tsx';
import { Entry } from '../../shared/layout/entry.tsx';
import { Answer } from '../../shared/states/answer.tsx';

/** Where a person who has forgotten the password asks for a link to a new one. */
export function ForgottenPage() {
  const query = useQuery(reading('getEntrance', {}));
  const back = (
    <Link href="/sign-in" className="platen-link">
      Back to the sign-in
    </Link>
  );
  return (
    <Entry title="Forgotten your password?" below={back}>
      <Answer query={query} lines={2}>
        {({ password_reset: isMailed }) =>
          isMailed ? (
            <Ask />
          ) : (
            <Text size="sm">No mail is sent from here. Ask the print shop for a link to a new password.</Text>
          )
        }
      </Answer>
    </Entry>
  );
}

function Ask() {
  const [sentTo, setSentTo] = useState<string>();
  const form = useForm({ initialValues: { email: '' } });
  const ask = async ({ email }: typeof form.values): Promise<void> => {
    await call('requestPasswordReset', { body: { email } });
    setSentTo(email);
  };
  if (sentTo !== undefined) {
    return (
      <Text size="sm" role="status">
        If {sentTo} signs in here, a mail with a link is on its way. The link works once, within an hour. Look among the
        spam, too, before you ask again.
      </Text>
    );
  }
  return (
    <>
      <Text c="dimmed" size="sm" mb="lg">
        We mail you a link to choose a new one.
      </Text>
      <Form form={form} submit={ask} label="Send the link">
        <TextInput label="Email" type="email" autoComplete="username" required {...form.getInputProps('email')} />
      </Form>
    </>
  );
}
