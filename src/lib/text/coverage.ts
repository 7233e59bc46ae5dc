import { closeSync, openSync, readSync } from 'node:fs';
import { inflateSync } from 'node:zlib';

/** The characters that a font file has, as sorted pairs of first and last code point, both included. */
export type Coverage = readonly (readonly [first: number, last: number])[];

/** Places in a WOFF file (WOFF 1.0, sections 3 and 4). */
const HEADER_BYTES = 44;
const TABLE_COUNT_AT = 12;
const ENTRY_BYTES = 20;
/** The table of the largest font in use has 100 KB; a file that claims more is not one of ours. */
const TABLE_BYTES_MAX = 4 * 1024 * 1024;

/**
 * Reads which characters a WOFF file maps to a glyph.
 *
 * Only its table of characters is read and unpacked, a few kilobytes of a file that may have megabytes. For fonts that
 * come with the service: throws when the file is not such a font.
 */
export function readCoverage(path: string): Coverage {
  const file = openSync(path, 'r');
  try {
    const header = readAt(file, 0, HEADER_BYTES);
    if (header.toString('latin1', 0, 4) !== 'wOFF') throw new Error('not a WOFF file');
    const tables = header.readUInt16BE(TABLE_COUNT_AT);
    const directory = readAt(file, HEADER_BYTES, tables * ENTRY_BYTES);
    for (let at = 0; at < directory.length; at += ENTRY_BYTES) {
      if (directory.toString('latin1', at, at + 4) !== 'cmap') continue;
      const packedBytes = directory.readUInt32BE(at + 8);
      const packed = readAt(file, directory.readUInt32BE(at + 4), packedBytes);
      const isPacked = packedBytes < directory.readUInt32BE(at + 12);
      return coverageOf(isPacked ? inflateSync(packed, { maxOutputLength: TABLE_BYTES_MAX }) : packed);
    }
    throw new Error('a font without a table of characters');
  } finally {
    closeSync(file);
  }
}

/**
 * Whether a font file has all of a grapheme cluster, base and marks together.
 * `withoutGlyph` matches the parts that need no glyph. A file is read on first use, since the first
 * face settles most texts.
 */
export function covers(path: string, cluster: string, withoutGlyph: RegExp): boolean {
  const coverage = coverages.get(path) ?? readCoverage(path);
  coverages.set(path, coverage);
  return Array.from(cluster).every(
    (character) => isCovered(coverage, character.codePointAt(0) ?? 0) || withoutGlyph.test(character),
  );
}

const coverages = new Map<string, Coverage>();

/** Whether a code point is among the characters. */
export function isCovered(coverage: Coverage, codePoint: number): boolean {
  let low = 0;
  let high = coverage.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const [first, last] = coverage[middle] ?? [0, -1];
    if (codePoint < first) high = middle;
    else if (codePoint > last) low = middle + 1;
    else return true;
  }
  return false;
}

function readAt(file: number, position: number, bytes: number): Buffer {
  if (bytes > TABLE_BYTES_MAX) throw new Error('a font with an unlikely table of characters');
  const buffer = Buffer.alloc(bytes);
  if (readSync(file, buffer, 0, bytes, position) !== bytes) throw new Error('a font file that ends early');
  return buffer;
}

const SEGMENTS = 4;
const GROUPS = 12;

/**
 * The table of characters (OpenType 1.9, `cmap`): its fullest subtable of Unicode, of one of the two
 * formats that fonts use.
 */
function coverageOf(table: Buffer): Coverage {
  const subtables = new Map<number, number>();
  for (let at = 4; at < 4 + 8 * table.readUInt16BE(2); at += 8) {
    const offset = table.readUInt32BE(at + 4);
    subtables.set(table.readUInt16BE(offset), offset);
  }
  const groups = subtables.get(GROUPS);
  if (groups !== undefined) return groupsOf(table, groups);
  const segments = subtables.get(SEGMENTS);
  if (segments === undefined) throw new Error('a font whose table of characters has an unknown format');
  return segmentsOf(table, segments);
}

function groupsOf(table: Buffer, offset: number): Coverage {
  const count = table.readUInt32BE(offset + 12);
  return Array.from({ length: count }, (_, index): [number, number] => {
    const at = offset + 16 + 12 * index;
    return [table.readUInt32BE(at), table.readUInt32BE(at + 4)];
  });
}

function segmentsOf(table: Buffer, offset: number): Coverage {
  const twice = table.readUInt16BE(offset + 6);
  const [ends, starts] = [offset + 14, offset + 16 + twice];
  const [deltas, ranges] = [starts + twice, starts + 2 * twice];
  const found: [number, number][] = [];
  for (let at = 0; at < twice; at += 2) {
    const last = Math.min(table.readUInt16BE(ends + at), LAST_OF_FORMAT_4);
    const delta = table.readUInt16BE(deltas + at);
    const range = table.readUInt16BE(ranges + at);
    for (let code = table.readUInt16BE(starts + at); code <= last; code += 1) {
      const first = table.readUInt16BE(starts + at);
      const inList = range === 0 ? 0 : table.readUInt16BE(ranges + at + range + 2 * (code - first));
      const glyph = range === 0 ? (code + delta) & 0xffff : inList === 0 ? 0 : (inList + delta) & 0xffff;
      if (glyph !== 0) extend(found, code);
    }
  }
  return found;
}

/** The last segment marks the end of the list and maps U+FFFF to nothing. */
const LAST_OF_FORMAT_4 = 0xfffe;

function extend(ranges: [number, number][], code: number): void {
  const last = ranges.at(-1);
  if (last !== undefined && last[1] === code - 1) last[1] = code;
  else ranges.push([code, code]);
}
