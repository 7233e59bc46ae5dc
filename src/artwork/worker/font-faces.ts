import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { covers } from '../../lib/text/coverage.ts';
import type { FontFamily } from '../font-families.ts';

/** One font file: a family's glyphs for some part of Unicode. */
export type FontFace = { readonly name: string; readonly path: string };

/** The faces that a text needs, the most wanted first, and the characters that none has. */
export type FacesOfText = { readonly faces: readonly FontFace[]; readonly missing: readonly string[] };

const EMOJI = 'Noto Color Emoji';
/** Where characters that a layer's own family lacks are looked for, in this order. */
const FALLBACK = ['Noto Sans', 'Noto Sans Arabic', 'Noto Sans JP', EMOJI] as const;

const UPRIGHT_REGULAR = '-400-normal.woff';

/** One file of each family; the others are beside it. */
const ONE_FILE: Readonly<Record<FontFamily | typeof EMOJI, string>> = {
  'Noto Sans': import.meta.resolve('#fonts/noto-sans/noto-sans-latin-400-normal.woff'),
  'Noto Sans Arabic': import.meta.resolve('#fonts/noto-sans-arabic/noto-sans-arabic-arabic-400-normal.woff'),
  'Noto Sans JP': import.meta.resolve('#fonts/noto-sans-jp/noto-sans-jp-japanese-400-normal.woff'),
  Oswald: import.meta.resolve('#fonts/oswald/oswald-latin-400-normal.woff'),
  Pacifico: import.meta.resolve('#fonts/pacifico/pacifico-latin-400-normal.woff'),
  [EMOJI]: import.meta.resolve('#fonts/noto-color-emoji/noto-color-emoji-emoji-400-normal.woff'),
};

const clusters = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * Finds a face for every grapheme cluster of a text.
 * Base and marks stay together, and so do all parts of an emoji. The layer's family comes first, then
 * the Noto families; an emoji takes the emoji font if it can. Invisible parts, such as joiners, need
 * no glyph. The family's own first face is always among the faces.
 */
export function facesOfText(family: FontFamily, text: string): FacesOfText {
  const chain = chainOf(family);
  const emoji = facesOf(EMOJI);
  const found = new Set(chain.slice(0, 1));
  const missing = new Set<string>();
  for (const cluster of new Set(Array.from(clusters.segment(text), ({ segment }) => segment))) {
    if (cluster === '\n') continue;
    const wanted = isEmoji(cluster) ? [...emoji, ...chain] : chain;
    const face = wanted.find((candidate) => covers(candidate.path, cluster, INVISIBLE));
    if (face === undefined) missing.add(cluster);
    else found.add(face);
  }
  return { faces: chain.filter((face) => found.has(face)), missing: [...missing] };
}

/** The first face of a family, whose metrics are the family's. */
export function firstFaceOf(family: FontFamily): FontFace {
  const [first] = facesOf(family);
  if (first === undefined) throw new Error(`${family} has no faces`);
  return first;
}

/** An emoji by itself, or a character with the emoji selector (U+FE0F). */
function isEmoji(cluster: string): boolean {
  return cluster.includes('\ufe0f') || /^\p{RGI_Emoji}$/v.test(cluster);
}

/**
 * Joiners, marks of direction, variation selectors, the tags of flags: they change what is around them
 * and are drawn as nothing. Of what Unicode lets a font ignore, these are the ones that the text
 * library does not draw as a box. The wish for an emoji in black and white, U+FE0E, is not among them:
 * the library would look for one among the fonts of the machine.
 */
const INVISIBLE =
  /^(?:\u034f|\u061c|[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\u{e0020}-\u{e007f}]|[\ufe00-\ufe0d\ufe0f]|[\u{e0100}-\u{e01ef}])$/u;

function chainOf(family: FontFamily): readonly FontFace[] {
  return [family, ...FALLBACK.filter((other) => other !== family)].flatMap(facesOf);
}

const families = new Map<string, readonly FontFace[]>();

function facesOf(family: FontFamily | typeof EMOJI): readonly FontFace[] {
  const known = families.get(family);
  if (known !== undefined) return known;
  const folder = dirname(fileURLToPath(ONE_FILE[family]));
  const faces = readdirSync(folder)
    .filter((name) => name.endsWith(UPRIGHT_REGULAR))
    .map((name) => ({ name: name.slice(0, -UPRIGHT_REGULAR.length), path: join(folder, name) }))
    .toSorted((a, b) => rankOf(a, family) - rankOf(b, family) || (a.name < b.name ? -1 : 1));
  families.set(family, faces);
  return faces;
}

/**
 * Latin first, then what is named for a script, then the numbered parts of a family that is cut up
 * finely as well: a text in Japanese stays in one face. Emoji are taken from their numbered parts: the
 * whole takes 215 ms to load, a part 1 to 90, and 3,593 emoji of one and of several parts were drawn
 * alike by both.
 */
function rankOf({ name }: FontFace, family: FontFamily | typeof EMOJI): number {
  if (name.endsWith('-latin')) return 0;
  if (name.endsWith('-latin-ext')) return 1;
  const part = /-(\d+)$/.exec(name)?.[1];
  if (part === undefined) return family === EMOJI ? PARTS_MAX : 2;
  return 3 + Number(part);
}

const PARTS_MAX = 1_000;
