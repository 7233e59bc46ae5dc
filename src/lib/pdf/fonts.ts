import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { inflateSync } from 'node:zlib';
import { covers } from '../text/coverage.ts';

/** A font file: its name in a document and its path. */
export type FontFile = { readonly name: string; readonly path: string };

type Weight = 400 | 700;

/** In order of preference; a text in one script stays in one face. */
const FACES = [
  ['noto-sans', 'latin'],
  ['noto-sans', 'latin-ext'],
  ['noto-sans', 'vietnamese'],
  ['noto-sans', 'cyrillic'],
  ['noto-sans', 'cyrillic-ext'],
  ['noto-sans', 'greek'],
  ['noto-sans', 'greek-ext'],
  ['noto-sans', 'devanagari'],
  ['noto-sans-arabic', 'arabic'],
  ['noto-sans-jp', 'japanese'],
] as const;

const chains = new Map<Weight, readonly FontFile[]>();

function chainOf(weight: Weight): readonly FontFile[] {
  const known = chains.get(weight);
  if (known !== undefined) return known;
  const chain = FACES.map(([family, part]) => {
    const file = `#fonts/${family}/${family}-${part}-${weight}-normal.woff`;
    return { name: `${family}-${part}-${weight}`, path: fileURLToPath(import.meta.resolve(file)) };
  });
  chains.set(weight, chain);
  return chain;
}

/**
 * The face for a character as people count them, base and marks together: the first that has all of
 * it.
 *
 * The first of all, which draws a box, if none has. Joiners and marks of direction need no glyph.
 */
export function faceFor(cluster: string, weight: Weight): FontFile {
  const chain = chainOf(weight);
  const [first] = chain;
  if (first === undefined) throw new Error('a document has no fonts');
  return chain.find((face) => covers(face.path, cluster, INVISIBLE)) ?? first;
}

const INVISIBLE = /^(?:[\u200b-\u200f\u2060]|[\ufe00-\ufe0f])$/u;

const WOFF_HEADER_BYTES = 44;
const WOFF_ENTRY_BYTES = 20;
const SFNT_HEADER_BYTES = 12;
const SFNT_ENTRY_BYTES = 16;
/** The largest table in use, the outlines of Japanese, has 3 MB. */
const TABLE_BYTES_MAX = 16 * 1024 * 1024;

/**
 * A font file unpacked from WOFF (WOFF 1.0, sections 3 to 5) into what it was made of.
 *
 * The PDF library reads WOFF too, but unpacks all outlines again for each glyph that it embeds: 40 ms for each Japanese
 * character.
 */
export function readFont(path: string): Buffer {
  const woff = readFileSync(path);
  if (woff.toString('latin1', 0, 4) !== 'wOFF') throw new Error('not a WOFF file');
  const count = woff.readUInt16BE(12);
  const header = Buffer.alloc(SFNT_HEADER_BYTES + count * SFNT_ENTRY_BYTES);
  woff.copy(header, 0, 4, 8);
  header.writeUInt16BE(count, 4);
  const tables: Buffer[] = [];
  let offset = header.length;
  for (let index = 0; index < count; index += 1) {
    const from = WOFF_HEADER_BYTES + index * WOFF_ENTRY_BYTES;
    const at = woff.readUInt32BE(from + 4);
    const packed = woff.subarray(at, at + woff.readUInt32BE(from + 8));
    const bytes = woff.readUInt32BE(from + 12);
    const table = packed.length < bytes ? inflateSync(packed, { maxOutputLength: TABLE_BYTES_MAX }) : packed;
    const to = SFNT_HEADER_BYTES + index * SFNT_ENTRY_BYTES;
    woff.copy(header, to, from, from + 4);
    woff.copy(header, to + 4, from + 16, from + 20);
    header.writeUInt32BE(offset, to + 8);
    header.writeUInt32BE(bytes, to + 12);
    const padded = Buffer.alloc(Math.ceil(bytes / 4) * 4);
    table.copy(padded);
    tables.push(padded);
    offset += padded.length;
  }
  return Buffer.concat([header, ...tables]);
}
