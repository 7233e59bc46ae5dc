import type { ImageTask } from '../image-pool.ts';
import { openImage } from './render-print-file.ts';

const PNG = { compressionLevel: 9, progressive: false } as const;

/**
 * Writes a logo as it is printed on paper: a PNG in sRGB on white, at most as large as asked.
 * Upright, without what is transparent and without metadata. Equal input gives equal bytes. Runs in an image child.
 * Throws what the image library throws.
 */
export async function renderLogo(task: ImageTask & { kind: 'logo' }): Promise<void> {
  const { sourcePath, targetPath, widthPx, heightPx } = task;
  await openImage(sourcePath)
    .autoOrient()
    .toColourspace('srgb')
    .resize(widthPx, heightPx, { fit: 'inside', withoutEnlargement: true })
    .flatten({ background: '#ffffff' })
    .png(PNG)
    .toFile(targetPath);
}
