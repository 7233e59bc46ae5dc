import { Text, TextInput } from '@mantine/core';
import { directLink } from './direct-link.ts';

/** Where the address of a picture is typed. A share link is turned into the address of the file. */
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
  const link = directLink(url);
  const fit = (): void => {
    if (link.kind === 'direct') onChange(link.url);
  };
  return (
    <div className="platen-wide">
      <TextInput
        label={label}
        type="url"
        inputMode="url"
        autoComplete="off"
        placeholder="https://"
        value={url}
        error={link.kind === 'wrong' ? link.why : problem}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
        onBlur={fit}
      />
      {link.kind === 'direct' ? (
        <Text size="xs" c="dimmed" mt={4}>
          A share link of {link.from}: the file itself is fetched. Anyone with the link must be allowed to see it.
        </Text>
      ) : null}
    </div>
  );
}
