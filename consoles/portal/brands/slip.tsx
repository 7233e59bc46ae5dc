import type { Reply } from '../../shared/api/client.ts';

type Brand = Reply<'getBrand'>;

/** The logo as it is printed: on white, whatever the colours of the page. */
export function Logo({ brand: { name, logo_url: url } }: { brand: Pick<Brand, 'name' | 'logo_url'> }) {
  return (
    <span className="platen-logo" data-missing={url === null || undefined}>
      {url === null ? (
        <span aria-hidden>{name.slice(0, 1)}</span>
      ) : (
        <img className="platen-logo-picture" src={url} alt={`Logo of ${name}`} />
      )}
    </span>
  );
}

/** Opens the packing slip as it will be printed, beside the portal. */
export function SlipLink({ brand: { id, name } }: { brand: Pick<Brand, 'id' | 'name'> }) {
  return (
    <a
      className="platen-link"
      href={`/portal/api/v1/brands/${encodeURIComponent(id)}/packing-slip`}
      target="_blank"
      rel="noopener"
      aria-label={`See the slip of ${name}, a PDF in a new tab`}
    >
      See the slip
    </a>
  );
}
