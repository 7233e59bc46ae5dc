import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { openTestContext, type TestContext } from '../../test/harness/context.ts';
import { flat, noise, openPictureFolder } from '../../test/harness/pictures.ts';
import { openBlobStore } from '../lib/blobs.ts';
import type { ArtworkContext } from './context.ts';
import { type ImagePool, openImagePool } from './image-pool.ts';
import { makePreview, readPreview } from './preview.ts';

const folder = openPictureFolder();
let plain: TestContext;
let images: ImagePool;
let ctx: ArtworkContext;
before(async () => {
  plain = await openTestContext({});
  images = openImagePool();
  ctx = { ...plain, images, blobs: openBlobStore('file:', folder.path()) };
});
after(async () => {
  await images.close();
  await plain.close();
  folder.remove();
});

/** The small picture of a print file, and its stored bytes. */
async function previewOf(png: Uint8Array): Promise<{ hash: string; jpeg: Uint8Array }> {
  const stored = await makePreview(ctx, 'a key', await folder.save(png));
  const hash = stored?.hash ?? assert.fail('no picture');
  return { hash, jpeg: (await readPreview(ctx, hash)) ?? assert.fail('not stored') };
}

test('a small picture keeps the shape of its print area and is never larger than 192 pixels; a smaller area stays as it is', async () => {
  const cases = [
    { area: [3_543, 4_724], picture: [144, 192] },
    { area: [2_000, 500], picture: [192, 48] },
    { area: [6_000, 20], picture: [192, 1] },
    { area: [40, 30], picture: [40, 30] },
  ] as const;
  for (const { area, picture } of cases) {
    const { jpeg } = await previewOf(await flat(area[0], area[1], '#336699').png().toBuffer());
    const { format, width, height } = await sharp(jpeg).metadata();
    assert.deepEqual([format, width, height], ['jpeg', ...picture]);
  }
});

test('the worst of artwork makes a small picture that is read back, and equal files have equal pictures', async () => {
  const png = await noise(1_500, 1_500).png().toBuffer();
  const [one, two] = [await previewOf(png), await previewOf(png)];
  assert.ok(one.jpeg.byteLength < 96 * 1024, `${one.jpeg.byteLength}`);
  assert.equal(one.hash, two.hash);
});

test('half-transparent ink is mixed with the ground', async () => {
  const background = { r: 0, g: 0, b: 0, alpha: 0.5 };
  const png = await sharp({ create: { width: 192, height: 192, channels: 4, background } })
    .png()
    .toBuffer();
  const { data } = await sharp((await previewOf(png)).jpeg)
    .raw()
    .toBuffer({ resolveWithObject: true });
  const squares = [data[(3 * 192 + 3) * 3], data[(3 * 192 + 11) * 3]];
  for (const [index, ground] of [236, 205].entries()) {
    assert.ok(Math.abs((squares[index] ?? 0) - ground / 2) < 4, squares.join());
  }
});

test('a file that does not decode has no picture: it is logged, and nothing is left behind', async () => {
  const png = await flat(300, 300, '#336699').png().toBuffer();
  const path = await folder.save(png.subarray(0, 200));
  const scratch: string[] = [];
  const watched = {
    ...ctx,
    blobs: {
      ...ctx.blobs,
      scratchPath: () => {
        scratch.push(ctx.blobs.scratchPath());
        return scratch.at(-1) ?? '';
      },
    },
  };
  assert.equal(await makePreview(watched, 'a broken one', path), undefined);
  assert.equal(scratch.length, 1);
  assert.ok(!existsSync(scratch[0] ?? ''));
  assert.ok(plain.logged.some((line) => line.includes('a broken one') && !line.includes(path)));
});
