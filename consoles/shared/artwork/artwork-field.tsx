import { Button, Group, Text, TextInput } from '@mantine/core';
import { type DragEvent, useContext, useRef, useState } from 'react';
import { leaveFile } from '../api/client.ts';
import { directLink } from './direct-link.ts';
import { Uploads } from './uploads.ts';

/**
 * Where the address of a picture is typed, or a file is left that gets one.
 * A share link is turned into the address of the file.
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
  const countUpload = useContext(Uploads);
  const [isSending, setSending] = useState(false);
  const [refusal, setRefusal] = useState<string>();
  const link = directLink(url);
  const leave = async (file: File | undefined): Promise<void> => {
    if (file === undefined || isSending) return;
    setSending(true);
    countUpload(1);
    setRefusal(undefined);
    try {
      onChange(await leaveFile(file));
    } catch (error) {
      setRefusal(error instanceof Error ? error.message : String(error));
    } finally {
      setSending(false);
      countUpload(-1);
    }
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    void leave(event.dataTransfer.files[0]);
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
          value={url}
          error={link.kind === 'wrong' ? link.why : (refusal ?? problem)}
          onChange={({ currentTarget }) => {
            setRefusal(undefined);
            onChange(currentTarget.value);
          }}
          onBlur={() => link.kind === 'direct' && onChange(link.url)}
        />
        <Button
          variant="default"
          loading={isSending}
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
          void leave(currentTarget.files?.[0]);
          currentTarget.value = '';
        }}
      />
      {link.kind === 'direct' ? (
        <Text size="xs" c="dimmed" mt={4}>
          A share link of {link.from}: the file itself is fetched. Anyone with the link must be allowed to see it.
        </Text>
      ) : null}
    </section>
  );
}
