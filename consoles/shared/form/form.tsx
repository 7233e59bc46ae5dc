import { Button, Group, Stack } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { type FormEvent, type ReactNode, useRef, useState } from 'react';
import { Refused } from '../api/failures.ts';
import { Failure } from '../states/failure.tsx';

/**
 * The one form: it sends once however often its button is pressed, keeps what was typed when it is refused, and puts
 * the service's words at the fields that they are about.
 */
export function Form<Values extends Record<string, unknown>>({
  form,
  submit,
  label,
  beside,
  children,
}: {
  form: UseFormReturnType<Values>;
  submit: (values: Values) => Promise<void>;
  /** Of the button. */
  label: string;
  /** Stands beside the button. */
  beside?: ReactNode;
  children: ReactNode;
}) {
  const isUnderWay = useRef(false);
  const [isSending, setSending] = useState(false);
  const [failure, setFailure] = useState<Error>();
  const send = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    // A second press can come before the button is drawn as busy.
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    setSending(true);
    setFailure(undefined);
    form.clearErrors();
    try {
      await submit(form.getValues());
    } catch (error) {
      if (error instanceof Refused) showAtFields(form, error);
      setFailure(error instanceof Error ? error : new Error(String(error)));
    } finally {
      isUnderWay.current = false;
      setSending(false);
    }
  };
  return (
    <form onSubmit={(event) => void send(event)} noValidate={false}>
      <Stack gap="md">
        {failure === undefined ? null : <Failure error={failure} />}
        {children}
        <Group gap="sm">
          <Button type="submit" loading={isSending} loaderProps={{ type: 'dots' }}>
            {label}
          </Button>
          {beside}
        </Group>
      </Stack>
    </form>
  );
}

function showAtFields<Values extends Record<string, unknown>>(
  form: UseFormReturnType<Values>,
  { problem }: Refused,
): void {
  const known = problem.errors.filter(({ path }) => path in form.getValues());
  // A form whose fields have other names has shown its own already.
  form.setErrors((shown) => ({ ...shown, ...Object.fromEntries(known.map(({ path, message }) => [path, message])) }));
}
