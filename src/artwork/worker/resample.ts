import type { Sampling, Size } from '../place.ts';

const CHANNELS = 4;

/**
 * Draws a raster on a transparent canvas under any linear mapping, each pixel blended from the four
 * nearest by alpha, so that edges are smooth and nothing bleeds from transparent pixels. Both are RGBA
 * of 8 bits, rows from the top; the result is a new array of the canvas's size.
 */
export function resample(raster: Uint8Array, size: Size, canvas: Size, sampling: Sampling): Uint8Array {
  const { widthPx, heightPx } = size;
  const { u0, ux, uy, v0, vx, vy } = sampling;
  const out = new Uint8Array(canvas.widthPx * canvas.heightPx * CHANNELS);
  for (let y = 0; y < canvas.heightPx; y += 1) {
    // Pixel coordinates are those of centres, on the canvas and in the raster.
    const uRow = u0 + uy * (y + 0.5) - 0.5;
    const vRow = v0 + vy * (y + 0.5) - 0.5;
    for (let x = 0; x < canvas.widthPx; x += 1) {
      const u = uRow + ux * (x + 0.5);
      const v = vRow + vx * (x + 0.5);
      if (u > -1 && v > -1 && u < widthPx && v < heightPx) {
        blend(raster, widthPx, heightPx, u, v, out, (y * canvas.widthPx + x) * CHANNELS);
      }
    }
  }
  return out;
}

/** Writes the colour at (u, v). Outside the raster is transparent, so its edges are half a pixel soft. */
function blend(
  raster: Uint8Array,
  width: number,
  height: number,
  u: number,
  v: number,
  out: Uint8Array,
  at: number,
): void {
  const column = Math.floor(u);
  const row = Math.floor(v);
  const right = u - column;
  const below = v - row;
  let red = 0;
  let green = 0;
  let blue = 0;
  let alpha = 0;
  for (let corner = 0; corner < 4; corner += 1) {
    const isRight = corner & 1;
    const isBelow = corner >> 1;
    const x = column + isRight;
    const y = row + isBelow;
    if (x < 0 || y < 0 || x >= width || y >= height) continue;
    const from = (y * width + x) * CHANNELS;
    const weight = (isRight ? right : 1 - right) * (isBelow ? below : 1 - below) * (raster[from + 3] ?? 0);
    red += weight * (raster[from] ?? 0);
    green += weight * (raster[from + 1] ?? 0);
    blue += weight * (raster[from + 2] ?? 0);
    alpha += weight;
  }
  if (alpha < 0.5) return;
  out[at] = Math.round(red / alpha);
  out[at + 1] = Math.round(green / alpha);
  out[at + 2] = Math.round(blue / alpha);
  out[at + 3] = Math.round(alpha);
}
