import { Skeleton, Text } from '@mantine/core';
import { useState } from 'react';

/** A large picture of what is printed: its place is kept until it is there, and words stand for one that has ended. */
export function ProofPicture({ url, alt }: { url: string; alt: string }) {
  const [seen, setSeen] = useState<{ readonly url: string; readonly isThere: boolean }>();
  const state = seen?.url === url ? seen : undefined;
  if (state?.isThere === false) {
    return (
      <Text size="sm" className="platen-note" role="note">
        The picture could not be loaded. It works for one hour: load the page again.
      </Text>
    );
  }
  return (
    <>
      {state === undefined ? <Skeleton height="18rem" radius="sm" aria-hidden /> : null}
      <img
        className="platen-proof"
        data-unseen={state === undefined || undefined}
        src={url}
        alt={alt}
        onLoad={() => setSeen({ url, isThere: true })}
        onError={() => setSeen({ url, isThere: false })}
      />
    </>
  );
}
