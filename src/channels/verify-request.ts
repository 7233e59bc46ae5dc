import { createHmac, timingSafeEqual } from 'node:crypto';

/** How far the clock of a shop may be off, and how old a request may be. */
const TOLERANCE_SECONDS = 300;
const ID_MAX = 200;
const SECRET_PREFIX = 'whsec_';

/** The headers of a request by the Standard Webhooks specification, as far as they are there. */
export type SignedHeaders = {
  readonly id: string | undefined;
  readonly timestamp: string | undefined;
  readonly signature: string | undefined;
};

/**
 * Whether a request was signed with one of the secrets, over its exact bytes, within five minutes.
 * By the Standard Webhooks specification: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`, keyed by the
 * bytes that the secret encodes; several signatures are separated by blanks. Compared in constant time. Pure.
 */
export function isSigned(headers: SignedHeaders, body: Buffer, secrets: readonly string[], now: Date): boolean {
  const { id, timestamp, signature } = headers;
  if (id === undefined || id.length > ID_MAX || timestamp === undefined || signature === undefined) return false;
  if (!/^\d{1,12}$/.test(timestamp)) return false;
  if (Math.abs(now.getTime() / 1_000 - Number(timestamp)) > TOLERANCE_SECONDS) return false;
  const given = signature
    .split(' ')
    .slice(0, SIGNATURES_MAX)
    .flatMap((each) => (each.startsWith('v1,') ? [Buffer.from(each.slice(3), 'base64')] : []));
  return secrets.some((secret) => {
    const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
    const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
    return given.some((each) => each.length === expected.length && timingSafeEqual(each, expected));
  });
}

/** More than a rotation needs. */
const SIGNATURES_MAX = 5;
