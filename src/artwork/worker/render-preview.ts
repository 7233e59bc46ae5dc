import sharp from 'sharp';
import type { ImageTask } from '../image-pool.ts';
import { openImage } from './render-print-file.ts';

/** The longer side: 203 dots an inch at 24 mm, the resolution of a shop's document printer. */
const PREVIEW_PX_MAX = 192;
/** A millimetre of paper, and a block of the JPEG. */
const SQUARE_PX = 8;
/** Two greys on which both black and white ink can be seen. */
const SQUARES = [236, 205] as const;
const CHANNELS = 4;
const JPEG = { quality: 82, chromaSubsampling: '4:4:4', progressive: false } as const;

/**
 * Writes a preview of a print file, a JPEG of some ten kilobytes.
 * It shows the whole print area, and so where the artwork sits, with a chequered ground where nothing
 * is printed. Equal input gives equal bytes. Runs in an image child; the file is decoded row by row.
 * Throws what the image library throws.
 */
export async function renderPreview({ sourcePath, targetPath }: ImageTask & { kind: 'preview' }): Promise<void> {
  const { data, info } = await openImage(sourcePath)
    .resize(PREVIEW_PX_MAX, PREVIEW_PX_MAX, { fit: 'inside', withoutEnlargement: true })
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { width, height } = info;
  await sharp(onSquares(data, width), { raw: { width, height, channels: 3 } })
    .jpeg(JPEG)
    .toFile(targetPath);
}

/** RGBA over the chequered ground as RGB. */
function onSquares(pixels: Uint8Array, width: number): Uint8Array {
  const seen = new Uint8Array((pixels.length / CHANNELS) * 3);
  for (let at = 0; at < pixels.length / CHANNELS; at += 1) {
    const column = Math.floor((at % width) / SQUARE_PX);
    const row = Math.floor(Math.floor(at / width) / SQUARE_PX);
    const ground = SQUARES[(column + row) % 2 === 0 ? 0 : 1];
    const alpha = pixels[at * CHANNELS + 3] ?? 0;
    for (let channel = 0; channel < 3; channel += 1) {
      const ink = pixels[at * CHANNELS + channel] ?? 0;
      seen[at * 3 + channel] = Math.round((ink * alpha + ground * (255 - alpha)) / 255);
    }
  }
  return seen;
}
