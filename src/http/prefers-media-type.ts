import Negotiator from 'negotiator';

/**
 * Whether an `Accept` header (RFC 9110, 12.5.1) asks for a media type rather than for JSON. A
 * header that wants both equally, or any type, gets JSON.
 */
export function prefersMediaType(accept: string | undefined, mediaType: string): boolean {
  const negotiator = new Negotiator({ headers: { accept } });
  return negotiator.mediaType(['application/json', mediaType]) === mediaType;
}
