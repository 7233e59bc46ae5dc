import { randomFillSync } from 'node:crypto';

/**
 * An id inside the service: a UUID in PostgreSQL's lower-case text form.
 * `view.ts` makes public ids of it.
 */
export type Uuid = string & { readonly __brand: 'uuid' };

/** The prefixes of public ids (decisions, "Ids"). */
export type IdPrefix =
  | 'ord'
  | 'line'
  | 'prod'
  | 'bprod'
  | 'var'
  | 'acct'
  | 'whk'
  | 'evt'
  | 'dlv'
  | 'rpl'
  | 'shp'
  | 'prob'
  | 'creq'
  | 'pay'
  | 'rfd'
  | 'txn'
  | 'pst'
  | 'ent'
  | 'op'
  | 'otk'
  | 'task'
  | 'act'
  | 'cn'
  | 'tok'
  | 'user'
  | 'client'
  | 'ses'
  | 'gnt'
  | 'mail'
  | 'lnk'
  | 'sup'
  | 'ers'
  | 'file'
  | 'req'
  | 'top'
  | 'sav'
  | 'adr'
  | 'chan'
  | 'sho'
  | 'brand'
  | 'view';

const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz';
const NO_DIGIT = 255;
const VALUE_OF_DIGIT = new Uint8Array(128).fill(NO_DIGIT);
for (const [value, digit] of Array.from(CROCKFORD).entries()) VALUE_OF_DIGIT[digit.charCodeAt(0)] = value;

/** No id is after this one: the start of a list that is read downwards. */
export const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** No id is before this one. */
export const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** Stands for the account of what belongs to the print shop itself: no customer has this id. */
export const HOUSE = FIRST_ID as Uuid;

/** The lowest id that can have been made at this time or later. */
export function firstIdAt(time: Date): Uuid {
  const hex = Math.max(0, time.getTime()).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000` as Uuid;
}

let lastMs = 0;
let counter = 0;
const pool = Buffer.alloc(4096);
let poolAt = pool.length;

/**
 * Makes a new UUIDv7 (RFC 9562).
 * 48 bits of Unix milliseconds, then a 12-bit counter that keeps ids of one process and millisecond in
 * order, then 62 random bits.
 */
export function newId(nowMs: number = Date.now()): Uuid {
  if (nowMs > lastMs) {
    lastMs = nowMs;
    // Starting in the lower half leaves room for 2,048 ids in a millisecond before the clock is nudged forward.
    counter = takeRandom(2).readUInt16BE(0) & 0x7ff;
  } else {
    counter += 1;
    if (counter > 0xfff) {
      lastMs += 1;
      counter = 0;
    }
  }
  return idOf(lastMs, counter);
}

/**
 * As `newId`, of exactly this time, so that a range of times is a range of ids.
 * Ids of one millisecond are in no order.
 */
export function newIdAt(time: Date): Uuid {
  return idOf(time.getTime(), takeRandom(2).readUInt16BE(0) & 0xfff);
}

function idOf(ms: number, middleBits: number): Uuid {
  const time = ms.toString(16).padStart(12, '0');
  const random = takeRandom(8);
  random.writeUInt8(0x80 | (random.readUInt8(0) & 0x3f), 0);
  const tail = random.toString('hex');
  const middle = (0x7000 | middleBits).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-${middle}-${tail.slice(0, 4)}-${tail.slice(4)}` as Uuid;
}

function takeRandom(bytes: number): Buffer {
  if (poolAt + bytes > pool.length) {
    randomFillSync(pool);
    poolAt = 0;
  }
  poolAt += bytes;
  return pool.subarray(poolAt - bytes, poolAt);
}

const PAIRS = Array.from(CROCKFORD, (high) => Array.from(CROCKFORD, (low) => high + low)).flat();
const VALUE_OF_HEX = new Uint8Array(128);
for (const [value, digit] of Array.from('0123456789abcdef').entries()) VALUE_OF_HEX[digit.charCodeAt(0)] = value;
const HYPHEN = '-'.charCodeAt(0);
const BYTES = Array.from({ length: 256 }, (_, value) => value.toString(16).padStart(2, '0'));

/** The public form of an id: prefix, underscore, 26 characters of Crockford base32 (TypeID 0.3). */
export function publicId(prefix: IdPrefix, id: Uuid): string {
  let text = `${prefix}_`;
  // Two digits of base32 are ten bits, so the first pair has eight bits and two of nothing before them.
  let bits = 0;
  let held = 2;
  for (let at = 0; at < id.length; at += 1) {
    const character = id.charCodeAt(at);
    if (character === HYPHEN) continue;
    bits = (bits << 4) | (VALUE_OF_HEX[character] ?? 0);
    held += 4;
    if (held < 10) continue;
    held -= 10;
    text += PAIRS[bits >> held] ?? '';
    bits &= (1 << held) - 1;
  }
  return text;
}

/**
 * The UUID of a public id of a kind; undefined when the id is not well-formed.
 * Ids are compared for equality only (spec 2.1), so another letter case is another, unknown id.
 */
export function parseId(prefix: IdPrefix, text: string): Uuid | undefined {
  if (text.length !== prefix.length + 27 || !text.startsWith(`${prefix}_`)) return undefined;
  const start = prefix.length + 1;
  // 26 × 5 bits are 130: the first digit may hold only three.
  if (text.charAt(start) > '7') return undefined;
  let id = '';
  let bits = 0;
  let held = -2;
  for (let at = start; at < text.length; at += 1) {
    const value = VALUE_OF_DIGIT[text.charCodeAt(at)] ?? NO_DIGIT;
    if (value === NO_DIGIT) return undefined;
    bits = (bits << 5) | value;
    held += 5;
    if (held < 8) continue;
    held -= 8;
    id += BYTES[bits >> held] ?? '';
    if (id.length === 8 || id.length === 13 || id.length === 18 || id.length === 23) id += '-';
    bits &= (1 << held) - 1;
  }
  return id as Uuid;
}

// Without 0, 1, I, L, O and U: nothing that is misread on paper or spells a word by accident.
const REFERENCE_ALPHABET = '23456789ABCDEFGHJKMNPQRSTVWXYZ';

/**
 * Makes a random order reference: `PF-` and eight unambiguous characters.
 * 30^8 = 6.6 × 10^11, so references cannot be enumerated.
 */
export function newOrderReference(): string {
  let text = '';
  while (text.length < 8) {
    for (const byte of takeRandom(12)) {
      // 240 is the largest multiple of 30 in a byte; above it a remainder would favour the first letters.
      if (byte < 240 && text.length < 8) text += REFERENCE_ALPHABET.charAt(byte % 30);
    }
  }
  return `PF-${text}`;
}

/**
 * The canonical form of an order reference, matched in any case.
 * Undefined when the text does not look like one.
 */
export function parseOrderReference(text: string): string | undefined {
  const upper = text.length === 11 ? text.toUpperCase() : '';
  return /^PF-[23456789ABCDEFGHJKMNPQRSTVWXYZ]{8}$/.test(upper) ? upper : undefined;
}
