import { IconShirt } from '@tabler/icons-react';
import { useEffect, useState } from 'react';

/** A picture that is drawn when it is first asked for may not be there in time: it is asked for again after so long. */
const AGAIN_MS = [3_000, 10_000] as const;

type Failed = { readonly url: string; readonly times: number; readonly isWaiting: boolean };

/** A picture of the work; where there is none, or it cannot be loaded, a sign of the same size says so. */
export function Picture({ url, alt, size }: { url: string | null; alt: string; size: number }) {
  const [failed, setFailed] = useState<Failed>();
  const own = failed?.url === url ? failed : undefined;
  const againMs = own?.isWaiting === true ? AGAIN_MS[own.times - 1] : undefined;
  useEffect(() => {
    if (againMs === undefined) return undefined;
    const timer = setTimeout(() => setFailed((before) => before && { ...before, isWaiting: false }), againMs);
    return () => clearTimeout(timer);
  }, [againMs]);
  if (url === null || own?.isWaiting === true) {
    return (
      <span
        className="platen-picture"
        data-missing
        role="img"
        aria-label={`${alt}: no picture`}
        style={{ width: size, height: size }}
      >
        <IconShirt size={Math.round(size / 2)} stroke={1.4} aria-hidden />
      </span>
    );
  }
  return (
    <img
      className="platen-picture"
      src={url}
      alt={alt}
      width={size}
      height={size}
      loading="lazy"
      decoding="async"
      onError={() => setFailed({ url, times: (own?.times ?? 0) + 1, isWaiting: true })}
    />
  );
}
