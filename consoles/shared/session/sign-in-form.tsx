import { PasswordInput, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { call, keepCsrfToken, type Reply } from '../api/client.ts';
import { Form } from '../form/form.tsx';
import { CodeField, useCode } from './code-field.tsx';

export type Session = Reply<'getSession'>;

/**
 * Asks for address and password, and for a code once the service wants one.
 * With an address it is the one form for signing in again, which only that person can.
 */
export function SignInForm({ email, onSignedIn }: { email?: string; onSignedIn: (session: Session) => void }) {
  const { needsCode, sendWith } = useCode();
  const form = useForm({ initialValues: { email: email ?? '', password: '', code: '' } });
  const signIn = ({ code, ...values }: typeof form.values): Promise<void> =>
    sendWith(code, async (given) => {
      const session = await call('signIn', { body: { ...values, ...given } });
      keepCsrfToken(session);
      onSignedIn(session);
    });
  return (
    <Form form={form} submit={signIn} label="Sign in">
      <TextInput
        label="Email"
        type="email"
        autoComplete="username"
        required
        readOnly={email !== undefined}
        data-autofocus={email === undefined || undefined}
        {...form.getInputProps('email')}
      />
      <PasswordInput
        label="Password"
        autoComplete="current-password"
        required
        data-autofocus={email !== undefined || undefined}
        {...form.getInputProps('password')}
      />
      {needsCode ? <CodeField form={form} /> : null}
    </Form>
  );
}
