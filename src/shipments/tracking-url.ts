import type { Problem } from '../lib/errors.ts';

/** A problem when a tracking address that looks like one cannot be read as a URL, or carries a user name or password. */
export function trackingUrlProblems(body: { readonly tracking_url?: string | null }): Problem[] {
  if (body.tracking_url === undefined || body.tracking_url === null) return [];
  const url = URL.parse(body.tracking_url);
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  if (isPlain) return [];
  return [{ path: 'tracking_url', code: 'url', message: 'must be an http or https address without a user name.' }];
}
