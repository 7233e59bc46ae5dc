import type { ImageTask } from '../image-pool.ts';
import type { Rectangle } from '../place.ts';
import { stampDensity } from './png-density.ts';
import { emptyPixels, layOver, type Raster } from './raster.ts';
import { writeProof } from './render-picture.ts';
import { rasterise, writePrintFile } from './render-print-file.ts';
import { createTextRenderer, type TextRenderer } from './text-renderer.ts';

type PersonaliseTask = ImageTask & { kind: 'personalise' };
type PictureToDraw = PersonaliseTask['drawings'][number] & { kind: 'picture' };

const CHANNELS = 4;

/**
 * Writes the print file of a personalised piece (spec 3.2).
 *
 * Its drawings are laid one over the other on a transparent canvas of exactly the template's pixels, with its density,
 * sRGB of 8 bits; equal input gives equal bytes. One drawing is held at a time beside the canvas. A proof is the same
 * drawing at fewer pixels: texts are laid out at the size of the print and then drawn smaller, so that they break where
 * they will. Runs in an image child. Throws what the libraries throw.
 */
export async function renderPersonalised(task: PersonaliseTask): Promise<void> {
  const { version, template, drawings, targetPath, proof } = task;
  const size = proof ?? template;
  const scale = size.widthPx / template.widthPx;
  const canvas = emptyPixels(size);
  let renderer: TextRenderer | undefined;
  try {
    for (const drawing of drawings) {
      if (drawing.kind === 'picture') {
        layOver(canvas, size, await imageRaster(drawing, scaled(drawing.box, scale), targetPath, canvas.length));
        continue;
      }
      renderer ??= await createTextRenderer(version);
      const ink = renderer.draw(drawing, scale);
      if (ink !== undefined) layOver(canvas, size, ink);
    }
  } finally {
    renderer?.close();
  }
  if (proof !== undefined) return writeProof(canvas, proof, targetPath);
  await writePrintFile(canvas, template, { version, path: targetPath });
  await stampDensity(targetPath, template.dpi);
}

/** A box in the pixels of a proof; each edge is rounded, so that neighbours still touch. */
function scaled({ left, top, width, height }: Rectangle, scale: number): Rectangle {
  const [from, above] = [Math.round(left * scale), Math.round(top * scale)];
  return {
    left: from,
    top: above,
    width: Math.max(1, Math.round((left + width) * scale) - from),
    height: Math.max(1, Math.round((top + height) * scale) - above),
  };
}

async function imageRaster(
  { fit, sourcePath, decodeBytes }: PictureToDraw,
  box: Rectangle,
  targetPath: string,
  canvasBytes: number,
): Promise<Raster> {
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
