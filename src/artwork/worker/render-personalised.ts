import type { ImageTask } from '../image-pool.ts';
import { stampDensity } from './png-density.ts';
import { emptyPixels, layOver, type Raster } from './raster.ts';
import { rasterise, writePrintFile } from './render-print-file.ts';
import { createTextRenderer, type TextRenderer } from './text-renderer.ts';

type PersonaliseTask = ImageTask & { kind: 'personalise' };
type PictureToDraw = PersonaliseTask['drawings'][number] & { kind: 'picture' };

const CHANNELS = 4;

/**
 * Writes the print file of a personalised piece (spec 3.2).
 *
 * Its drawings are laid one over the other on a transparent canvas of exactly the template's pixels, with its density,
 * sRGB of 8 bits; equal input gives equal bytes. One drawing is held at a time beside the canvas. Runs in an image
 * child. Throws what the libraries throw.
 */
export async function renderPersonalised(task: PersonaliseTask): Promise<void> {
  const { version, template, drawings, targetPath } = task;
  const canvas = emptyPixels(template);
  let renderer: TextRenderer | undefined;
  try {
    for (const drawing of drawings) {
      if (drawing.kind === 'picture') {
        layOver(canvas, template, await imageRaster(drawing, targetPath, canvas.length));
        continue;
      }
      renderer ??= await createTextRenderer(version);
      const ink = renderer.draw(drawing);
      if (ink === undefined) continue;
      layOver(canvas, template, { ...ink, left: drawing.box.left + ink.left, top: drawing.box.top + ink.top });
    }
  } finally {
    renderer?.close();
  }
  await writePrintFile(canvas, template, { version, path: targetPath });
  await stampDensity(targetPath, template.dpi);
}

async function imageRaster(drawing: PictureToDraw, targetPath: string, canvasBytes: number): Promise<Raster> {
  const { box, fit, sourcePath, decodeBytes } = drawing;
  const pixels = await rasterise({
    sourcePath,
    targetPath,
    decodeBytes,
    fit,
    canvas: { widthPx: box.width, heightPx: box.height },
    heldBytes: canvasBytes + box.width * box.height * CHANNELS,
  });
  return { ...box, pixels };
}
