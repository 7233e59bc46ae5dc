import sharp from 'sharp';
import type { ImageTask, ProofShape } from '../image-pool.ts';
import { openImage } from './render-print-file.ts';

const JPEG = { quality: 88, chromaSubsampling: '4:4:4', progressive: false } as const;
const WEBP = { quality: 84, alphaQuality: 90, effort: 2 } as const;
const CHANNELS = 4;

/**
 * Writes a stored picture at most as wide as asked, upright and in sRGB.
 * On a colour it is a JPEG, as a proof of a print file is; without one a WebP that keeps what is transparent. Runs in
 * an image child. Throws what the image library throws.
 */
export async function renderPicture(task: ImageTask & { kind: 'picture' }): Promise<void> {
  const picture = openImage(task.sourcePath)
    .autoOrient()
    .toColourspace('srgb')
    .resize(task.widthPx, null, { withoutEnlargement: true });
  const shown = task.ground === null ? picture.webp(WEBP) : picture.flatten({ background: task.ground }).jpeg(JPEG);
  await shown.toFile(task.targetPath);
}

/** Writes the pixels of a canvas (RGBA of 8 bits) as a proof: a JPEG on the colour of the product. */
export async function writeProof(pixels: Uint8Array, proof: ProofShape, path: string): Promise<void> {
  const { widthPx: width, heightPx: height, ground } = proof;
  await sharp(pixels, { raw: { width, height, channels: CHANNELS } })
    .flatten({ background: ground })
    .jpeg(JPEG)
    .toFile(path);
}
