import { Button, CopyButton } from '@mantine/core';
import { useCommands } from '../commands/registry.ts';
import { notifyOf, notifyOfFailure } from '../states/notify.tsx';

/** The button, and the command, that copies something of each selected row, a line each. */
export function CopySelected({ what, lines }: { what: string; lines: readonly string[] }) {
  const label = `Copy ${what}`;
  const text = lines.join('\n');
  const copyByCommand = (): void =>
    void navigator.clipboard.writeText(text).then(() => notifyOf('Copied.'), notifyOfFailure);
  useCommands([{ id: 'copy-selected', label, group: 'Selected', run: copyByCommand }]);
  return (
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <Button size="compact-sm" variant="default" onClick={copy}>
          {copied ? 'Copied' : label}
        </Button>
      )}
    </CopyButton>
  );
}
