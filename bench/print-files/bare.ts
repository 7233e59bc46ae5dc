import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { placeArtwork } from '../../src/artwork/place.ts';
import { lowerPriorityOfProcess } from '../../src/lib/turns/lower-priority.ts';
import { answer } from '../service-process.ts';
import { drawPictures, positionOf, type Round, TEMPLATE } from './work.ts';

/**
 * The same operations in plain sharp, one after the other in one process of the same priority: the print file, and its
 * preview. No queue, no database, no checks.
 */
lowerPriorityOfProcess();
sharp.cache(false);
sharp.concurrency(1);
const folder = await mkdtemp(join(tmpdir(), 'platen-bench-'));
const paths = await Promise.all(
  (await drawPictures()).map(async (picture, index) => {
    const path = join(folder, String(index));
    await writeFile(path, picture);
    return path;
  }),
);
process.send?.({});

answer(async ({ round, files }: Round) => {
  const target = join(folder, 'made.png');
  for (let file = 0; file < files; file += 1) await make(paths[file % paths.length] ?? '', target, round, file);
  return {};
});
process.on('SIGTERM', () => void rm(folder, { recursive: true, force: true }).then(() => process.exit(0)));

async function make(source: string, target: string, round: number, file: number): Promise<void> {
  const { width, height } = await sharp(source).metadata();
  const placed = placeArtwork({ widthPx: width, heightPx: height }, TEMPLATE, positionOf(round, file));
  if (placed.kind !== 'parallel') throw new Error('the artwork is not to be turned');
  const { resized, leftPx, topPx } = placed;
  await sharp(source, { sequentialRead: true })
    .toColourspace('srgb')
    .resize(resized.widthPx, resized.heightPx, { fit: 'fill' })
    .extend({
      left: leftPx,
      top: topPx,
      right: TEMPLATE.widthPx - leftPx - resized.widthPx,
      bottom: TEMPLATE.heightPx - topPx - resized.heightPx,
      background: { r: 0, g: 0, b: 0, alpha: 0 },
    })
    .withIccProfile('srgb')
    .png({ compressionLevel: 4, adaptiveFiltering: false })
    .toFile(target);
  await sharp(target, { sequentialRead: true })
    .resize(192, 192, { fit: 'inside' })
    .flatten({ background: '#ececec' })
    .jpeg({ quality: 82 })
    .toFile(`${target}.jpg`);
}
