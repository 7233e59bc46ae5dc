import { Button, Group, Text } from '@mantine/core';
import type { Saving } from './saving.ts';

/** Says how the draft stands: saved, on its way, or refused in the service's words. */
export function SaveState({ saving, onLoadAgain }: { saving: Saving; onLoadAgain: () => void }) {
  const { isSaved, failure, isOutdated, save } = saving;
  if (failure === undefined) {
    return (
      <Text size="sm" c="dimmed" role="status">
        {isSaved ? 'The draft is saved' : 'Saving…'}
      </Text>
    );
  }
  return (
    <Group className="platen-note" role="alert" gap="sm">
      <Text size="sm">Not saved: {failure.message}</Text>
      <Button
        size="compact-sm"
        variant="default"
        onClick={isOutdated ? onLoadAgain : () => void save().catch(() => undefined)}
      >
        {isOutdated ? 'Load it again' : 'Try again'}
      </Button>
    </Group>
  );
}
