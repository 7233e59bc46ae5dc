import { IconShirt } from '@tabler/icons-react';
import { useState } from 'react';

/** A picture of the work; where there is none, or it cannot be loaded, a sign of the same size says so. */
export function Picture({ url, alt, size }: { url: string | null; alt: string; size: number }) {
  const [failedUrl, setFailedUrl] = useState<string>();
  if (url === null || url === failedUrl) {
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
      onError={() => setFailedUrl(url)}
    />
  );
}
