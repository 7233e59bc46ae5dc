import { Button, Code, CopyButton } from '@mantine/core';

/** A text as a program has it, with a button that copies it. */
export function TextBlock({ text, label }: { text: string; label: string }) {
  return (
    <div className="platen-text-block">
      {/* Focusable, so that a long one can be scrolled by keyboard. */}
      <Code block className="platen-wrapped" tabIndex={0} role="region" aria-label={label}>
        {text}
      </Code>
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <Button size="compact-xs" variant="default" onClick={copy} aria-label={`Copy: ${label}`}>
            {copied ? 'Copied' : 'Copy'}
          </Button>
        )}
      </CopyButton>
    </div>
  );
}

/** What was sent, as a person reads it. */
export function jsonOf(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
