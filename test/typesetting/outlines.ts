import { create, type Font } from 'fontkit';
import { NEWEST_OF_TEXTS } from '../../src/artwork/drawing.ts';
import type { FontFace } from '../../src/artwork/worker/font-faces.ts';
import { usePen } from '../../src/artwork/worker/text-renderer.ts';
import { readFont } from '../../src/lib/pdf/fonts.ts';
import type { TextDirection } from '../../src/lib/text/layout.ts';

// As the image children have it: no font of the machine.
process.env.DISABLE_SYSTEM_FONTS_LOAD = '1';
const canvas = await import('@napi-rs/canvas');

/** A glyph as `hb-shape` prints it, in units of its font: its number, its offset and how far it moves the pen. */
export type Glyph = readonly [id: number, dx: number, dy: number, advance: number];
/** Glyphs of one face, in the order in which they stand on the line. */
export type GlyphRun = { readonly face: FontFace; readonly glyphs: readonly Glyph[] };

/** The bounds of one closed line of an outline, in thousandths of the size, y upwards. */
type Contour = { readonly left: number; readonly bottom: number; readonly right: number; readonly top: number };

const SIZE_PX = 1_000;
/**
 * Only the outlines are looked at, which are given in their full size.
 * They are drawn small all the same, since what lies beyond the picture is left out.
 */
const SCALE = 1 / 128;
const WIDTH_PX = 1_024;
const HEIGHT_PX = 128;
/** Places are rounded to units of the font in one and not in the other: half a unit at each of some dozen glyphs. */
const TOLERANCE = 3;
/** The hints of a font move horizontal edges: digits of Noto Sans JP are 20 thousandths lower than designed. */
const HINTED = 25;

const registered = new Set<string>();

/** The outlines that the text library draws for a line, from left to right, by the settings of print files. */
export function drawnOutlines(faces: readonly FontFace[], line: string, direction: TextDirection): readonly Contour[] {
  return drawnPaths(faces, [line], direction).flatMap((path) => path.split('M').map(drawnContour));
}

/** The outlines that are drawn for some texts, each text in its own place. */
function drawnPaths(faces: readonly FontFace[], texts: readonly string[], direction: TextDirection): readonly string[] {
  for (const { name, path } of faces) {
    if (!registered.has(name)) canvas.GlobalFonts.registerFromPath(path, name);
    registered.add(name);
  }
  const picture = canvas.createCanvas(WIDTH_PX, HEIGHT_PX, canvas.SvgExportFlag.ConvertTextToPaths);
  const pen = picture.getContext('2d');
  const families = faces.map(({ name }) => `"${name}"`).join(', ');
  usePen(pen, { families, version: NEWEST_OF_TEXTS }, SIZE_PX, direction);
  pen.setTransform(SCALE, 0, 0, SCALE, WIDTH_PX / 4, HEIGHT_PX / 2);
  for (const text of texts) pen.fillText(text, 0, 0);
  return Array.from(
    picture
      .getContent()
      .toString('utf8')
      .matchAll(/ d="M([^"]*)"/g),
    ([, path = '']) => path,
  );
}

/** A character for private use, which no font of the service has. */
const WITHOUT_GLYPH = '\ue000';

/** Groups of texts of the same faces, of which at least one is drawn as the box of a missing glyph. */
export function drawnAsBoxes(texts: readonly (readonly [text: string, faces: readonly FontFace[]])[]): string[] {
  const groups = Map.groupBy(texts, ([, faces]) => faces.map(({ name }) => name).join());
  return [...groups.values()].flatMap((group) => {
    const faces = group[0]?.[1] ?? [];
    const [box] = drawnPaths(faces, [WITHOUT_GLYPH], 'ltr');
    const isWithBox = (some: readonly string[]): boolean =>
      box === undefined || drawnPaths(faces, some, 'ltr').some((path) => path.includes(box));
    if (!isWithBox(['a', WITHOUT_GLYPH])) throw new Error('a box is not recognised');
    return isWithBox(group.map(([text]) => text)) ? [group.map(([text]) => text).join('')] : [];
  });
}

function drawnContour(path: string): Contour {
  const numbers = Array.from(path.matchAll(/-?\d+(?:\.\d+)?(?:e[-+]?\d+)?/g), ([number]) => Number(number));
  return boundsOf(
    numbers.filter((_, index) => index % 2 === 0),
    numbers.filter((_, index) => index % 2 === 1).map((y) => -y),
  );
}

/** The outlines of glyphs that were shaped elsewhere, read from the font files by another library. */
export function shapedOutlines(runs: readonly GlyphRun[]): readonly Contour[] {
  const contours: Contour[] = [];
  let pen = 0;
  for (const { face, glyphs } of runs) {
    const font = fontOf(face);
    const scale = SIZE_PX / font.unitsPerEm;
    for (const [id, dx, dy, advance] of glyphs) {
      let [xs, ys]: [number[], number[]] = [[], []];
      for (const { command, args } of font.getGlyph(id).path.commands) {
        if (command === 'moveTo') [xs, ys] = [[], []];
        xs.push(...args.filter((_, index) => index % 2 === 0).map((x) => pen + (x + dx) * scale));
        ys.push(...args.filter((_, index) => index % 2 === 1).map((y) => (y + dy) * scale));
        if (command === 'closePath' && xs.length > 0) contours.push(boundsOf(xs, ys));
      }
      pen += advance * scale;
    }
  }
  return contours;
}

function boundsOf(xs: readonly number[], ys: readonly number[]): Contour {
  return { left: Math.min(...xs), bottom: Math.min(...ys), right: Math.max(...xs), top: Math.max(...ys) };
}

const fonts = new Map<string, Font>();

function fontOf({ path }: FontFace): Font {
  const font = fonts.get(path) ?? create(readFont(path));
  fonts.set(path, font);
  return font;
}

/**
 * In what two outlines differ first; undefined when they are the same shapes in the same places.
 * With a third one, the places may be anywhere between it and the second.
 */
export function firstDifference(
  drawn: readonly Contour[],
  shaped: readonly Contour[],
  unkerned = shaped,
): string | undefined {
  if (drawn.length !== shaped.length) return `${drawn.length} contours are drawn and ${shaped.length} shaped`;
  for (const [index, one] of drawn.entries()) {
    const [other, loose] = [shaped[index] ?? one, unkerned[index] ?? one];
    const isPlaced = [one.left - other.left, one.right - other.right].every(
      (off) => off >= -TOLERANCE && off <= loose.left - other.left + TOLERANCE,
    );
    const isAsHigh = Math.abs(one.bottom - other.bottom) <= HINTED && Math.abs(one.top - other.top) <= HINTED;
    if (!isPlaced || !isAsHigh) return `contour ${index}: ${JSON.stringify([one, other])}`;
  }
  return undefined;
}
