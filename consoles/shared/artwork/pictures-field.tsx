import { Button, Group, Text, Textarea } from '@mantine/core';
import { useContext, useEffect, useRef, useState } from 'react';
import { directLink } from './direct-link.ts';
import { leaverOf } from './leave-file.ts';
import { Uploads } from './uploads.ts';

/** Files on their way, one after the other. */
type Sending = { readonly name: string; readonly number: number; readonly of: number; readonly part: number };

/**
 * The pictures of a collage: their addresses, each on a line, or files that get one each.
 * The value is what the service takes: a list as JSON text, empty for no picture.
 */
export function PicturesField({
  label,
  value,
  picturesMax,
  problem,
  onChange,
}: {
  label: string;
  value: string;
  picturesMax: number;
  /** The service's words about these pictures. */
  problem: string | undefined;
  /** Changes the list from what it is by then: an upload ends long after its file was chosen. */
  onChange: (update: (before: string) => string) => void;
}) {
  const chooser = useRef<HTMLInputElement>(null);
  const stop = useRef<AbortController>(undefined);
  const countUpload = useContext(Uploads);
  const [sending, setSending] = useState<Sending>();
  const [failure, setFailure] = useState<string>();
  useEffect(() => () => stop.current?.abort(), []);

  const room = picturesMax - picturesOf(value).length;
  const leaveAll = async (files: readonly File[]): Promise<void> => {
    const stopping = new AbortController();
    stop.current = stopping;
    setFailure(undefined);
    countUpload(1);
    try {
      for (const [index, file] of files.entries()) {
        const now = { name: file.name, number: index + 1, of: files.length };
        setSending({ ...now, part: 0 });
        const left = await leaverOf(file)({
          signal: stopping.signal,
          onProgress: (part) => !stopping.signal.aborted && setSending({ ...now, part }),
        });
        onChange((before) => listOf([...picturesOf(before), left]));
      }
    } catch (error) {
      if (!stopping.signal.aborted) setFailure(error instanceof Error ? error.message : String(error));
    } finally {
      setSending(undefined);
      countUpload(-1);
    }
  };
  const choose = (chosen: readonly File[]): void => {
    if (chosen.length === 0 || sending !== undefined) return;
    if (chosen.length > room) {
      setFailure(`There is room for ${picturesMax} pictures; ${chosen.length} files were chosen beside what is there.`);
      return;
    }
    void leaveAll(chosen);
  };
  return (
    <section
      className="platen-wide"
      aria-label={`Addresses or files: ${label}`}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        choose([...event.dataTransfer.files]);
      }}
    >
      <Textarea
        label={label}
        description={`The addresses of up to ${picturesMax} pictures, each on a line; or choose files.`}
        rows={3}
        autoComplete="off"
        value={value === '' ? '' : (JSON.parse(value) as string[]).join('\n')}
        error={failure ?? problem}
        onChange={({ currentTarget: { value: typed } }) => {
          setFailure(undefined);
          onChange(() => (typed === '' ? '' : JSON.stringify(typed.split('\n'))));
        }}
        onBlur={() => onChange((before) => listOf(picturesOf(before).map((url) => directLink(url).url)))}
      />
      <Group gap="sm" mt={6} wrap="nowrap">
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`${sending === undefined ? 'Choose files' : 'Stop'}: ${label}`}
          disabled={sending === undefined && room <= 0}
          onClick={() => (sending === undefined ? chooser.current?.click() : stop.current?.abort())}
        >
          {sending === undefined ? 'Choose files' : 'Stop'}
        </Button>
        {sending === undefined ? null : (
          <>
            <Text size="xs" c="dimmed" truncate style={{ minWidth: 0 }}>
              {sending.number} of {sending.of}: {sending.name}
            </Text>
            <progress
              className="platen-progress"
              value={Math.floor(sending.part * 100)}
              max={100}
              aria-label={`Sending ${sending.name}`}
            />
          </>
        )}
      </Group>
      <input
        ref={chooser}
        hidden
        multiple
        type="file"
        accept="image/png,image/jpeg,image/webp"
        onChange={({ currentTarget }) => {
          choose([...(currentTarget.files ?? [])]);
          currentTarget.value = '';
        }}
      />
    </section>
  );
}

/** The addresses of the list that are any, without the spaces around them. */
function picturesOf(value: string): string[] {
  if (value === '') return [];
  return (JSON.parse(value) as string[]).map((url) => url.trim()).filter((url) => url !== '');
}

function listOf(urls: readonly string[]): string {
  return urls.length === 0 ? '' : JSON.stringify(urls);
}
