import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { covers } from '../../lib/text/coverage.ts';
import { clustersOf } from '../../lib/text/layout.ts';
import type { RecipeVersion } from '../drawing.ts';
import { BUNDLED_FAMILIES, type BundledFamily, type FontFamily } from '../fonts/families.ts';
import { type InstalledFont, installedFonts } from '../fonts/font-packages.ts';
import { BUNDLED_SCRIPTS, type Script } from '../fonts/scripts.ts';

/** One font file: a family's glyphs for some part of Unicode. */
export type FontFace = { readonly name: string; readonly path: string };

/** The faces that a text needs, the most wanted first, and the characters that none has. */
export type FacesOfText = { readonly faces: readonly FontFace[]; readonly missing: readonly string[] };

const EMOJI = 'noto-color-emoji';
/** Where characters that a layer's own family lacks are looked for first, in this order. */
const FALLBACK = ['Noto Sans', 'Noto Sans Arabic', 'Noto Sans JP'] as const;

const UPRIGHT_REGULAR = '-400-normal.woff';

/**
 * Finds a face for every character of a text, as people count them.
 * Base and marks stay together, and so do all parts of an emoji. The layer's family comes first, then the Noto
 * families, then the scripts that have a face each; an emoji takes the emoji font if it can. Packages are asked only
 * for what nothing else has, so that installing one changes no text that could be printed before. Invisible parts, such
 * as joiners, need no glyph. The family's own first face is always among the faces.
 */
export function facesOfText(family: FontFamily, text: string, packages = installedFonts()): FacesOfText {
  const clusters = [...new Set(clustersOf(text))].filter((cluster) => cluster !== '\n');
  const bundled = choose(clusters, chainOf(family, packages, []));
  if (bundled.missing.length === 0 || packages.length === 0) return bundled;
  return choose(clusters, chainOf(family, packages, mostUsefulFirst(packages, bundled.missing)));
}

function choose(clusters: readonly string[], chain: readonly FontFace[]): FacesOfText {
  const emoji = bundledFaces(EMOJI);
  const found = new Set(chain.slice(0, 1));
  const missing = new Set<string>();
  for (const cluster of clusters) {
    const wanted = isEmoji(cluster) ? [...emoji, ...chain] : chain;
    const face = wanted.find((candidate) => covers(candidate.path, cluster, INVISIBLE));
    if (face === undefined) missing.add(cluster);
    else found.add(face);
  }
  return { faces: chain.filter((face) => found.has(face)), missing: [...missing] };
}

/**
 * The faces of a text in the order in which the text library tries them on each letter.
 * It takes a letter from parts, such as `ź` from `z` and an accent, as soon as a face has those, and builds what a
 * later face has whole. The accents of Vietnamese then lie above each other, where they belong side by side, and those
 * of a face that does not place marks lie beside the letter. So the Latin letters with accents come before those
 * without, and a face is tried first that has a letter which an earlier one would build. Pieces of the versions before
 * keep their order.
 */
export function inDrawingOrder(faces: readonly FontFace[], text: string, version: RecipeVersion): readonly FontFace[] {
  if (version < 3) return faces;
  const families = Map.groupBy(faces, ({ path }) => dirname(path));
  const ordered = [...families.values()].flatMap((family) => family.toSorted((a, b) => wholeRank(a) - wholeRank(b)));
  const first = clustersOf(text).flatMap((cluster) => {
    const whole = faces.find(({ path }) => covers(path, cluster, INVISIBLE));
    const builder = ordered.find((face) => face === whole || canBuild(face, cluster));
    return whole === undefined || builder === whole || covers(whole.path, 'a', INVISIBLE) ? [] : [whole];
  });
  return [...new Set([...first, ...ordered])];
}

/** Whether a face has the parts of a letter, such as `â` and an accent for `ấ`. */
function canBuild({ path }: FontFace, letter: string): boolean {
  const parts = Array.from(letter.normalize('NFD'));
  return parts.some((_, at) => {
    const built = [
      parts
        .slice(0, at + 1)
        .join('')
        .normalize('NFC'),
      ...parts.slice(at + 1),
    ].join('');
    return built !== letter && covers(path, built, INVISIBLE);
  });
}

function wholeRank({ name }: FontFace): number {
  if (name.endsWith('-vietnamese')) return 0;
  if (name.endsWith('-ext')) return 1;
  return name.endsWith('-latin') ? 3 : 2;
}

