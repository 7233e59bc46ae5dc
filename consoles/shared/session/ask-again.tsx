import { Button, Modal, PasswordInput, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useEffect, useState } from 'react';
import { call, whenProofNeeded, whenSignedOut } from '../api/client.ts';
import { Form } from '../form/form.tsx';
import { CodeField, useCode } from './code-field.tsx';
import { type Session, SignInForm } from './sign-in-form.tsx';

type Outcome = 'signed in' | 'given up';
type Ask = () => Promise<Outcome>;

/** Opens a dialog when calls have to wait for the person; all of them wait for the same answer. */
function useAsked(listen: (ask: Ask | undefined) => void): ((outcome: Outcome) => void) | undefined {
  const [settle, setSettle] = useState<(outcome: Outcome) => void>();
  useEffect(() => {
    let asked: Promise<Outcome> | undefined;
    listen(() => {
      asked ??= new Promise<Outcome>((resolve) => setSettle(() => resolve)).finally(() => {
        asked = undefined;
        setSettle(undefined);
      });
      return asked;
    });
    return () => listen(undefined);
  }, [listen]);
  return settle;
}

/** The dialog of a session that has ended: what was typed on the page stays. */
export function SignInAgain({
  email,
  onSignedIn,
  onGivenUp,
}: {
  email: string;
  onSignedIn: (session: Session) => void;
  onGivenUp: () => void;
}) {
  const settle = useAsked(whenSignedOut);
  return (
    <Modal
      opened={settle !== undefined}
      onClose={() => undefined}
      withCloseButton={false}
      title="Your session has ended"
      size="sm"
    >
      <Text size="sm" mb="md">
        Sign in again and go on: what you have entered is still there.
      </Text>
      <SignInForm
        email={email}
        onSignedIn={(session) => {
          onSignedIn(session);
          settle?.('signed in');
        }}
      />
      <Button
        variant="subtle"
        mt="sm"
        onClick={() => {
          settle?.('given up');
          onGivenUp();
        }}
      >
        Leave this page
      </Button>
    </Modal>
  );
}

/** The dialog before what matters most: the password was given too long ago. */
export function PasswordAgain({ onGiven }: { onGiven: (session: Session) => void }) {
  const settle = useAsked(whenProofNeeded);
  return (
    <Modal
      opened={settle !== undefined}
      onClose={() => settle?.('given up')}
      title="Give your password again"
      size="sm"
    >
      <Text size="sm" mb="md">
        What you are about to do asks for it every 15 minutes.
      </Text>
      {settle === undefined ? null : (
        <ProofForm
          onGiven={(session) => {
            onGiven(session);
            settle('signed in');
          }}
        />
      )}
    </Modal>
  );
}

function ProofForm({ onGiven }: { onGiven: (session: Session) => void }) {
  const { needsCode, sendWith } = useCode();
  const form = useForm({ initialValues: { password: '', code: '' } });
  const prove = ({ password, code }: typeof form.values): Promise<void> =>
    sendWith(code, async (given) => onGiven(await call('proveSession', { body: { password, ...given } })));
  return (
    <Form form={form} submit={prove} label="Go on">
      <PasswordInput
        label="Password"
        autoComplete="current-password"
        required
        data-autofocus
        {...form.getInputProps('password')}
      />
      {needsCode ? <CodeField form={form} /> : null}
    </Form>
  );
}
