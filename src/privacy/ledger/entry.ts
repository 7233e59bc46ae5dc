import { createHmac } from 'node:crypto';
import type { Uuid } from '../../lib/ids.ts';
import { emailKey, phoneKey } from '../../orders/search/contact-keys.ts';
import { compact, wordsOf } from '../../orders/search/search-terms.ts';

// What is erased, as keyed hashes: without its key a reader of the ledger learns nothing from it, and with the key can
// only ask whether a person was erased.

export const ERASURE_SCOPES = ['order', 'recipient', 'account'] as const;
export type ErasureScope = (typeof ERASURE_SCOPES)[number];

/** A line of the ledger. Hashes are in hex. */
export type LedgerEntry = {
  readonly position: number;
  readonly at: Date;
  readonly scope: ErasureScope;
  readonly erasureId: Uuid;
  readonly hash: string;
  /** Of this line and the one before it, so that none can be changed, removed or put between. */
  readonly mac: string;
};

/** A recipient, named in one of three ways. */
export type RecipientName =
  | { readonly kind: 'name'; readonly name: string; readonly postcode: string }
  | { readonly kind: 'email'; readonly email: string }
  | { readonly kind: 'phone'; readonly phone: string };

type NamedAddress = {
  readonly contact_name: string;
  readonly postcode: string;
  readonly phone?: string;
  readonly email?: string;
};

const SEPARATOR = '\n';

/** The keyed hash of an order (hex). */
export function orderHash(key: Buffer, accountId: Uuid, orderId: Uuid): string {
  return hashOf(key, ['order', accountId, orderId]);
}

/** The keyed hash of an account (hex). */
export function accountHash(key: Buffer, accountId: Uuid): string {
  return hashOf(key, ['account', accountId]);
}

/**
 * The keyed hash of a recipient of an account (hex), in any letter case and spacing.
 */
export function recipientHash(key: Buffer, accountId: Uuid, recipient: RecipientName): string {
  return hashOf(key, ['recipient', accountId, recipientKey(recipient)]);
}

/** The normal form of a recipient: of two with the same one, each is the other. */
export function recipientKey(recipient: RecipientName): string {
  if (recipient.kind === 'email') return `email:${emailKey(recipient.email)}`;
  if (recipient.kind === 'phone') return `phone:${phoneKey(recipient.phone)}`;
  return `name:${wordsOf(recipient.name).toSorted().join(' ')}|${compact(recipient.postcode)}`;
}

/** The normal forms of all names under which the recipient of an address may be erased. */
export function recipientKeysOf(address: NamedAddress): string[] {
  const { contact_name: name, postcode, phone = '', email = '' } = address;
  return [
    ...(wordsOf(name).length === 0 || compact(postcode) === '' ? [] : [recipientKey({ kind: 'name', name, postcode })]),
    ...(phoneKey(phone) === '' ? [] : [recipientKey({ kind: 'phone', phone })]),
    ...(emailKey(email) === '' ? [] : [recipientKey({ kind: 'email', email })]),
  ];
}

/** The keyed hashes of all names of the recipient of an address (hex). */
export function recipientHashesOf(key: Buffer, accountId: Uuid, address: NamedAddress): string[] {
  return recipientKeysOf(address).map((name) => hashOf(key, ['recipient', accountId, name]));
}

/** The mac of a line (hex), given that of the line before, `""` for the first. */
export function macOf(
  key: Buffer,
  before: string,
  { position, at, scope, erasureId, hash }: Omit<LedgerEntry, 'mac'>,
): string {
  return hashOf(key, ['line', before, String(position), at.toISOString(), scope, erasureId, hash]);
}

function hashOf(key: Buffer, parts: readonly string[]): string {
  return createHmac('sha256', key).update(parts.join(SEPARATOR)).digest('hex');
}

const WIDTHS = { position: 12, scope: 9 } as const;
const LINE =
  /^(\d{12}) (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) (order|recipient|account) *([0-9a-f-]{36}) ([0-9a-f]{64}) ([0-9a-f]{64})\n$/;

/** How long each line is: the place of a line follows from its position. */
export const LINE_BYTES = 215;

/** The line of an entry, of `LINE_BYTES` bytes. */
export function ledgerLine(entry: LedgerEntry): string {
  const { position, at, scope, erasureId, hash, mac } = entry;
  return `${String(position).padStart(WIDTHS.position, '0')} ${at.toISOString()} ${scope.padEnd(WIDTHS.scope)} ${erasureId} ${hash} ${mac}\n`;
}

/** The entry of a line; undefined when it is none. */
export function entryOf(line: string): LedgerEntry | undefined {
  const [, position, at, scope, erasureId, hash, mac] = LINE.exec(line) ?? [];
  if (line.length !== LINE_BYTES || hash === undefined || mac === undefined) return undefined;
  return {
    position: Number(position),
    at: new Date(at ?? ''),
    scope: ERASURE_SCOPES.find((one) => one === scope) ?? 'order',
    erasureId: erasureId as Uuid,
    hash,
    mac,
  };
}
