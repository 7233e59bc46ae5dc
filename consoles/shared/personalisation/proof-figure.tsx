import { Text } from '@mantine/core';
import type { Reply } from '../api/client.ts';
import { ProofPicture } from '../values/proof-picture.tsx';

/** A proof with what the service warns of; it says so when something was changed since. */
export function ProofFigure({
  proof: { proof_url: url, warnings },
  alt,
  isBehind,
}: {
  proof: Pick<Reply<'previewPersonalisation'>, 'proof_url' | 'warnings'>;
  alt: string;
  isBehind: boolean;
}) {
  return (
    <figure className="platen-trial-proof" data-behind={isBehind || undefined}>
      <ProofPicture url={url} alt={alt} />
      <figcaption>
        {isBehind ? <Text size="xs">Something was changed since. Show the proof again.</Text> : null}
        {warnings.map(({ path, message }) => (
          <Text key={`${path} ${message}`} size="xs" className="platen-note" role="note">
            {message}
          </Text>
        ))}
      </figcaption>
    </figure>
  );
}
