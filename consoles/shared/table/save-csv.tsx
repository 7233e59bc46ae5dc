import { Button } from '@mantine/core';
import { useCommands } from '../commands/registry.ts';
import { notifyOfFailure } from '../states/notify.tsx';

/** The button, and the command, that saves the whole list as it is narrowed. */
export function SaveCsv({
  group,
  list = 'this list',
  save,
}: {
  group: string;
  /** Which one, where a page has several. */
  list?: string;
  save: () => Promise<void>;
}) {
  const run = (): void => void save().catch(notifyOfFailure);
  useCommands([{ id: `export ${list}`, label: `Save ${list} as CSV`, group, run }]);
  return (
    <Button size="compact-sm" variant="default" onClick={run}>
      Save as CSV
    </Button>
  );
}
