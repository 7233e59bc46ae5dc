import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

// Codes by time (RFC 6238) as every app for them makes: HMAC-SHA-1, six digits, a new one each 30 seconds.

/** 160 bits, as long as the hash (RFC 4226 4, R6). */
const SECRET_BYTES = 20;
const STEP_MS = 30_000;
const DIGITS = 6;
/** A phone whose clock is off, or a person who types slowly: one code earlier and one later count, too. */
const STEPS_AROUND = 1;
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const BASE32_BITS = 5;

/** A new secret in base32, as apps take it. */
export function newTotpSecret(): string {
  return toBase32(randomBytes(SECRET_BYTES));
}

/** The code of a secret at a step of 30 seconds since 1970. */
export function totpCode(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac('sha1', fromBase32(secret)).update(counter).digest();
  const offset = (digest.at(-1) ?? 0) & 0xf;
  const number = (digest.readUInt32BE(offset) & 0x7fffffff) % 10 ** DIGITS;
  return String(number).padStart(DIGITS, '0');
}

/** The step of a time. */
export function totpStep(now: Date): number {
  return Math.floor(now.getTime() / STEP_MS);
}

/**
 * The step whose code this is, of those around now and after the last one that was taken.
 * Undefined when it is none: so no code counts twice.
 */
export function matchTotp(secret: string, code: string, { now, lastStep }: { now: Date; lastStep: number }) {
  const present = totpStep(now);
  for (let step = present - STEPS_AROUND; step <= present + STEPS_AROUND; step += 1) {
    if (step > lastStep && isSame(totpCode(secret, step), code)) return step;
  }
  return undefined;
}

/** What an app reads off a picture or takes as text, by the form that all of them understand. */
export function otpauthUrl(secret: string, { issuer, email }: { issuer: string; email: string }): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(email)}`;
  const rest = new URLSearchParams({ secret, issuer, algorithm: 'SHA1', digits: String(DIGITS), period: '30' });
  // Apps read a plus sign as one.
  return `otpauth://totp/${label}?${rest.toString().replaceAll('+', '%20')}`;
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function toBase32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{5}/g) ?? []).map((five) => BASE32[Number.parseInt(five, 2)]).join('');
}

function fromBase32(text: string): Buffer {
  const bits = Array.from(text, (each) => BASE32.indexOf(each).toString(2).padStart(BASE32_BITS, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((eight) => Number.parseInt(eight, 2)));
}
