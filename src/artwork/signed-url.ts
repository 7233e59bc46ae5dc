import type { Secrets } from '../lib/secrets.ts';

/** How long a signed download works (spec 2.3: one hour from the response). */
export const SIGNED_URL_SECONDS = 3_600;

/** The address of stored bytes for an hour, with its expiry (Unix seconds) and a signature over both in the query. */
export function signedUrl(secrets: Pick<Secrets, 'sign'>, baseUrl: string, hash: string, now: Date): string {
  const expires = Math.floor(now.getTime() / 1_000) + SIGNED_URL_SECONDS;
  return `${baseUrl}/files/${hash}?expires=${expires}&signature=${secrets.sign(materialOf(hash, expires))}`;
}

/** Whether a download was signed by us and has not expired. The signature covers the hash and the expiry. */
export function isSignedUrl(
  secrets: Pick<Secrets, 'verify'>,
  download: { hash: string; expires: string; signature: string },
  now: Date,
): boolean {
  if (!/^[0-9a-f]{64}$/.test(download.hash) || !/^\d{1,12}$/.test(download.expires)) return false;
  const expires = Number(download.expires);
  return secrets.verify(materialOf(download.hash, expires), download.signature) && now.getTime() <= expires * 1_000;
}

function materialOf(hash: string, expires: number): string {
  return `file:${hash}:${expires}`;
}
