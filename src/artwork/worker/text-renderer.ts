import type { SKRSContext2D } from '@napi-rs/canvas';
import {
  doesTextFit,
  type FittedText,
  fitText,
  type LineMetrics,
  type TextMetrics,
  type TextToFit,
} from '../../lib/text/fit-text.ts';
import type { TextDirection } from '../../lib/text/layout.ts';
import type { RecipeVersion, TextDrawing, TextVerdict } from '../drawing.ts';
import { isFontFamily } from '../fonts/families.ts';
import { type FontFace, facesOfText, firstFaceOf, inDrawingOrder } from './font-faces.ts';
import type { Raster } from './raster.ts';

type Canvas = typeof import('@napi-rs/canvas');

/**
 * Text is measured at this size.
 * Outlines are proportional, and at small sizes measures are whole pixels.
 */
const REFERENCE_PX = 1_000;
/** Pinned, since the library would follow the machine's language, which changes some glyphs. */
const LANGUAGE = 'en';
/** Around ink, for the soft edge of its outline. */
const EDGE_PX = 2;

/**
 * Draws texts, and only texts: images from outside never reach this library.
 * `close` frees the fonts, which can hold 58 MiB; loading Japanese again takes 25 ms, a part of the
 * emoji 1 to 90.
 */
export type TextRenderer = {
  readonly judge: (text: TextDrawing) => TextVerdict;
  /**
   * The ink of a text, with its place on the print area; undefined when there is none.
   * It is laid out at the size of the print and drawn at `scale` times that.
   */
  readonly draw: (text: TextDrawing, scale?: number) => Raster | undefined;
  readonly close: () => void;
};

/** Loads the text library, in an image child alone: it is large, and customers choose what it draws. */
export async function createTextRenderer(version: RecipeVersion): Promise<TextRenderer> {
  const canvas = await import('@napi-rs/canvas');
  const registered = new Set<string>();
  const pen = canvas.createCanvas(1, 1).getContext('2d');

  const register = ({ name, path }: FontFace): string => {
    if (!registered.has(name) && canvas.GlobalFonts.registerFromPath(path, name) === null) {
      throw new Error(`the font ${name} cannot be loaded`);
    }
    registered.add(name);
    return `"${name}"`;
  };
  const fontOf = (text: TextDrawing): { lettering: Lettering; metrics: TextMetrics } => {
    const family = familyOf(text);
    const { faces, missing } = facesOfText(family, text.text);
    // A machine that lacks a font package which the one had that took the order would draw boxes.
    if (missing.length > 0) throw new Error('a text has characters that no font here has');
    const lettering = { families: inDrawingOrder(faces, text.text, version).map(register).join(', '), version };
    const first = { families: register(firstFaceOf(family)), version };
    const reach = measureWith(pen, first, 'x', 'ltr');
    return {
      lettering,
      metrics: {
        measure: (line, direction) => lineMetricsOf(measureWith(pen, lettering, line, direction)),
        ascent: reach.fontBoundingBoxAscent / REFERENCE_PX,
        descent: reach.fontBoundingBoxDescent / REFERENCE_PX,
      },
    };
  };

  return {
    judge: (text) => {
      const { missing } = facesOfText(familyOf(text), text.text);
      if (missing.length > 0) return { kind: 'missing', characters: missing };
      return { kind: doesTextFit(toFit(text), fontOf(text).metrics) ? 'fits' : 'too_large' };
    },
    draw: (text, scale = 1) => {
      const { lettering, metrics } = fontOf(text);
      const layout = fitText(toFit(text), metrics);
      if (layout === undefined) throw new Error('a text that was found to fit does not');
      return drawLayout(canvas, text, layout, { lettering, scale });
    },
    close: () => {
      canvas.GlobalFonts.removeAll();
      canvas.clearAllCache();
      registered.clear();
    },
  };
}

function familyOf({ font }: TextDrawing) {
  if (!isFontFamily(font)) throw new Error('a text names a font family that is not here');
  return font;
}

function toFit({ text, align, box, sizePx }: TextDrawing): TextToFit {
  return { text, align, widthPx: box.width, heightPx: box.height, sizePx };
}

/** How the letters of a text are chosen and set: its faces, and the version of its recipe. */
export type Lettering = { readonly families: string; readonly version: RecipeVersion };

/**
 * Sets what decides how a line is shaped.
 * The library shapes word by word unless it is asked for legibility, and leaves out the kerning beside spaces, which
 * pieces of the versions before are without.
 */
export function usePen(
  pen: SKRSContext2D,
  { families, version }: Lettering,
  sizePx: number,
  direction: TextDirection,
): void {
  pen.font = `${sizePx}px ${families}`;
  pen.lang = LANGUAGE;
  pen.direction = direction;
  pen.textAlign = 'left';
  pen.textBaseline = 'alphabetic';
  pen.textRendering = version < 3 ? 'auto' : 'optimizeLegibility';
}

function measureWith(pen: SKRSContext2D, lettering: Lettering, line: string, direction: TextDirection) {
  usePen(pen, lettering, REFERENCE_PX, direction);
  return pen.measureText(line);
}

function lineMetricsOf(measured: ReturnType<typeof measureWith>): LineMetrics {
  return {
    advance: measured.width / REFERENCE_PX,
    inkLeft: -measured.actualBoundingBoxLeft / REFERENCE_PX,
    inkRight: measured.actualBoundingBoxRight / REFERENCE_PX,
    inkAbove: measured.actualBoundingBoxAscent / REFERENCE_PX,
    inkBelow: measured.actualBoundingBoxDescent / REFERENCE_PX,
  };
}

/** No larger than the ink, and nothing outside the box. */
function drawLayout(
  { createCanvas }: Canvas,
  { box, color }: TextDrawing,
  { lines, sizePx }: FittedText,
  { lettering, scale }: { readonly lettering: Lettering; readonly scale: number },
): Raster | undefined {
  const inked = lines.filter(({ text }) => text !== '');
  const across = (px: number): number => (box.left + px) * scale;
  const down = (px: number): number => (box.top + px) * scale;
  const left = Math.max(
    Math.floor(across(0)),
    Math.floor(across(Math.min(...inked.map(({ ink }) => ink.left)))) - EDGE_PX,
  );
  const top = Math.max(Math.floor(down(0)), Math.floor(down(Math.min(...inked.map(({ ink }) => ink.top)))) - EDGE_PX);
  const right = Math.min(
    Math.ceil(across(box.width)),
    Math.ceil(across(Math.max(...inked.map(({ ink }) => ink.right)))) + EDGE_PX,
  );
  const bottom = Math.min(
    Math.ceil(down(box.height)),
    Math.ceil(down(Math.max(...inked.map(({ ink }) => ink.bottom)))) + EDGE_PX,
  );
  if (!(right > left && bottom > top)) return undefined;
  const [width, height] = [right - left, bottom - top];
  const pen = createCanvas(width, height).getContext('2d');
  pen.scale(scale, scale);
  pen.fillStyle = color;
  for (const line of inked) {
    usePen(pen, lettering, sizePx, line.direction);
    pen.fillText(line.text, line.x - (left / scale - box.left), line.baseline - (top / scale - box.top));
  }
  return { left, top, width, height, pixels: pen.getImageData(0, 0, width, height).data };
}
