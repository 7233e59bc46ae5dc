import Negotiator from 'negotiator';

/**
 * Whether an `Accept` header (RFC 9110, 12.5.1) prefers a media type to JSON.
 * A header that accepts both equally, or any type, gets JSON.
 */
export function prefersMediaType(accept: string | undefined, mediaType: string): boolean {
  const negotiator = new Negotiator({ headers: { accept } });
  return negotiator.mediaType(['application/json', mediaType]) === mediaType;
}
