import Negotiator from 'negotiator';

/**
 * Whether an `Accept` header (RFC 9110, 12.5.1) prefers a media type to JSON.
 * A header that does not name the media type, or accepts both equally, gets JSON: a wildcard asks for nothing in
 * particular.
 */
export function prefersMediaType(accept: string | undefined, mediaType: string): boolean {
  if (accept?.toLowerCase().includes(mediaType) !== true) return false;
  const negotiator = new Negotiator({ headers: { accept } });
  return negotiator.mediaType(['application/json', mediaType]) === mediaType;
}
