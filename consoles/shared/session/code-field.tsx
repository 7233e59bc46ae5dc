import { TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useState } from 'react';
import { isRefusedWith } from '../api/failures.ts';

/** What stands in a form where a second factor may be needed. */
type WithCode = { code: string };

/**
 * Asks for the code of a second factor once the service wants one beside the password.
 * `sendWith` sends a form: without a code until the service has asked, then with the one that was typed. A refusal for
 * want of a code opens the field, and is no failure.
 */
export function useCode(): {
  readonly needsCode: boolean;
  readonly sendWith: (code: string, send: (code: { code?: string }) => Promise<void>) => Promise<void>;
} {
  const [needsCode, setNeedsCode] = useState(false);
  return {
    needsCode,
    sendWith: async (code, send) => {
      try {
        await send(code === '' ? {} : { code: code.trim() });
      } catch (error) {
        if (!isRefusedWith(error, 'second_factor_required') || needsCode) throw error;
        setNeedsCode(true);
      }
    },
  };
}

/** The code of a second factor, wherever a password is not enough. */
export function CodeField<Values extends WithCode>({ form }: { form: UseFormReturnType<Values> }) {
  return (
    <TextInput
      label="Code"
      description="Six digits from your app, or a recovery code."
      autoComplete="one-time-code"
      required
      autoFocus
      {...form.getInputProps('code')}
    />
  );
}
