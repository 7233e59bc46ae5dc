import { Button, Code, CopyButton, Group, Modal, Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** A secret as it is shown: what it is, its text, and what is shown with it. */
export type Secret = {
  readonly title: string;
  readonly text: string;
  readonly note: ReactNode;
  /** Below the secret: what is needed to use it. */
  readonly more?: ReactNode;
};

/** The dialog of a secret, which nobody can read again. It stays until its button is pressed. */
export function ShownOnce({ secret, onClose }: { secret: Secret | undefined; onClose: () => void }) {
  return (
    <Modal
      opened={secret !== undefined}
      onClose={onClose}
      title={secret?.title}
      size={secret?.more === undefined ? 'md' : 'lg'}
      closeOnEscape={false}
      withCloseButton={false}
    >
      {secret === undefined ? null : (
        <>
          <Text size="sm" mb="sm" component="div">
            It is shown this once. {secret.note}
          </Text>
          <Code block mb="md" className="platen-wrapped">
            {secret.text}
          </Code>
          {secret.more}
          <Group gap="sm">
            <CopyButton value={secret.text}>
              {({ copied, copy }) => (
                <Button onClick={copy} data-autofocus>
                  {copied ? 'Copied' : 'Copy it'}
                </Button>
              )}
            </CopyButton>
            <Button variant="default" onClick={onClose}>
              I have kept it
            </Button>
          </Group>
        </>
      )}
    </Modal>
  );
}
