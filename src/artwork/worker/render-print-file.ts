import { rm } from 'node:fs/promises';
import sharp, { type Sharp, type SharpOptions } from 'sharp';
import type { RecipeVersion } from '../drawing.ts';
import type { ImageTask } from '../image-pool.ts';
import { passingFiles } from '../passing-files.ts';
import { type Placement, type Position, placeArtwork, type QuarterTurn, type Rectangle, type Size } from '../place.ts';
import { PICTURE_PX_MAX } from '../sniff/header.ts';
import { type Orientation, orientationOf, orientSize, storedRectangle, turnFurther } from './orient.ts';
import { stampDensity } from './png-density.ts';
import { emptyPixels } from './raster.ts';
import { resample } from './resample.ts';

type NormaliseTask = ImageTask & { kind: 'normalise' };

const CHANNELS = 4;
const TRANSPARENT = { r: 0, g: 0, b: 0, alpha: 0 };
/**
 * Filters off; levels 2 to 6 differ by 4 % in size and 11 % in time, of flat artwork and of
 * photographs (24 megapixels).
 */
const PRINT_FILE = { compressionLevel: 4, adaptiveFiltering: false } as const;
const PASSING_FILE = { compressionLevel: 1, adaptiveFiltering: false } as const;
/**
 * The most memory that decoding and a turn may need together.
 * Past it the image is first unpacked into a file that decodes row by row: the pool's 600 MiB would
 * not do for both at once.
 */
const TOGETHER_BYTES_MAX = 460 * 1024 * 1024;

/**
 * Writes the print file of an image (spec 3.2).
 *
 * It is a PNG of exactly the template's pixels and density, sRGB of 8 bits with its profile on a transparent canvas,
 * without any metadata of the source; equal input gives equal bytes. Runs in an image child. Throws what the image
 * library throws.
 */
export async function renderPrintFile(task: NormaliseTask): Promise<void> {
  try {
    const source = await readSource(task.sourcePath);
    const upright = orientSize(source.stored, source.orientation);
    const placement = placeArtwork(upright, task.template, task.position);
    await render(task, source, placement);
    await stampDensity(task.targetPath, task.template.dpi);
  } finally {
    await removePassing(task.targetPath);
  }
}

/** An image for a canvas of its own. `targetPath` names the files between two passes. */
export type ImageToRasterise = Pick<NormaliseTask, 'sourcePath' | 'targetPath' | 'decodeBytes'> & {
  readonly canvas: Size;
  readonly fit: 'contain' | 'cover';
  /** Where it lies, in place of the middle; at scale 1 it is contained. */
  readonly position?: Position;
  /** Memory in use already while the image is decoded. */
  readonly heldBytes: number;
};

/**
 * The pixels of an image in the middle of a canvas, which it covers or is contained in.
 *
 * Upright, RGBA of 8 bits in sRGB, rows from the top. Runs in an image child. Throws what the image library throws.
 */
export async function rasterise(picture: ImageToRasterise): Promise<Uint8Array> {
  const { canvas, fit, targetPath } = picture;
  try {
    const source = await readSource(picture.sourcePath);
    const upright = orientSize(source.stored, source.orientation);
    const across = canvas.widthPx / upright.widthPx;
    const down = canvas.heightPx / upright.heightPx;
    // Placed at scale 1 an image just fits inside.
    const scale = fit === 'cover' ? Math.max(across, down) / Math.min(across, down) : 1;
    const placement = placeArtwork(upright, canvas, picture.position ?? { ...MIDDLE, scale });
    if (placement.kind === 'nothing') return emptyPixels(canvas);
    const ready = await unpacked(picture, source, 0, placement.resized);
    if (placement.kind === 'sampled') return await sampledCanvas(targetPath, canvas, ready, placement);
    return await parallelCanvas(canvas, ready, placement).ensureAlpha().raw().toBuffer();
  } finally {
    await removePassing(targetPath);
  }
}

const MIDDLE = { x: 0.5, y: 0.5, rotation: 0 };

/** Writes the pixels of a whole canvas (RGBA of 8 bits) as a print file. */
export async function writePrintFile(
  pixels: Uint8Array,
  { widthPx, heightPx }: Size,
  { version, path }: { version: RecipeVersion; path: string },
): Promise<void> {
  const canvas = sharp(pixels, { raw: { width: widthPx, height: heightPx, channels: CHANNELS } });
  await asPrintFile(canvas, version).toFile(path);
}

/**
 * The PNG of a canvas whose colours are sRGB already.
 * Its profile says so to programs that would otherwise guess; the pixels are those of version 1.
 */
function asPrintFile(canvas: Sharp, version: RecipeVersion): Sharp {
  return (version === 1 ? canvas : canvas.withIccProfile('srgb')).png(PRINT_FILE);
}

/**
 * Opens an image with every limit stated.
 * Any fault of the file is an error, and only its first frame is decoded.
 */
export function openImage(path: string, options: Pick<SharpOptions, 'ignoreIcc'> = {}): Sharp {
  return sharp(path, { failOn: 'error', limitInputPixels: PICTURE_PX_MAX, sequentialRead: true, pages: 1, ...options });
}

