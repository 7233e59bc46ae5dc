import { randomBytes } from 'node:crypto';
import { SESSION_MS } from './session-times.ts';

const SECRET_BYTES = 32;
const SECRET = /^[A-Za-z0-9_-]{43}$/;

/** A new secret of a session: 256 random bits, which only the cookie holds. */
export function newSessionSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/** Whether a text can be the secret of a session. */
export function mayBeSessionSecret(text: string): boolean {
  return SECRET.test(text);
}

/**
 * The name of the cookie.
 * By its prefix a browser takes it over https only, for this host only, and for all paths (RFC 6265bis 4.1.3.2).
 */
export function sessionCookieName(baseUrl: string): string {
  return isHttps(baseUrl) ? '__Host-platen_session' : 'platen_session';
}

/** The header `Set-Cookie` that keeps a session in a browser. No script can read it. */
export function setSessionCookie(baseUrl: string, secret: string): string {
  return cookie(baseUrl, secret, SESSION_MS / 1_000);
}

/** The header `Set-Cookie` that removes it. */
export function clearSessionCookie(baseUrl: string): string {
  return cookie(baseUrl, '', 0);
}

/**
 * The secret in a header `Cookie`; undefined when it has none.
 * Of two cookies of the name one may be set by another host: neither counts.
 */
export function readSessionCookie(header: string | undefined, name: string): string | undefined {
  if (header === undefined || !header.includes(name)) return undefined;
  const values = header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  const [value] = values;
  return values.length === 1 && value !== undefined && mayBeSessionSecret(value) ? value : undefined;
}

/** `Lax`, so that people who return from a payment page or a shop are still signed in. */
function cookie(baseUrl: string, value: string, maxAgeSeconds: number): string {
  const parts = [`${sessionCookieName(baseUrl)}=${value}`, 'Path=/', `Max-Age=${maxAgeSeconds}`, 'HttpOnly'];
  return [...parts, 'SameSite=Lax', ...(isHttps(baseUrl) ? ['Secure'] : [])].join('; ');
}

function isHttps(baseUrl: string): boolean {
  return baseUrl.startsWith('https:');
}
