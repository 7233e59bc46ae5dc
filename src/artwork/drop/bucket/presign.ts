import { createHash, createHmac } from 'node:crypto';
import type { DropBucket } from '../../../lib/settings/drop.ts';

/** One request to a bucket that its address permits. */
export type Presigned = {
  readonly method: 'GET' | 'PUT';
  /** The key of an object; empty for the bucket itself. */
  readonly key: string;
  /** Parameters beside those of the signature. */
  readonly query?: Readonly<Record<string, string>>;
  /** Headers that the request must have exactly so; names in small letters. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly seconds: number;
  readonly now: Date;
};

const ALGORITHM = 'AWS4-HMAC-SHA256';

/**
 * Signs the address of one request to a bucket (Signature Version 4, in the query).
 * Who has the address may send that request until its seconds are over, so it is a secret as long.
 */
export function presign(
  bucket: DropBucket,
  { method, key, query = {}, headers = {}, seconds, now }: Presigned,
): string {
  const at = now.toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const scope = `${at.slice(0, 8)}/${bucket.region}/s3/aws4_request`;
  const { host, origin, pathname } = new URL(bucket.url);
  const signed = sorted({ ...headers, host });
  const names = signed.map(([name]) => name).join(';');
  const path = `${pathname === '/' ? '' : pathname}/${key.split('/').map(encode).join('/')}`;
  const parameters = sorted({
    ...query,
    'X-Amz-Algorithm': ALGORITHM,
    'X-Amz-Credential': `${bucket.keyId}/${scope}`,
    'X-Amz-Date': at,
    'X-Amz-Expires': String(seconds),
    'X-Amz-SignedHeaders': names,
  });
  const search = parameters.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&');
  const lines = signed.map(([name, value]) => `${name}:${value}\n`).join('');
  const request = [method, path, search, lines, names, 'UNSIGNED-PAYLOAD'].join('\n');
  const text = [ALGORITHM, at, scope, createHash('sha256').update(request).digest('hex')].join('\n');
  const signature = scope
    .split('/')
    .reduce<string | Buffer>((secret, part) => hmac(secret, part), `AWS4${bucket.secret}`);
  return `${origin}${path}?${search}&X-Amz-Signature=${hmac(signature, text).toString('hex')}`;
}

function hmac(secret: string | Buffer, text: string): Buffer {
  return createHmac('sha256', secret).update(text).digest();
}

/** By the bytes of the names, as the signature has them. */
function sorted(values: Readonly<Record<string, string>>): [name: string, value: string][] {
  return Object.entries(values).toSorted(([one], [other]) => (one < other ? -1 : 1));
}

/** RFC 3986: what `encodeURIComponent` leaves as it is and the signature does not. */
function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
}
