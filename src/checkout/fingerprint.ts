import { positionOf } from '../artwork/recipe.ts';
import { requestColumns } from '../orders/order-columns.ts';
import type { PlaceOrderBody, PlaceOrderItem } from '../orders/schema.ts';

/**
 * The parts of a request that an order is not compared with by its own columns.
 * Its address may change, and what its lines print is stored as what came of it. Each is a keyed digest of 8 bytes
 * that includes the external reference, so that two orders to one address do not show it.
 */
export type Fingerprint = {
  readonly isDefaultShipping: boolean;
  readonly shippingAddress: string;
  readonly billingAddress: string;
  /** What each line prints, in the order of the lines. */
  readonly prints: readonly string[];
};

const DIGEST_BYTES = 8;
/** Changes with the normal form of a part; a fingerprint of another version is not compared. */
const VERSION = 2;

/** Makes the digest of a part of the orders with one reference, in hex. */
export type Digest = (part: string, value: unknown) => string;

/** Makes digests by one key for the orders with one external reference. */
export function digestOf(keyed: (text: string) => Buffer, externalReference: string): Digest {
  // Most lines of a large order ask for the same prints.
  const known = new Map<string, string>();
  return (part, value) => {
    const text = JSON.stringify(['order fingerprint', VERSION, externalReference, part, value]);
    const digest = known.get(text) ?? keyed(text).toString('hex', 0, DIGEST_BYTES);
    known.set(text, digest);
    return digest;
  };
}

/** The digests of a request. */
export function fingerprintOf(digest: Digest, body: PlaceOrderBody, isDefaultShipping: boolean): Fingerprint {
  const { shipping_address: shipping, billing_address: billing } = requestColumns(body);
  return {
    isDefaultShipping,
    shippingAddress: addressDigest(digest, shipping),
    billingAddress: addressDigest(digest, billing),
    prints: body.items.map((item) => printDigest(digest, item)),
  };
}

/** The digest of an address in the form in which orders keep it. */
export function addressDigest(digest: Digest, address: object): string {
  // Left out where it was not given, as in the digests of versions that did not know it.
  const members = Object.entries(address).filter(([name, value]) => name !== 'email' || value !== '');
  return digest('address', members.toSorted(byName));
}

/** The digest of what a line asks to print, from its own artwork, inputs or `print_jobs`. */
export function printDigest(digest: Digest, { decoration, print_jobs: printJobs }: Partial<PlaceOrderItem>): string {
  // Beside a decoration, print_jobs is ignored (spec 4.1 rule 4).
  if (decoration?.areas !== undefined) {
    const areas = decoration.areas.map((area) => [
      jobName(area.print_area, area.method),
      unsignedUrl(area.artwork_url),
      // Left out where none was given, as in the digests of versions that did not know it.
      ...(area.position === undefined ? [] : [JSON.stringify(Object.values(positionOf(area.position)))]),
    ]);
    return digest('areas', areas.map((area) => area.join(' ')).toSorted());
  }
  if (decoration?.personalisation !== undefined) {
    // A null leaves a layer empty, as leaving it out does.
    const inputs = Object.entries(decoration.personalisation.inputs).flatMap(([key, value]) =>
      value === null ? [] : [[key, value.replaceAll(URLS, unsignedUrl)] as const],
    );
    return digest('inputs', inputs.toSorted(byName));
  }
  return digest('print_jobs', printJobs === undefined ? null : jobNames(printJobs));
}

/** What some print jobs are, whatever their order. */
export function jobNames(jobs: readonly { readonly area: string; readonly method: string }[]): string[] {
  return jobs.map(({ area, method }) => jobName(area, method)).toSorted();
}

function jobName(area: string, method: string): string {
  return JSON.stringify([area, method]);
}

/** Addresses in an input: one alone, or several in the JSON text of a photo collage. */
const URLS = /https?:\/\/[^\s"]+/g;

/**
 * An address without its fragment and what signs it.
 * A retry often has the same file by a new signature. The rest of a query says which file it is.
 */
function unsignedUrl(url: string): string {
  const [address = '', query = ''] = url.replace(/#.*$/s, '').split(/\?(.*)/s);
  const kept = query.split('&').filter((part) => part !== '' && !SIGNING.test(part.replace(/=.*$/s, '')));
  return [address, ...kept].join('\n');
}

/** Names of parameters by which usual stores sign an address and bound its time. */
const SIGNING = new RegExp(
  `^(?:${[
    'x-amz-.*|awsaccesskeyid|x-goog-.*|googleaccessid|ossaccesskeyid|key-pair-id|policy',
    // Shared access signatures.
    'se|sip|sp|spr|sr|st|sv|ske|skoid|sks|skt|sktid|skv',
    'expires?|expiry|exp|ex|is|hm|hmac|s|sig|sign|signature|token|security-token',
  ].join('|')})$`,
  'i',
);

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** A fingerprint as the bytes of its column, in PostgreSQL's hex notation. */
export function fingerprintBytes(digest: Digest, fingerprint: Fingerprint): string {
  const { isDefaultShipping, shippingAddress, billingAddress, prints } = fingerprint;
  const flags = isDefaultShipping ? '01' : '00';
  return `\\x${[keyMark(digest), flags, shippingAddress, billingAddress, ...prints].join('')}`;
}

/**
 * Reads the bytes of the column.
 * Undefined for those of another version or another key, which compare with nothing.
 */
export function readFingerprint(digest: Digest, bytes: Buffer): Fingerprint | undefined {
  const hex = bytes.toString('hex');
  const mark = keyMark(digest);
  if (!hex.startsWith(mark)) return undefined;
  const flags = hex.slice(mark.length, mark.length + 2);
  const [shippingAddress = '', billingAddress = '', ...prints] =
    hex.slice(mark.length + 2).match(new RegExp(`.{${2 * DIGEST_BYTES}}`, 'g')) ?? [];
  return { isDefaultShipping: flags === '01', shippingAddress, billingAddress, prints };
}

/** Tells fingerprints of this version and this key from others. */
function keyMark(digest: Digest): string {
  return digest('mark', null).slice(0, 8);
}
