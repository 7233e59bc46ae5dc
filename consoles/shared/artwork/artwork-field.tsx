import { Button, Group, Text, TextInput } from '@mantine/core';
import { type DragEvent, useContext, useEffect, useRef, useState } from 'react';
import { directLink } from './direct-link.ts';
import { leaverOf } from './leave-file.ts';
import { Uploads } from './uploads.ts';

/** A file on its way: how much has gone, or why a try came to nothing. */
type Sending = {
  readonly name: string;
  readonly part: number;
  readonly failure?: string;
  readonly again: () => void;
};

/**
 * Where the address of a picture is typed, or a file is left that gets one.
 * A share link is handed on as the address of the file at once, and shown so once the field is left. A file on its way
 * can be stopped, and one that failed sent again.
 */
export function ArtworkField({
  label,
  url,
  onChange,
  problem,
}: {
  label: string;
  url: string;
  onChange: (url: string) => void;
  /** The service's words about this picture. */
  problem: string | undefined;
}) {
  const chooser = useRef<HTMLInputElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const stop = useRef<AbortController>(undefined);
  const countUpload = useContext(Uploads);
  const [sending, setSending] = useState<Sending>();
  // A share link that was given, as long as the address is what it was turned into.
  const [shared, setShared] = useState<{ text: string; url: string; from: string; isTyping: boolean }>();
  const isShared = shared?.url === url;
  const shown = isShared && shared.isTyping ? shared.text : url;
  const link = directLink(shown);
  const from = link.kind === 'direct' ? link.from : isShared ? shared.from : undefined;
  const give = (text: string, isTyping: boolean): void => {
    const next = directLink(text);
    setShared(next.kind === 'direct' ? { ...next, text, isTyping } : undefined);
    onChange(next.kind === 'direct' ? next.url : text);
  };
  const isUnderWay = sending !== undefined && sending.failure === undefined;
  useEffect(() => () => stop.current?.abort(), []);
  // The focus was on a button that has gone with the file.
  const isShown = sending !== undefined;
  const wasShown = useRef(false);
  useEffect(() => {
    if (wasShown.current && !isShown && document.activeElement === document.body) button.current?.focus();
    wasShown.current = isShown;
  }, [isShown]);

  const run = async (file: File, leave: ReturnType<typeof leaverOf>): Promise<void> => {
    const stopping = new AbortController();
    stop.current = stopping;
    const now = { name: file.name, part: 0, again: () => void run(file, leave) };
    setSending(now);
    countUpload(1);
    try {
      const left = await leave({
        signal: stopping.signal,
        onProgress: (part) => !stopping.signal.aborted && setSending({ ...now, part }),
      });
      setSending(undefined);
      onChange(left);
    } catch (error) {
      const failure = error instanceof Error ? error.message : String(error);
      setSending(stopping.signal.aborted ? undefined : { ...now, failure });
    } finally {
      countUpload(-1);
    }
  };
  const choose = (file: File | undefined): void => {
    if (file !== undefined && !isUnderWay) void run(file, leaverOf(file));
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    choose(event.dataTransfer.files[0]);
  };
  const end = (): void => {
    stop.current?.abort();
    setSending(undefined);
  };
  return (
    <section
      className="platen-wide"
      aria-label={`Address or file: ${label}`}
      onDragOver={(event) => event.preventDefault()}
      onDrop={drop}
    >
      <Group gap="sm" align="flex-end" wrap="nowrap">
        <TextInput
          label={label}
          type="url"
          inputMode="url"
          autoComplete="off"
          placeholder="https://"
          style={{ flex: 1, minWidth: 0 }}
          value={shown}
          error={link.kind === 'wrong' ? link.why : (sending?.failure ?? problem)}
          onChange={({ currentTarget }) => {
            if (!isUnderWay) setSending(undefined);
            give(currentTarget.value, true);
          }}
          onBlur={() => link.kind === 'direct' && give(shown, false)}
        />
        <Button
          ref={button}
          variant="default"
          loading={isUnderWay}
          loaderProps={{ type: 'dots' }}
          aria-label={`Choose a file: ${label}`}
          onClick={() => chooser.current?.click()}
        >
          Choose a file
        </Button>
      </Group>
      <input
        ref={chooser}
        hidden
        type="file"
        accept="image/png,image/jpeg,image/webp"
        onChange={({ currentTarget }) => {
          choose(currentTarget.files?.[0]);
          currentTarget.value = '';
        }}
      />
      {sending === undefined ? null : <Way sending={sending} label={label} onStop={end} />}
      {from === undefined ? null : (
        <Text size="xs" c="dimmed" mt={4}>
          A share link of {from}: the file itself is fetched. Anyone with the link must be allowed to see it.
        </Text>
      )}
    </section>
  );
}

function Way({ sending, label, onStop }: { sending: Sending; label: string; onStop: () => void }) {
  const { name, part, failure, again } = sending;
  const percent = Math.floor(part * 100);
  return (
    <Group gap="sm" mt={6} wrap="nowrap">
      <Text size="xs" c="dimmed" truncate style={{ flex: 1, minWidth: 0 }}>
        {failure === undefined ? `${name}: ${percent}% sent` : `${name} was not left`}
      </Text>
      {failure === undefined ? (
        <progress className="platen-progress" value={percent} max={100} aria-label={`Sending ${name}`} />
      ) : null}
      {/* One button, so that it keeps the focus. */}
      <Button
        size="compact-xs"
        variant="default"
        aria-label={`${failure === undefined ? 'Stop' : 'Try again'}: ${label}`}
        onClick={failure === undefined ? onStop : again}
      >
        {failure === undefined ? 'Stop' : 'Try again'}
      </Button>
    </Group>
  );
}
