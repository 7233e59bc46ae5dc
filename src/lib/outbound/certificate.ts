import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import ipaddr from 'ipaddr.js';

/** What a certificate says, and who signs it. */
type Draft = {
  readonly subject: string;
  readonly issuer: string;
  readonly publicKey: KeyObject;
  readonly signer: KeyObject;
  /** First and last day from now. */
  readonly validDays: readonly [number, number];
  readonly extensions: readonly Buffer[];
};

/** Signs a certificate (X.509 version 3, RFC 5280) with ECDSA and SHA-256: PEM. */
export function certificateOf(draft: Draft): string {
  const algorithm = sequence(OID.ecdsaWithSha256);
  const body = sequence(
    tagged(0xa0, tagged(0x02, Buffer.from([2]))), // version 3
    tagged(0x02, Buffer.concat([Buffer.from([1]), randomBytes(15)])), // serial number, positive
    algorithm,
    commonName(draft.issuer),
    sequence(utcTime(draft.validDays[0]), utcTime(draft.validDays[1])),
    commonName(draft.subject),
    draft.publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(...draft.extensions)),
  );
  const signature = sign('sha256', body, draft.signer);
  const der = sequence(body, algorithm, tagged(0x03, Buffer.concat([Buffer.from([0]), signature])));
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

/** A new pair of keys on the curve P-256. */
export function newKeys(): { publicKey: KeyObject; privateKey: KeyObject } {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

function commonName(name: string): Buffer {
  return sequence(tagged(0x31, sequence(OID.commonName, tagged(0x0c, Buffer.from(name)))));
}

const DAY_MS = 86_400_000;

/** Two digits of the year: right until 2049. */
function utcTime(daysFromNow: number): Buffer {
  const digits = new Date(Date.now() + daysFromNow * DAY_MS).toISOString().replace(/\D/g, '');
  return tagged(0x17, Buffer.from(`${digits.slice(2, 14)}Z`));
}

/** The extensions of an authority that signs other certificates. */
export function authorityExtensions(): readonly Buffer[] {
  return [extension(OID.basicConstraints, sequence(bool(true))), extension(OID.keyUsage, KEY_CERT_SIGN)];
}

/** The extensions of a TLS server with these names and addresses, and nothing beyond. */
export function serverExtensions(hostnames: readonly string[], ips: readonly string[]): readonly Buffer[] {
  const names = [
    ...hostnames.map((hostname) => tagged(0x82, Buffer.from(hostname, 'ascii'))),
    ...ips.map((ip) => tagged(0x87, Buffer.from(ipaddr.parse(ip).toByteArray()))),
  ];
  return [extension(OID.subjectAltName, sequence(...names)), extension(OID.extendedKeyUsage, sequence(OID.serverAuth))];
}

function extension(oid: Buffer, value: Buffer): Buffer {
  return sequence(oid, bool(true), tagged(0x04, value));
}

function bool(value: boolean): Buffer {
  return tagged(0x01, Buffer.from([value ? 0xff : 0]));
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tagged(0x30, Buffer.concat(parts));
}

/** One DER value: a tag, the length in its shortest form, the content. */
function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const head =
    length < 0x80 ? [tag, length] : length < 0x100 ? [tag, 0x81, length] : [tag, 0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(head), content]);
}

const KEY_CERT_SIGN = tagged(0x03, Buffer.from([2, 0x04]));

const OID = {
  commonName: tagged(0x06, Buffer.from([0x55, 0x04, 0x03])),
  keyUsage: tagged(0x06, Buffer.from([0x55, 0x1d, 0x0f])),
  subjectAltName: tagged(0x06, Buffer.from([0x55, 0x1d, 0x11])),
  basicConstraints: tagged(0x06, Buffer.from([0x55, 0x1d, 0x13])),
  extendedKeyUsage: tagged(0x06, Buffer.from([0x55, 0x1d, 0x25])),
  serverAuth: tagged(0x06, Buffer.from([0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x01])),
  ecdsaWithSha256: tagged(0x06, Buffer.from([0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02])),
};
