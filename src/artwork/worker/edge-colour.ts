import type { Size } from '../place.ts';

const CHANNELS = 4;
const OPAQUE_MIN = 250;
/** Of 255 in each channel: the noise of a JPEG is below it. */
const LIKENESS_MAX = 16;
/** A subject may touch the edge: a bust at the bottom, letters that were cut close everywhere. */
const SHARE_MIN = 0.8;

/**
 * The one opaque colour along the edge of an image, as `#rrggbb`.
 * It is a background that would be printed as a box. Null when the edge is transparent or of several colours, as that
 * of a photograph, and when the image is nothing but that colour: then the box is what was drawn. Takes RGBA of 8 bits;
 * a reduced image will do.
 */
export function edgeColour(pixels: Uint8Array, { widthPx, heightPx }: Size): string | null {
  const edge = edgePixels({ widthPx, heightPx });
  const opaque = edge.filter((at) => isOpaque(pixels, at));
  if (opaque.length < SHARE_MIN * edge.length) return null;
  const colour = [0, 1, 2].map((channel) => median(opaque.map((at) => pixels[at + channel] ?? 0)));
  const isLike = (at: number): boolean =>
    isOpaque(pixels, at) &&
    colour.every((value, channel) => Math.abs(value - (pixels[at + channel] ?? 0)) <= LIKENESS_MAX);
  if (edge.filter(isLike).length < SHARE_MIN * edge.length) return null;
  for (let at = 0; at < pixels.length; at += CHANNELS) {
    if (!isLike(at)) return `#${colour.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
  }
  return null;
}

/** Where the outermost pixels start, each once. */
function edgePixels({ widthPx, heightPx }: Size): number[] {
  const found: number[] = [];
  for (let index = 0; index < widthPx * heightPx; index += 1) {
    const x = index % widthPx;
    const y = Math.floor(index / widthPx);
    if (x === 0 || y === 0 || x === widthPx - 1 || y === heightPx - 1) found.push(index * CHANNELS);
  }
  return found;
}

function isOpaque(pixels: Uint8Array, at: number): boolean {
  return (pixels[at + 3] ?? 0) >= OPAQUE_MIN;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
