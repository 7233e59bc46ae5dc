import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Why a URL could not be used: the result codes of `POST /uploads/validate` that the fetch can give. */
export type FetchFailureCode = 'url' | 'scheme' | 'ssrf' | 'fetch' | 'size';

/** A refusal as a value; `message` is for the caller and says what to change. */
export type Refusal = { readonly kind: 'refused'; readonly code: FetchFailureCode; readonly message: string };

/** The server that a URL names, after the normalisation that every HTTP client applies. */
export type Target = {
  readonly kind: 'ok';
  /** Without its fragment. */
  readonly url: URL;
  /** Lower case, without the brackets of an IPv6 address and without a trailing dot. */
  readonly host: string;
  readonly port: number;
};

/** Signed URLs of object stores have two or three thousand characters. */
export const URL_LENGTH_MAX = 8_192;
const HTTPS_PORT = 443;

/**
 * Reads a URL by its form alone: https, at most 8,192 characters, no sign-in data.
 *
 * `subject` begins the message of a refusal (`The URL`). The host is the one that URL parsing yields, so 0x7f.1,
 * 127。0。0。1 and soft hyphens are judged as what would be contacted (spec 8, "Scheme" and "Host"; bad-input G 105, 106,
 * 111).
 */
export function readTarget(text: string, subject: string): Target | Refusal {
  if (hasSpaceOrControl(text)) return refusal('url', `${subject} must not contain spaces or control characters.`);
  const url = URL.parse(text);
  if (url === null && ZONE_ID.test(text))
    return refusal('ssrf', `${subject} must name a public host, without a zone id.`);
  if (url === null) return refusal('url', `${subject} must be a complete URL such as https://cdn.example/picture.png.`);
  if (url.protocol !== 'https:') return refusal('scheme', `${subject} must begin with https://.`);
  if (Array.from(text).length > URL_LENGTH_MAX)
    return refusal('url', `${subject} must have at most ${URL_LENGTH_MAX} characters.`);
  if (url.username !== '' || url.password !== '') {
    return refusal('url', `${subject} must not carry a user name or password.`);
  }
  url.hash = '';
  return { kind: 'ok', url, host: bareHost(url.hostname), port: url.port === '' ? HTTPS_PORT : Number(url.port) };
}

/** A host without the brackets of an IPv6 address and without the trailing dot of a name. */
export function bareHost(host: string): string {
  return host.replace(/^\[|\]$|\.$/g, '');
}

/**
 * Matches a zone id (`[fe80::1%eth0]`), which names an interface of this machine.
 * URL parsing knows no such host at all.
 */
const ZONE_ID = /^https:[/\\]*(?:[^/\\?#]*@)?\[[0-9a-f:.]*%/i;

/** URL parsing would drop these silently, and what we log, store and fetch must be the same text. */
function hasSpaceOrControl(text: string): boolean {
  for (const character of text) {
    if (character <= ' ' || character === '\u007f') return true;
  }
  return false;
}

/** A target that must not be contacted, with the code and the message for the caller. */
export function refusal(code: FetchFailureCode, message: string): Refusal {
  return { kind: 'refused', code, message };
}

/**
 * `host:port` as `TRUSTED_PRIVATE_HOSTS` writes it, in the one spelling that URL parsing gives;
 * undefined if it is none.
 */
export function canonicalHostPort(hostPort: string): string | undefined {
  const target = readTarget(`https://${hostPort}`, '');
  return target.kind === 'ok' ? hostPortOf(target) : undefined;
}

/** A target as `host:port`, an IPv6 address in brackets. */
export function hostPortOf(target: Pick<Target, 'host' | 'port'>): string {
  return target.host.includes(':') ? `[${target.host}]:${target.port}` : `${target.host}:${target.port}`;
}

/**
 * Whether a name can only be a private one.
 *
 * That is a single label or a top-level name reserved for private use (RFC 6761, 6762, 7686 and 8375, and `internal`).
 * These are refused without a look-up, so no answer shows which internal names exist.
 */
export function isPrivateName(host: string): boolean {
  if (isIP(host) !== 0) return false;
  return !host.includes('.') || PRIVATE_NAME_ENDINGS.some((ending) => host.endsWith(ending));
}

const PRIVATE_NAME_ENDINGS = ['.localhost', '.local', '.internal', '.home.arpa', '.onion'];

/**
 * Whether an IP address, as a resolver or a socket gives it, is one of the public internet.
 *
 * IPv4: whatever the special-purpose registry (RFC 6890 and its updates) does not list. IPv6: global unicast without
 * that registry's ranges, so forms that carry an IPv4 address (mapped, compatible, NAT64, 6to4, Teredo, ISATAP) are not
 * public. What cannot be read is not public either (spec 8, "Host"; bad-input, finding 3).
 */
export function isPublicAddress(address: string): boolean {
  // The parser below also reads octal and short forms; a resolver never writes those, and zone ids are local by nature.
  if (isIP(address) === 0 || address.includes('%')) return false;
  const ip = ipaddr.parse(address);
  // `unicast` is the library's word for an address in no range of the registry. Three cases are in no registry.
  if (ip.range() !== 'unicast') return false;
  return ip instanceof ipaddr.IPv4 ? address !== AZURE_HOST : ip.match(GLOBAL_UNICAST) && !isIsatap(ip.toByteArray());
}

/** A public-looking address that one cloud answers on inside every machine. */
const AZURE_HOST = '168.63.129.16';

/** IANA has given out no other part of IPv6. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether an address is ISATAP (RFC 5214).
 * That is an interface id of 0000:5efe or 0200:5efe, then an IPv4 address, behind any prefix.
 */
function isIsatap(bytes: readonly number[]): boolean {
  // The two lowest bits of the first byte mean "universal" and "group", and may have any value.
  return ((bytes[8] ?? 0) & 0xfc) === 0 && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe;
}

/** Whether two spellings mean one IP address; false if either is none. */
export function isSameAddress(one: string, other: string): boolean {
  if (isIP(one) === 0 || isIP(other) === 0) return false;
  return ipaddr.parse(one).toNormalizedString() === ipaddr.parse(other).toNormalizedString();
}
