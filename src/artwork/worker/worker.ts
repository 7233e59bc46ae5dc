import { setImmediate as nextTurn } from 'node:timers/promises';
import sharp, { type Metadata } from 'sharp';
import { lowerPriorityOfProcess } from '../../lib/turns/lower-priority.ts';
import { NEWEST_OF_TEXTS, type TextDrawing, type TextVerdict } from '../drawing.ts';
import type { ImageAnswer, ImageFacts, ImageTask } from '../image-pool.ts';
import type { Size } from '../place.ts';
import { edgeColour } from './edge-colour.ts';
import { iccDescription } from './icc-description.ts';
import { isWideGamut } from './icc-gamut.ts';
import { renderLogo } from './render-logo.ts';
import { renderMockup } from './render-mockup.ts';
import { renderPersonalised } from './render-personalised.ts';
import { renderPicture } from './render-picture.ts';
import { renderPreview } from './render-preview.ts';
import { openImage, renderPrintFile } from './render-print-file.ts';
import { createTextRenderer } from './text-renderer.ts';

/**
 * The program of an image child: takes one task at a time from its parent and answers it.
 * Everything that decodes runs here, where it can be killed (bad-input, finding 1).
 */
function main(): void {
  lowerPriorityOfProcess();
  // Only the three formats, in the decoder itself (bad-input, finding 8).
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: ['VipsForeignLoadPngFile', 'VipsForeignLoadJpegFile', 'VipsForeignLoadWebpFile'] });
  sharp.cache(false);
  sharp.concurrency(1);
  // Ctrl-C and some supervisors signal the whole group: the parent still waits for the task, and a child that died of
  // the stop would have its picture taken for a damaged one.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
  // Without its parent it is useless; an orderly exit would wait for the decoder.
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  process.on('message', (task: ImageTask) => {
    void serve(task);
  });
}

async function serve(task: ImageTask): Promise<void> {
  const reply = await answer(task);
  await releasePixels();
  process.send?.(reply);
}

async function answer(task: ImageTask): Promise<ImageAnswer> {
  try {
    if (task.kind === 'inspect') return { kind: 'inspected', facts: await inspect(task) };
    if (task.kind === 'judge_texts') return { kind: 'judged', verdicts: await judgeTexts(task.texts) };
    if (task.kind === 'preview') await renderPreview(task);
    else if (task.kind === 'picture') await renderPicture(task);
    else if (task.kind === 'mockup') await renderMockup(task);
    else if (task.kind === 'logo') await renderLogo(task);
    else {
      if (task.kind === 'personalise') await renderPersonalised(task);
      else await renderPrintFile(task);
      return { kind: 'normalised' };
    }
    return { kind: 'previewed' };
  } catch (error) {
    // The library's messages name files of this machine and its own parts; these replace them.
    return isOfTheMachine(error) ? { kind: 'hindered' } : { kind: 'failed', message: FAILURES[task.kind] };
  }
}

/**
 * What the system answers when the machine is at fault and not the picture, in its own words.
 * The image library gives no code, only these.
 */
const OF_THE_MACHINE =
  /No space left on device|Disk quota exceeded|File too large|Input\/output error|Stale file handle|No such file or directory|Read-only file system|Permission denied|Cannot allocate memory|Too many open files/;

function isOfTheMachine(error: unknown): boolean {
  return error instanceof Error && OF_THE_MACHINE.test(error.message);
}

const FAILURES: Readonly<Record<ImageTask['kind'], string>> = {
  inspect: 'its pixels cannot be decoded',
  normalise: 'its pixels cannot be decoded',
  personalise: 'one of its pictures or texts cannot be drawn',
  preview: 'its pixels cannot be decoded',
  picture: 'its pixels cannot be decoded',
  mockup: 'its pixels cannot be decoded',
  logo: 'its pixels cannot be decoded',
  judge_texts: 'it cannot be drawn',
};

async function judgeTexts(texts: readonly TextDrawing[]): Promise<readonly TextVerdict[]> {
  const renderer = await createTextRenderer(NEWEST_OF_TEXTS);
  try {
    return texts.map(renderer.judge);
  } finally {
    renderer.close();
  }
}

/**
 * Frees the pixels of the task before the parent counts this child as idle.
 * They lie outside the collector's own heap, which alone would give it no reason to run: up to 230 MiB
 * were seen to stay.
 */
async function releasePixels(): Promise<void> {
  globalThis.gc?.();
  // The memory itself is returned on the next turn.
  await nextTurn();
}

async function inspect(task: ImageTask & { kind: 'inspect' }): Promise<ImageFacts> {
  const metadata = await openImage(task.path).metadata();
  return factsOf(metadata, await decodeAll(task.path));
}

const REDUCED: Size = { widthPx: 64, heightPx: 64 };

/**
 * Decodes every pixel and keeps a reduced image, RGBA of 8 bits in the colours of the file.
 *
 * JPEG and WebP are decoded at a reduced scale, which still reads all of their data; all pixels of a PNG are averaged.
 * Measured at 59 megapixels against statistics of all pixels: PNG 0.7 for 1.9 s (2.3 with 16 bits and transparency),
 * JPEG 0.15 for 1.7 s, WebP 0.9 for 2.5 s and 85 for 530 MiB.
 */
async function decodeAll(path: string): Promise<Uint8Array> {
  return openImage(path, { ignoreIcc: true })
    .resize(REDUCED.widthPx, REDUCED.heightPx, { fit: 'fill', kernel: 'linear' })
    .toColourspace('srgb')
    .ensureAlpha()
    .raw()
    .toBuffer();
}

function factsOf(metadata: Metadata, reduced: Uint8Array): ImageFacts {
  return {
    stored: { widthPx: metadata.width, heightPx: metadata.height },
    upright: { widthPx: metadata.autoOrient.width, heightPx: metadata.autoOrient.height },
    hasAlpha: metadata.hasAlpha,
    colourSpace: metadata.space,
    bitDepth: metadata.depth === 'ushort' ? 16 : 8,
    dpi: metadata.density ?? null,
    iccProfile: metadata.icc === undefined ? null : iccDescription(metadata.icc),
    isWideGamut: metadata.space !== 'cmyk' && metadata.icc !== undefined && isWideGamut(metadata.icc),
    edgeColour: edgeColour(reduced, REDUCED),
  };
}

main();
