import type { Secrets } from '../lib/secrets.ts';
import { isSafeFileName, safeFileName } from '../lib/text/file-name.ts';

/** How long a signed download works (spec 2.3: one hour from the response). */
export const SIGNED_URL_SECONDS = 3_600;

/**
 * The URL of stored bytes for an hour.
 * Its query has the expiry (Unix seconds) and a signature over both.
 */
export function signedUrl(secrets: Pick<Secrets, 'sign'>, baseUrl: string, hash: string, now: Date): string {
  const expires = Math.floor(now.getTime() / 1_000) + SIGNED_URL_SECONDS;
  return `${baseUrl}/files/${hash}?expires=${expires}&signature=${signatureOf(secrets, materialOf(hash, expires), expires)}`;
}

/** Signatures of one second that are remembered: the lines of an order often have the same files. */
const REMEMBERED_MAX = 100;

type Remembered = { expires: number; readonly byMaterial: Map<string, string> };

const remembered = new WeakMap<object, Remembered>();

/** The signature over a text that has the expiry in it. */
export function signatureOf(secrets: Pick<Secrets, 'sign'>, material: string, expires: number): string {
  let signed = remembered.get(secrets);
  if (signed?.expires !== expires || signed.byMaterial.size >= REMEMBERED_MAX) {
    signed = { expires, byMaterial: new Map() };
    remembered.set(secrets, signed);
  }
  const signature = signed.byMaterial.get(material) ?? secrets.sign(material);
  signed.byMaterial.set(material, signature);
  return signature;
}

/** As `signedUrl`, for a file that is saved under a name. The signature covers the name too. */
export function signedUrlNamed(
  secrets: Pick<Secrets, 'sign'>,
  baseUrl: string,
  file: { readonly hash: string; readonly fileName: string },
  now: Date,
): string {
  const expires = Math.floor(now.getTime() / 1_000) + SIGNED_URL_SECONDS;
  const name = safeFileName(file.fileName);
  const signature = secrets.sign(materialOf(file.hash, expires, name));
  return `${baseUrl}/files/${file.hash}?expires=${expires}&name=${name}&signature=${signature}`;
}

/**
 * Whether we signed a download and it has not expired.
 * The signature covers the hash, the expiry and the name if there is one.
 */
export function isSignedUrl(
  secrets: Pick<Secrets, 'verify'>,
  download: { hash: string; expires: string; name?: string | undefined; signature: string },
  now: Date,
): boolean {
  const { hash, name } = download;
  if (!/^[0-9a-f]{64}$/.test(hash) || !/^\d{1,12}$/.test(download.expires)) return false;
  if (name !== undefined && !isSafeFileName(name)) return false;
  const expires = Number(download.expires);
  return secrets.verify(materialOf(hash, expires, name), download.signature) && now.getTime() <= expires * 1_000;
}

function materialOf(hash: string, expires: number, name?: string): string {
  return ['file', hash, expires, ...(name === undefined ? [] : [name])].join(':');
}
