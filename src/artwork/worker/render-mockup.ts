import type { Canvas as RasterCanvas, SKRSContext2D } from '@napi-rs/canvas';
import sharp from 'sharp';
import { NEWEST_OF_TEXTS } from '../drawing.ts';
import type { ImageTask } from '../image-pool.ts';
import { fittedSpot, type GarmentSpot, garmentSpotOf } from '../mockup/garment.ts';
import type { Size } from '../place.ts';
import { type GarmentShape, garmentShape } from './garment-shapes.ts';
import { emptyPixels, layOver, type Raster } from './raster.ts';
import { rasterise } from './render-print-file.ts';
import { createTextRenderer } from './text-renderer.ts';

type MockupTask = ImageTask & { kind: 'mockup' };
type Library = typeof import('@napi-rs/canvas');

/** The side of a picture in the units of its outlines. */
const UNITS = 1_000;
const WALL = ['#f6f5f2', '#e4e2dd'] as const;
/** The line with the title of a panel. */
const TITLE_BOX = { left: 100, top: 868, width: 800, height: 90 };
const TITLE_SIZES = { min: 22, max: 40 };
const TITLE_FONT = 'Noto Sans';
const TITLE_INK = '#4a4842';
const JPEG = { quality: 88, chromaSubsampling: '4:4:4', progressive: false } as const;
/** Of 255: a colour with less light has its seams and folds in a lighter one. */
const DARK_MAX = 96;

/**
 * Writes a mockup: a drawn garment in its colour, with artwork on one of its print areas.
 * The artwork is placed by the code that makes print files; folds and seams lie above it. Equal input gives equal
 * bytes. Runs in an image child. Throws what the libraries throw.
 */
export async function renderMockup(task: MockupTask): Promise<void> {
  const { garment, printArea, template, ground, widthPx, targetPath } = task;
  const spot = garmentSpotOf(garment, printArea, template);
  if (spot === undefined) throw new Error('a garment does not show this print area');
  const library = await import('@napi-rs/canvas');
  const shape = garmentShape(garment, spot);
  const size: Size = { widthPx, heightPx: widthPx };
  const below = drawLayer(library, widthPx, (pen) => drawGarment(library, pen, shape, ground));
  const print = await printLayer(library, task, spot, shape);
  const above = drawLayer(library, widthPx, (pen) => drawFolds(library, pen, shape, ground));
  const pixels = emptyPixels(size);
  for (const layer of [below, print, above]) {
    layOver(pixels, size, { left: 0, top: 0, width: widthPx, height: widthPx, pixels: layer });
  }
  const title = garment === 'panel' ? await titleBelow(task) : undefined;
  if (title !== undefined) layOver(pixels, size, title);
  await sharp(pixels, { raw: { width: widthPx, height: widthPx, channels: 4 } })
    .flatten({ background: WALL[0] })
    .jpeg(JPEG)
    .toFile(targetPath);
}

/**
 * Says what a panel stands for.
 * Undefined where that is too long for its line, or has letters that no font here has.
 */
async function titleBelow({ title, widthPx }: MockupTask): Promise<Raster | undefined> {
  const scale = widthPx / UNITS;
  const px = (units: number): number => Math.round(units * scale);
  const { left, top, width, height } = TITLE_BOX;
  const box = { left: px(left), top: px(top), width: px(width), height: px(height) };
  const sizePx = { min: Math.max(1, px(TITLE_SIZES.min)), max: px(TITLE_SIZES.max) };
  const text = { kind: 'text', text: title, font: TITLE_FONT, color: TITLE_INK, align: 'centre' } as const;
  const drawing = { ...text, box, sizePx };
  const renderer = await createTextRenderer(NEWEST_OF_TEXTS);
  try {
    return renderer.judge(drawing).kind === 'fits' ? renderer.draw(drawing) : undefined;
  } finally {
    renderer.close();
  }
}

/** The pixels of a layer that is drawn in units. */
function drawLayer({ createCanvas }: Library, sidePx: number, draw: (pen: SKRSContext2D) => void): Uint8ClampedArray {
  const pen = createCanvas(sidePx, sidePx).getContext('2d');
  pen.scale(sidePx / UNITS, sidePx / UNITS);
  draw(pen);
  return pen.getImageData(0, 0, sidePx, sidePx).data;
}

function drawGarment({ Path2D }: Library, pen: SKRSContext2D, shape: GarmentShape, ground: string): void {
  const wall = pen.createLinearGradient(0, 0, 0, UNITS);
  wall.addColorStop(0, WALL[0]);
  wall.addColorStop(1, WALL[1]);
  pen.fillStyle = wall;
  pen.fillRect(0, 0, UNITS, UNITS);
  pen.save();
  pen.shadowColor = 'rgba(30, 28, 24, 0.26)';
  pen.shadowBlur = 26 * scaleOf(pen);
  pen.shadowOffsetY = 14 * scaleOf(pen);
  pen.fillStyle = ground;
  for (const part of shape.parts) pen.fill(new Path2D(part));
  pen.restore();
  // Filled again, so that no part throws its shadow on another and each covers the edges of those below.
  for (const part of shape.parts) {
    pen.fillStyle = ground;
    pen.fill(new Path2D(part));
    strokePath({ Path2D }, pen, part, { width: 1.8, colour: inkOf(isDark(ground), 0.22) });
  }
  if (shape.inside === undefined) return;
  pen.fillStyle = mixed(ground, '#000000', 0.3);
  pen.fill(new Path2D(shape.inside));
}