async function removePassing(targetPath: string): Promise<void> {
  await Promise.all(passingFiles(targetPath).map((path) => rm(path, { force: true })));
}

type Source = { path: string; stored: Size; orientation: Orientation; isDeep: boolean };

async function readSource(path: string): Promise<Source> {
  const { width, height, orientation, depth } = await openImage(path).metadata();
  return {
    path,
    stored: { widthPx: width, heightPx: height },
    orientation: orientationOf(orientation),
    isDeep: depth === 'ushort',
  };
}

async function render(task: NormaliseTask, source: Source, placement: Placement): Promise<void> {
  switch (placement.kind) {
    case 'nothing':
      await asPrintFile(emptyCanvas(task.template), task.version).toFile(task.targetPath);
      return;
    case 'parallel':
      await renderParallel(
        task,
        await unpacked({ ...task, heldBytes: 0 }, source, placement.turn, placement.resized),
        placement,
      );
      return;
    case 'sampled':
      await renderSampled(task, await unpacked({ ...task, heldBytes: 0 }, source, 0, placement.resized), placement);
      return;
  }
}

function emptyCanvas({ widthPx, heightPx }: Size): Sharp {
  return sharp({ create: { width: widthPx, height: heightPx, channels: CHANNELS, background: TRANSPARENT } });
}

/** The source, or a file of the same pixels where its decoder and a turn together need too much memory. */
async function unpacked(
  { decodeBytes, heldBytes, targetPath }: Omit<ImageToRasterise, 'sourcePath' | 'canvas' | 'fit'>,
  source: Source,
  further: QuarterTurn,
  resized: Size,
): Promise<Source> {
  const { flip, turn } = turnFurther(source.orientation, further);
  const turnBytes = flip || turn !== 0 ? resized.widthPx * resized.heightPx * CHANNELS : 0;
  if (decodeBytes + heldBytes + turnBytes <= TOGETHER_BYTES_MAX) return source;
  const [path] = passingFiles(targetPath);
  await openColours(source).png(PASSING_FILE).toFile(path);
  return { ...source, path, isDeep: false };
}

/** One pass from file to file: what is not on the canvas is never held. */
async function renderParallel(
  task: NormaliseTask,
  source: Source,
  placement: Placement & { kind: 'parallel' },
): Promise<void> {
  await asPrintFile(parallelCanvas(task.template, source, placement), task.version).toFile(task.targetPath);
}

function parallelCanvas(canvas: Size, source: Source, placement: Placement & { kind: 'parallel' }): Sharp {
  const { cut, resized, leftPx, topPx } = placement;
  const artwork = resizeCrop(source, turnFurther(source.orientation, placement.turn), placement.crop, resized);
  const visible = isWhole(cut, resized) ? artwork : artwork.extract(cut);
  return visible.extend({
    left: leftPx,
    top: topPx,
    right: canvas.widthPx - leftPx - cut.width,
    bottom: canvas.heightPx - topPx - cut.height,
    background: TRANSPARENT,
  });
}

/** Two passes, so that the decoder's memory is free again before the canvas is allocated. */
async function renderSampled(
  task: NormaliseTask,
  source: Source,
  placement: Placement & { kind: 'sampled' },
): Promise<void> {
  const { version, template, targetPath } = task;
  const pixels = await sampledCanvas(targetPath, template, source, placement);
  await writePrintFile(pixels, template, { version, path: targetPath });
}

async function sampledCanvas(
  targetPath: string,
  canvas: Size,
  source: Source,
  { crop, resized, sampling }: Placement & { kind: 'sampled' },
): Promise<Uint8Array> {
  const [, passing] = passingFiles(targetPath);
  await resizeCrop(source, source.orientation, crop, resized).png(PASSING_FILE).toFile(passing);
  const raster = await openImage(passing).ensureAlpha().raw().toBuffer();
  return resample(raster, resized, canvas, sampling);
}

/**
 * The crop of the visible image at its new size, upright.
 * Crop and size are turned into the stored image's own axes, so that the source is read in its order
 * and only what was resized is ever turned.
 */
function resizeCrop(source: Source, orientation: Orientation, crop: Rectangle, resized: Size): Sharp {
  const picture = openColours(source);
  const storedCrop = storedRectangle(crop, source.stored, orientation);
  if (!isWhole(storedCrop, source.stored)) picture.extract(storedCrop);
  const size = orientSize(resized, orientation);
  picture.resize(size.widthPx, size.heightPx, { fit: 'fill' });
  if (orientation.flip) picture.flip();
  if (orientation.turn !== 0) picture.rotate(orientation.turn);
  return picture;
}

/**
 * Colours leave a pipeline as sRGB, by the image's own profile where it has a good one.
 * Images of 16 bits with a profile came out with Display P3 values (sharp 0.35.5) unless the whole
 * pipeline works in sRGB.
 */
function openColours({ path, isDeep }: Source): Sharp {
  const picture = openImage(path).toColourspace('srgb');
  return isDeep ? picture.pipelineColourspace('srgb') : picture;
}

function isWhole(part: Rectangle, size: Size): boolean {
  return part.left === 0 && part.top === 0 && part.width === size.widthPx && part.height === size.heightPx;
}
