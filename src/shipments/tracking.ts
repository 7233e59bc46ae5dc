import type { Problem } from '../lib/errors.ts';

/**
 * Checks a tracking address: it must be a URL without a user name or password.
 * The schema has checked no more than its pattern.
 */
export function trackingUrlProblems(body: { readonly tracking_url?: string | null }): Problem[] {
  if (body.tracking_url === undefined || body.tracking_url === null) return [];
  const url = URL.parse(body.tracking_url);
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  if (isPlain) return [];
  return [{ path: 'tracking_url', code: 'url', message: 'must be an http or https address without a user name.' }];
}

/**
 * Requires a tracking number for a parcel of an order that was placed with a tracked service.
 * A service without tracking needs none.
 */
export function trackingNumberProblems(
  trackingNumber: string,
  shipping: { readonly service: string; readonly tracked: boolean },
): Problem[] {
  if (trackingNumber !== '' || !shipping.tracked) return [];
  const message = `is required: this order was placed with ${shipping.service}, which is tracked.`;
  return [{ path: 'tracking_number', code: 'required', message }];
}

/** Formats who carries a parcel and, if it can be tracked, under which number. */
export function inOneLine(parcel: { readonly carrier: string; readonly tracking_number?: string }): string {
  return [parcel.carrier, parcel.tracking_number ?? ''].filter((part) => part !== '').join(' ');
}