/** The artwork where its print area lies, cut to what can be printed on. */
async function printLayer(
  library: Library,
  task: MockupTask,
  spot: GarmentSpot,
  { clip }: GarmentShape,
): Promise<Uint8Array | Uint8ClampedArray> {
  const { widthPx, template } = task;
  const scale = widthPx / UNITS;
  const fitted = fittedSpot(spot, { width: template.widthPx, height: template.heightPx });
  const fit = fitted.scale * scale;
  const canvas = {
    widthPx: Math.max(1, Math.round(template.widthPx * fit)),
    heightPx: Math.max(1, Math.round(template.heightPx * fit)),
  };
  const pixels = await rasterise({ ...task, fit: 'contain', canvas, heldBytes: 4 * widthPx * widthPx * 4 });
  const place = {
    left: Math.round(spot.left * scale + (spot.width * scale - canvas.widthPx) / 2),
    top: Math.round(spot.top * scale),
  };
  const layer = emptyPixels({ widthPx, heightPx: widthPx });
  const raster = { ...place, width: canvas.widthPx, height: canvas.heightPx, pixels };
  layOver(layer, { widthPx, heightPx: widthPx }, raster);
  return clip === undefined ? layer : clipped(library, layer, widthPx, clip);
}

function clipped(library: Library, pixels: Uint8Array, sidePx: number, clip: string): Uint8ClampedArray {
  const { createCanvas, ImageData, Path2D } = library;
  const canvas: RasterCanvas = createCanvas(sidePx, sidePx);
  canvas.getContext('2d').putImageData(new ImageData(new Uint8ClampedArray(pixels), sidePx, sidePx), 0, 0);
  return drawLayer(library, sidePx, (pen) => {
    pen.clip(new Path2D(clip));
    pen.drawImage(canvas, 0, 0, UNITS, UNITS);
  });
}

/** Light from the upper left, folds, seams and stitches: what makes a flat colour a garment. */
function drawFolds({ Path2D }: Library, pen: SKRSContext2D, shape: GarmentShape, ground: string): void {
  const dark = isDark(ground);
  pen.save();
  const whole = new Path2D();
  for (const part of shape.parts) whole.addPath(new Path2D(part));
  pen.clip(whole);
  const light = pen.createLinearGradient(150, 100, 850, 900);
  light.addColorStop(0, `rgba(255, 255, 255, ${dark ? 0.1 : 0.16})`);
  light.addColorStop(0.5, 'rgba(255, 255, 255, 0)');
  light.addColorStop(1, `rgba(0, 0, 0, ${dark ? 0.22 : 0.12})`);
  pen.fillStyle = light;
  pen.fillRect(0, 0, UNITS, UNITS);
  for (const fold of shape.folds) {
    const path = new Path2D(fold);
    for (const [width, strength] of [
      [34, 0.014],
      [24, 0.018],
      [14, 0.022],
      [6, 0.026],
    ] as const) {
      pen.lineCap = 'round';
      pen.lineWidth = width;
      pen.strokeStyle = dark ? `rgba(255, 255, 255, ${strength})` : `rgba(0, 0, 0, ${strength})`;
      pen.stroke(path);
    }
  }
  pen.restore();
  for (const seam of shape.seams) strokePath({ Path2D }, pen, seam, { width: 3, colour: inkOf(dark, 0.24) });
  for (const stitch of shape.stitches) strokePath({ Path2D }, pen, stitch, { width: 1.6, colour: inkOf(dark, 0.18) });
}

function strokePath(
  { Path2D }: Pick<Library, 'Path2D'>,
  pen: SKRSContext2D,
  path: string,
  { width, colour }: { readonly width: number; readonly colour: string },
): void {
  pen.lineWidth = width;
  pen.lineJoin = 'round';
  pen.strokeStyle = colour;
  pen.stroke(new Path2D(path));
}

function inkOf(dark: boolean, strength: number): string {
  return dark ? `rgba(255, 255, 255, ${strength})` : `rgba(0, 0, 0, ${strength})`;
}

/** Shadows are measured in pixels, whatever the scale. */
function scaleOf(pen: SKRSContext2D): number {
  return pen.getTransform().a;
}

function mixed(colour: string, other: string, share: number): string {
  const [from, to] = [channelsOf(colour), channelsOf(other)];
  const channels = from.map((value, index) => Math.round(value + ((to[index] ?? 0) - value) * share));
  return `rgb(${channels.join(', ')})`;
}

function isDark(colour: string): boolean {
  const [red = 0, green = 0, blue = 0] = channelsOf(colour);
  return 0.299 * red + 0.587 * green + 0.114 * blue < DARK_MAX;
}

function channelsOf(colour: string): readonly number[] {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
}
