import type { Rectangle, Size } from '../place.ts';

/** Pixels with their place: RGBA of 8 bits, not premultiplied, rows from the top. */
export type Raster = Rectangle & { readonly pixels: Uint8Array | Uint8ClampedArray };

const CHANNELS = 4;
const OPAQUE = 255;

/** An empty canvas: transparent. */
export function emptyPixels({ widthPx, heightPx }: Size): Uint8Array {
  return new Uint8Array(widthPx * heightPx * CHANNELS);
}

/**
 * Draws a raster over a canvas, in place, by its alpha (the `over` of Porter and Duff).
 * Where the canvas is empty or the raster opaque, its pixels are copied unchanged. Pixels outside the
 * canvas are left out.
 */
export function layOver(canvas: Uint8Array, { widthPx, heightPx }: Size, raster: Raster): void {
  const firstRow = Math.max(0, -raster.top);
  const lastRow = Math.min(raster.height, heightPx - raster.top);
  const firstColumn = Math.max(0, -raster.left);
  const lastColumn = Math.min(raster.width, widthPx - raster.left);
  for (let row = firstRow; row < lastRow; row += 1) {
    let from = (row * raster.width + firstColumn) * CHANNELS;
    let to = ((row + raster.top) * widthPx + raster.left + firstColumn) * CHANNELS;
    for (let column = firstColumn; column < lastColumn; column += 1) {
      layPixel(canvas, to, raster.pixels, from);
      from += CHANNELS;
      to += CHANNELS;
    }
  }
}

function layPixel(canvas: Uint8Array, to: number, pixels: Raster['pixels'], from: number): void {
  const alpha = pixels[from + 3] ?? 0;
  const below = canvas[to + 3] ?? 0;
  if (alpha === 0) return;
  if (alpha === OPAQUE || below === 0) {
    for (let channel = 0; channel < CHANNELS; channel += 1) canvas[to + channel] = pixels[from + channel] ?? 0;
    return;
  }
  // In 255ths of 255ths, so that nothing is rounded before the end.
  const over = alpha * OPAQUE;
  const under = below * (OPAQUE - alpha);
  const sum = over + under;
  for (let channel = 0; channel < CHANNELS - 1; channel += 1) {
    const blended = (pixels[from + channel] ?? 0) * over + (canvas[to + channel] ?? 0) * under;
    canvas[to + channel] = Math.round(blended / sum);
  }
  canvas[to + 3] = Math.round(sum / OPAQUE);
}
