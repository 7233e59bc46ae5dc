import { TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';

/** The code of a second factor, wherever a password is not enough. */
export function CodeField<Values extends { code: string }>({ form }: { form: UseFormReturnType<Values> }) {
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