/** The first face of a family, whose metrics are the family's. */
export function firstFaceOf(family: FontFamily): FontFace {
  const [first] = facesOfFamily(family, installedFonts());
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

/**
 * Where a text looks for its characters, in this order.
 * Packages with Chinese or Korean characters stand before the Japanese ones, so that a text does not mix two styles.
 * What came later than the emoji stands after them: a sign that was an emoji before stays one.
 */
function chainOf(
  family: FontFamily,
  packages: readonly InstalledFont[],
  wanted: readonly InstalledFont[],
): readonly FontFace[] {
  const [sans, arabic, japanese] = FALLBACK.map((other) => (other === family ? [] : facesOfFamily(other, packages)));
  const [families, scripts] = [wanted.filter(({ isFamily }) => isFamily), wanted.filter(({ isFamily }) => !isFamily)];
  return [
    ...new Set([
      ...facesOfFamily(family, packages),
      ...(sans ?? []),
      ...(arabic ?? []),
      ...families.flatMap(lentFaces),
      ...(japanese ?? []),
      ...bundledFaces(EMOJI),
      ...scriptFaces(),
      ...scripts.flatMap(lentFaces),
    ]),
  ];
}

/**
 * First the package that has most of the characters.
 * Chinese texts share many with Korean ones.
 */
function mostUsefulFirst(packages: readonly InstalledFont[], missing: readonly string[]): readonly InstalledFont[] {
  const uses = new Map(
    packages.map((font) => {
      const faces = lentFaces(font);
      return [font, missing.filter((cluster) => faces.some((face) => covers(face.path, cluster, INVISIBLE))).length];
    }),
  );
  const usesOf = (font: InstalledFont): number => uses.get(font) ?? 0;
  return packages.filter((font) => usesOf(font) > 0).toSorted((one, other) => usesOf(other) - usesOf(one));
}

function facesOfFamily(family: FontFamily, packages: readonly InstalledFont[]): readonly FontFace[] {
  if (isBundled(family)) return bundledFaces(BUNDLED_FAMILIES[family].folder);
  const font = packages.find((candidate) => candidate.family === family);
  if (font === undefined) throw new Error(`the package of ${family} is not installed`);
  return facesIn(font.folder);
}

function isBundled(family: FontFamily): family is BundledFamily {
  return Object.hasOwn(BUNDLED_FAMILIES, family);
}

/** What a package lends to other families: its own script, without its Latin letters. */
function lentFaces({ folder }: InstalledFont): readonly FontFace[] {
  return facesIn(folder).filter(({ name }) => !/-(?:latin|latin-ext|vietnamese|cyrillic)$/.test(name));
}

/** The scripts that have one face each, and no family that a template may name. */
function scriptFaces(): readonly FontFace[] {
  const inFamilies = new Set<Script>(FALLBACK.flatMap((family) => BUNDLED_FAMILIES[family].scripts));
  return BUNDLED_SCRIPTS.filter((script) => !inFamilies.has(script)).flatMap((script) =>
    bundledFaces(`noto-sans-${script.toLowerCase()}`),
  );
}

function bundledFaces(name: string): readonly FontFace[] {
  const folder = bundledFolders.get(name) ?? dirname(fileURLToPath(import.meta.resolve(`#fonts/${name}/LICENSE`)));
  bundledFolders.set(name, folder);
  return facesIn(folder);
}

const bundledFolders = new Map<string, string>();
const folders = new Map<string, readonly FontFace[]>();

function facesIn(folder: string): readonly FontFace[] {
  const known = folders.get(folder);
  if (known !== undefined) return known;
  const faces = readdirSync(folder)
    .filter((name) => name.endsWith(UPRIGHT_REGULAR))
    .map((name) => ({ name: name.slice(0, -UPRIGHT_REGULAR.length), path: join(folder, name) }))
    .toSorted((a, b) => rankOf(a) - rankOf(b) || (a.name < b.name ? -1 : 1));
  folders.set(folder, faces);
  return faces;
}

/**
 * Latin first, then what is named for a script, then the numbered parts of a family that is cut up
 * finely as well: a text in Japanese stays in one face. Emoji are taken from their numbered parts: the
 * whole takes 215 ms to load, a part 1 to 90, and 3,593 emoji of one and of several parts were drawn
 * alike by both.
 */
function rankOf({ name }: FontFace): number {
  if (name.endsWith('-latin')) return 0;
  if (name.endsWith('-latin-ext')) return 1;
  const part = /-(\d+)$/.exec(name)?.[1];
  if (part === undefined) return name.startsWith(EMOJI) ? PARTS_MAX : 2;
  return 3 + Number(part);
}

const PARTS_MAX = 1_000;
