import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useRef, useState } from 'react';
import { Failure } from '../states/failure.tsx';

/** What is asked before something is done. */
export type Question = {
  readonly title: string;
  /** Of the button that does it. */
  readonly label: string;
  /** What has to be typed, for what cannot be undone. */
  readonly typed?: string;
  /** Of the button that does nothing; "Keep it" when left out. */
  readonly keepLabel?: string;
  /** Whether it makes something, rather than take something away. */
  readonly isMaking?: boolean;
  readonly act: () => Promise<void>;
};

/** The one dialog that asks before a change; it stays until the answer is there, and with the words of a refusal. */
export function Confirm({
  question,
  outdated,
  onClose,
  children,
}: {
  question: Question | undefined;
  /** Why it cannot be done any more as it was asked. */
  outdated?: string | undefined;
  onClose: () => void;
  children?: ReactNode;
}) {
  const [isActing, setActing] = useState(false);
  return (
    <Modal
      opened={question !== undefined}
      closeOnClickOutside
      onClose={() => !isActing && onClose()}
      title={question?.title}
      size="md"
    >
      {question === undefined ? null : (
        <Ask question={question} outdated={outdated} onClose={onClose} isActing={isActing} setActing={setActing}>
          {children}
        </Ask>
      )}
    </Modal>
  );
}

function Ask({
  question,
  outdated,
  onClose,
  isActing,
  setActing,
  children,
}: {
  question: Question;
  outdated: string | undefined;
  onClose: () => void;
  isActing: boolean;
  setActing: (isActing: boolean) => void;
  children: ReactNode;
}) {
  const { label, typed, keepLabel = 'Keep it', isMaking = false, act } = question;
  const isUnderWay = useRef(false);
  const [text, setText] = useState('');
  const [failure, setFailure] = useState<Error>();
  const isReady = outdated === undefined && (typed === undefined || text.trim() === typed);
  const send = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (!isReady || isUnderWay.current) return;
    isUnderWay.current = true;
    setActing(true);
    setFailure(undefined);
    try {
      await act();
      onClose();
    } catch (error) {
      setFailure(error instanceof Error ? error : new Error(String(error)));
    } finally {
      isUnderWay.current = false;
      setActing(false);
    }
  };
  return (
    <form onSubmit={(event) => void send(event)}>
      <Stack gap="md">
        {failure === undefined ? null : <Failure error={failure} />}
        {outdated === undefined ? null : (
          <Text size="sm" role="alert">
            {outdated}
          </Text>
        )}
        <div>{children}</div>
        {typed === undefined ? null : (
          <TextInput
            label={`Type ${typed} to confirm`}
            data-autofocus
            autoComplete="off"
            value={text}
            onChange={({ currentTarget }) => setText(currentTarget.value)}
          />
        )}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" disabled={isActing} onClick={onClose}>
            {keepLabel}
          </Button>
          <Button
            type="submit"
            {...(isMaking ? {} : { color: 'red.9' })}
            data-autofocus={isMaking || undefined}
            disabled={!isReady}
            loading={isActing}
            loaderProps={{ type: 'dots' }}
          >
            {label}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
