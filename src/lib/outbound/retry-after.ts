import type { Dispatcher } from 'undici';

/**
 * Both forms of `Retry-After` (RFC 9110, 10.2.3); a time of day is read by the answer's own `Date`,
 * not by our clock.
 */
export function retryAfterOf(headers: Dispatcher.ResponseData['headers']): { retryAfterSeconds?: number } {
  const value = String(headers['retry-after'] ?? '').trim();
  const seconds = /^\d{1,9}$/.test(value)
    ? Number(value)
    : Math.ceil((Date.parse(value) - Date.parse(String(headers.date ?? ''))) / 1_000);
  return seconds >= 0 ? { retryAfterSeconds: seconds } : {};
}
