import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { after, describe, test } from 'node:test';
import sharp, { type Sharp } from 'sharp';
import {
  blackPng,
  flat,
  inkBox,
  noise,
  openPictureFolder,
  pixelAt,
  pngChunk,
  pngChunks,
} from '../../test/harness/pictures.ts';
import type { RecipeVersion } from './drawing.ts';
import { openImagePool, type Template } from './image-pool.ts';
import { type NormaliseOutcome, normaliseImage } from './normalise.ts';
import { passingFiles } from './passing-files.ts';
import type { Position } from './place.ts';
import { iccDescription } from './worker/icc-description.ts';

const folder = openPictureFolder();
const pool = openImagePool();
after(async () => {
  await pool.close();
  folder.remove();
});

const CENTRED: Position = { x: 0.5, y: 0.5, scale: 1, rotation: 0 };
const TEMPLATE: Template = { widthPx: 200, heightPx: 300, dpi: 300 };

async function attempt(
  bytes: Uint8Array,
  position: Partial<Position>,
  template: Template,
  version: RecipeVersion = 2,
): Promise<[NormaliseOutcome, string]> {
  const targetPath = folder.path();
  const sourcePath = await folder.save(bytes);
  return [
    await normaliseImage(pool, { version, sourcePath, targetPath, template, position: { ...CENTRED, ...position } }),
    targetPath,
  ];
}

/** The path of the print file of a picture. */
async function printFile(bytes: Uint8Array, position: Partial<Position> = {}, template = TEMPLATE): Promise<string> {
  const [outcome, path] = await attempt(bytes, position, template);
  assert.equal(outcome.kind, 'ok', JSON.stringify(outcome));
  return path;
}

const near = (
  actual: readonly number[] | undefined,
  expected: readonly number[],
  tolerance: number,
  message = '',
): void => {
  const within =
    actual?.length === expected.length &&
    expected.every((value, at) => Math.abs(value - (actual[at] ?? NaN)) <= tolerance);
  assert.ok(within, `${message}: ${JSON.stringify(actual)} is not within ${tolerance} of ${JSON.stringify(expected)}`);
};

const RED_SQUARE = await flat(50, 50, '#ff0000').png().toBuffer();
const RED_WIDE = await flat(100, 50, '#ff0000').png().toBuffer();

/** The bytes of a PNG without its profile. */
function withoutProfile(bytes: Buffer): Buffer {
  const start = bytes.indexOf('iCCP', 0, 'latin1') - 4;
  assert.ok(start > 0, 'it has no profile');
  return Buffer.concat([bytes.subarray(0, start), bytes.subarray(start + 12 + bytes.readUInt32BE(start))]);
}

describe('3.2 template: artwork is resized to the template of its print area: pixels, DPI and format', () => {
  test('the print file is a PNG of exactly the template, with its DPI, in sRGB of 8 bits, with its profile, and no other data', async () => {
    for (const dpi of [150, 300]) {
      const path = await printFile(RED_SQUARE, {}, { ...TEMPLATE, dpi });
      const found = await sharp(path).metadata();
      assert.deepEqual(
        [found.format, found.width, found.height, found.density, found.space, found.depth, found.hasAlpha],
        ['png', 200, 300, dpi, 'srgb', 'uchar', true],
      );
      assert.deepEqual([...new Set(pngChunks(await readFile(path)))], ['IHDR', 'iCCP', 'pHYs', 'IDAT', 'IEND']);
    }
  });

  test('equal artwork and position give equal bytes', async () => {
    const bytes = await noise(120, 90).jpeg().toBuffer();
    for (const position of [{}, { rotation: 33, scale: 2 }]) {
      const [first, second] = await Promise.all([printFile(bytes, position), printFile(bytes, position)]);
      assert.deepEqual(await readFile(first), await readFile(second));
    }
  });

  test('a file of version 2 is that of version 1 to the byte, but for the sRGB profile in it', async () => {
    const red = (): Sharp => flat(40, 60, '#e03010').removeAlpha();
    const sources = [
      RED_WIDE,
      await noise(120, 90).png().toBuffer(),
      await red().toColourspace('cmyk').jpeg().toBuffer(),
      await red().withIccProfile('p3').png().toBuffer(),
      await red().toColourspace('rgb16').withIccProfile('p3').png().toBuffer(),
      await red().toColourspace('b-w').png().toBuffer(),
    ];
    for (const [index, bytes] of sources.entries()) {
      for (const position of [{}, { rotation: 33 }, { x: 9 }]) {
        const [first, second] = await Promise.all(
          ([1, 2] as const).map(async (version) => {
            const [outcome, path] = await attempt(bytes, position, TEMPLATE, version);
            assert.equal(outcome.kind, 'ok');
            return readFile(path);
          }),
        );
        assert.ok(first && second);
        assert.deepEqual(withoutProfile(second), first, `${index} ${JSON.stringify(position)}`);
        assert.ok(!pngChunks(first).includes('iCCP'));
        const { icc } = await sharp(second).metadata();
        assert.equal(icc && iccDescription(icc), 'sRGB');
      }
    }
  });

  test('the outcome tells the length of the file', async () => {
    const [outcome, path] = await attempt(RED_SQUARE, {}, TEMPLATE);
    assert.deepEqual(outcome, { kind: 'ok', bytes: (await readFile(path)).length, widthPx: 200, heightPx: 300 });
  });

  test('what is not a picture or has no usable place fails, and leaves no file behind', async () => {
    const damaged = RED_SQUARE.subarray(0, 60);
    const brokenPixels = Buffer.from(await noise(50, 50).png().toBuffer());
    brokenPixels[200] = (brokenPixels[200] ?? 0) ^ 0xff;
    const rows: readonly (readonly [Uint8Array, Partial<Position>, Template])[] = [
      [Buffer.from('<svg/>'), {}, TEMPLATE],
      [damaged, {}, TEMPLATE],
      [brokenPixels, {}, TEMPLATE],
      [RED_SQUARE, { scale: 0 }, TEMPLATE],
      [RED_SQUARE, { x: Number.NaN }, TEMPLATE],
      [RED_SQUARE, { rotation: Number.POSITIVE_INFINITY }, TEMPLATE],
      [RED_SQUARE, {}, { ...TEMPLATE, widthPx: 12_001 }],
      [RED_SQUARE, {}, { ...TEMPLATE, dpi: 0 }],
    ];
    for (const [bytes, position, template] of rows) {
      const [outcome, path] = await attempt(bytes, position, template);
      assert.equal(outcome.kind, 'failed');
      for (const left of [path, ...passingFiles(path)]) assert.ok(!existsSync(left), left);
      assert.ok(outcome.kind === 'failed' && !outcome.message.includes(path));
    }
  });
});

type Ink = readonly [number, number, number, number];
// On a canvas of 200 x 300: position, then left, top, right and bottom of the ink.
const SQUARES: readonly (readonly [Partial<Position>, Ink])[] = [
  [{}, [0, 50, 200, 250]],
  [{ scale: 0.5 }, [50, 100, 150, 200]],
  [{ scale: 0.5, x: 0.25, y: 0.25 }, [0, 25, 100, 125]],
  [{ scale: 0.5, x: 0, y: 0 }, [0, 0, 50, 50]],
  [{ scale: 0.5, x: 1, y: 1 }, [150, 250, 200, 300]],
  [{ scale: 0.5, x: 1.2, y: 0.5 }, [190, 100, 200, 200]],
  [{ scale: 2 }, [0, 0, 200, 300]],
  [{ scale: 1.25 }, [0, 25, 200, 275]],
  [{ scale: 1_000_000 }, [0, 0, 200, 300]],
  [{ scale: 1e300 }, [0, 0, 200, 300]],
  [{ scale: 1_000_000, rotation: 33 }, [0, 0, 200, 300]],
  [{ scale: 0.001 }, [99, 149, 101, 151]],
  [{ scale: 0.5, rotation: 45 }, [29, 79, 171, 221]],
  [{ scale: 0.5, rotation: 360 + 45 }, [29, 79, 171, 221]],
  [{ scale: 0.5, rotation: -315 }, [29, 79, 171, 221]],
];
const WIDES: readonly (readonly [Partial<Position>, Ink])[] = [
  [{}, [0, 100, 200, 200]],
  [{ rotation: 90 }, [50, 50, 150, 250]],
  [{ rotation: 180 }, [0, 100, 200, 200]],
  [{ rotation: 270 }, [50, 50, 150, 250]],
  [{ rotation: -90 }, [50, 50, 150, 250]],
  [{ rotation: 90, scale: 2 }, [0, 0, 200, 300]],
  [{ rotation: 90, scale: 0.5, x: 0.25, y: 1 }, [25, 250, 75, 300]],
  // Sides of 100 and 50 pixels, turned by 30 degrees: 111.6 across and 93.3 down.
  [{ rotation: 30, scale: 0.5 }, [44, 103, 156, 197]],
];

describe('2.3 position: x and y are fractions of the area, scale multiplies, rotation is in degrees', () => {
  for (const [artwork, name, rows] of [
    [RED_SQUARE, 'a square', SQUARES],
    [RED_WIDE, 'a wide picture', WIDES],
  ] as const) {
    for (const [position, ink] of rows) {
      test(`${name} at ${JSON.stringify(position)} prints in ${ink.join(', ')}`, async () => {
        near(await inkBox(await printFile(artwork, position)), ink, 1);
      });
    }
  }

  test('what lies wholly outside prints nothing: a transparent canvas of the template', async () => {
    for (const position of [
      { x: 3 },
      { y: -2 },
      { x: 1e300 },
      { x: -1e300, rotation: 12 },
      { x: 2, rotation: 45, scale: 0.5 },
    ]) {
      const path = await printFile(RED_SQUARE, position);
      assert.equal(await inkBox(path), undefined);
      const { width, height, density } = await sharp(path).metadata();
      assert.deepEqual([width, height, density], [200, 300, 300]);
    }
  });

  test('rotation is clockwise about the centre of the artwork', async () => {
    const halves = await flat(100, 100, 'red')
      .composite([{ input: await flat(100, 50, 'blue').png().toBuffer(), top: 50, left: 0 }])
      .png()
      .toBuffer();
    // Red on top; after a quarter turn clockwise it is on the right.
    const rows = [
      [0, 100, 70],
      [90, 160, 150],
      [180, 100, 230],
      [270, 40, 150],
      [80, 160, 150],
      [100, 160, 150],
      [181, 100, 230],
    ] as const;
    for (const [rotation, x, y] of rows) {
      near(
        await pixelAt(await printFile(halves, { rotation, scale: 0.9 }), x, y),
        [255, 0, 0, 255],
        3,
        String(rotation),
      );
    }
  });

  test('enlarged artwork shows the part that the position puts on the canvas', async () => {
    const quarters = await flat(100, 150, 'red')
      .composite([
        { input: await flat(50, 75, 'lime').png().toBuffer(), top: 0, left: 50 },
        { input: await flat(50, 75, 'blue').png().toBuffer(), top: 75, left: 0 },
        { input: await flat(50, 75, 'white').png().toBuffer(), top: 75, left: 50 },
      ])
      .png()
      .toBuffer();
    for (const scale of [2, 40]) {
      for (const rotation of [0, 0.001]) {
        const path = await printFile(quarters, { scale, rotation });
        near(await pixelAt(path, 10, 10), [255, 0, 0, 255], 2, `${scale}`);
        near(await pixelAt(path, 190, 10), [0, 255, 0, 255], 2, `${scale}`);
        near(await pixelAt(path, 10, 290), [0, 0, 255, 255], 2, `${scale}`);
        near(await pixelAt(path, 190, 290), [255, 255, 255, 255], 2, `${scale}`);
      }
    }
  });

  test('at a scale of thousands the canvas still shows the part that the position puts on it', async () => {
    const halves = await flat(100, 150, 'red')
      .composite([{ input: await flat(50, 150, 'lime').png().toBuffer(), top: 0, left: 50 }])
      .png()
      .toBuffer();
    for (const rotation of [0, 0.001]) {
      near(await pixelAt(await printFile(halves, { scale: 3_000, x: 100.5, rotation }), 100, 150), [255, 0, 0, 255], 2);
      near(await pixelAt(await printFile(halves, { scale: 3_000, x: -99.5, rotation }), 100, 150), [0, 255, 0, 255], 2);
    }
  });

  test('transparent parts of artwork stay transparent and do not darken its edges', async () => {
    const ring = await flat(100, 100, '#00000000')
      .composite([{ input: await flat(40, 40, 'white').png().toBuffer() }])
      .png()
      .toBuffer();
    for (const rotation of [0, 30]) {
      const { data } = await sharp(await printFile(ring, { rotation, scale: 1.1 }))
        .raw()
        .toBuffer({ resolveWithObject: true });
      for (let at = 0; at < data.length; at += 4) assert.ok((data[at + 3] ?? 0) < 40 || (data[at] ?? 0) > 240);
    }
  });
});

describe('3.2 template: every kind of accepted picture becomes upright sRGB', () => {
  test('each EXIF orientation, and values that do not exist, print upright at any position (H136)', async () => {
    // Stored so that it is upright under the orientation: red above, blue below, a green corner at the top left.
    const upright = await flat(60, 90, 'red')
      .composite([
        { input: await flat(60, 45, 'blue').png().toBuffer(), top: 45, left: 0 },
        { input: await flat(20, 20, 'lime').png().toBuffer(), top: 0, left: 0 },
      ])
      .removeAlpha()
      .png()
      .toBuffer();
    const undo: Readonly<Record<number, (picture: Sharp) => Sharp>> = {
      1: (picture) => picture,
      2: (picture) => picture.flop(),
      3: (picture) => picture.rotate(180),
      4: (picture) => picture.flip(),
      5: (picture) => picture.flip().rotate(90),
      6: (picture) => picture.rotate(270),
      7: (picture) => picture.flip().rotate(270),
      8: (picture) => picture.rotate(90),
    };
    for (const [orientation, store] of Object.entries(undo)) {
      const stored = await sharp(await store(sharp(upright)).png().toBuffer())
        .withMetadata({ orientation: Number(orientation) })
        .jpeg({ quality: 95 })
        .toBuffer();
      for (const position of [{}, { scale: 1.5 }, { rotation: 0.01 }]) {
        const path = await printFile(stored, position);
        const message = `${orientation} ${JSON.stringify(position)}`;
        near(await pixelAt(path, 5, 10), [0, 255, 0, 255], 25, message);
        near(await pixelAt(path, 180, 30), [255, 0, 0, 255], 25, message);
        near(await pixelAt(path, 100, 260), [0, 0, 255, 255], 25, message);
      }
    }
  });

  test('CMYK, 16 bits, Display P3 of 8 and 16 bits, grey, palette and one bit come out as the colour that they show (H135)', async () => {
    const red = (): Sharp => flat(40, 60, '#ff0000').removeAlpha();
    const rows: readonly (readonly [string, Uint8Array, readonly number[], number])[] = [
      ['CMYK', await red().toColourspace('cmyk').jpeg({ quality: 100 }).toBuffer(), [235, 15, 15, 255], 40],
      ['16 bits', await red().toColourspace('rgb16').png().toBuffer(), [255, 0, 0, 255], 1],
      [
        '16 bits with an sRGB profile',
        await red().toColourspace('rgb16').withIccProfile('srgb').png().toBuffer(),
        [255, 0, 0, 255],
        1,
      ],
      [
        '16 bits in Display P3',
        await red().toColourspace('rgb16').withIccProfile('p3').png().toBuffer(),
        [255, 0, 0, 255],
        2,
      ],
      ['8 bits in Display P3', await red().withIccProfile('p3').png().toBuffer(), [255, 0, 0, 255], 2],
      ['JPEG in Display P3', await red().withIccProfile('p3').jpeg({ quality: 100 }).toBuffer(), [255, 0, 0, 255], 6],
      ['palette', await red().png({ palette: true }).toBuffer(), [255, 0, 0, 255], 1],
      [
        'grey',
        await flat(40, 60, '#777777').removeAlpha().toColourspace('b-w').png().toBuffer(),
        [119, 119, 119, 255],
        1,
      ],
      [
        'grey of 16 bits',
        await flat(40, 60, '#777777').removeAlpha().toColourspace('grey16').png().toBuffer(),
        [119, 119, 119, 255],
        1,
      ],
      ['one bit', blackPng(40, 60), [0, 0, 0, 255], 0],
    ];
    for (const [name, bytes, colour, tolerance] of rows) {
      for (const position of [{}, { rotation: 5 }]) {
        const path = await printFile(bytes, position);
        near(await pixelAt(path, 100, 150), colour, tolerance, name);
        assert.deepEqual(
          [(await sharp(path).metadata()).depth, (await sharp(path).metadata()).space],
          ['uchar', 'srgb'],
          name,
        );
      }
    }
  });

  test('a colour profile of garbage is ignored (H137)', async () => {
    const bytes = await flat(40, 60, '#ff0000').withIccProfile('p3').removeAlpha().jpeg({ quality: 100 }).toBuffer();
    const at = bytes.indexOf('ICC_PROFILE') + 14;
    bytes.fill(0x5a, at + 8, at + 400);
    near(await pixelAt(await printFile(bytes), 100, 150), [234, 51, 35, 255], 25);
  });

  test('GPS, EXIF, text and whatever follows the end of a file are not in the print file (H133, H136)', async () => {
    const secret = 'geheim-51.5007';
    const exif = { IFD0: { Copyright: secret }, IFD3: { GPSLatitude: '51/1 30/1 0/1' } };
    const tail = Buffer.from(`<?php ${secret} ?><html>PK\x03\x04`);
    for (const format of ['png', 'jpeg', 'webp'] as const) {
      const bytes = Buffer.concat([await noise(40, 60).withExif(exif).toFormat(format).toBuffer(), tail]);
      const file = await readFile(await printFile(bytes));
      assert.ok(!file.includes(secret) && !file.includes('<html>'));
      assert.equal((await sharp(file).metadata()).exif, undefined);
    }
  });

  test('the first frame alone of an animated picture is printed (H134)', async () => {
    const frames = await Promise.all(['red', 'blue'].map((colour) => flat(40, 60, colour).png().toBuffer()));
    const webp = await sharp(frames, { join: { animated: true } })
      .webp({ lossless: true })
      .toBuffer();
    near(await pixelAt(await printFile(webp), 100, 150), [255, 0, 0, 255], 1);
    const control = Buffer.alloc(8);
    control.writeUInt32BE(2, 0);
    near(await pixelAt(await printFile(blackPng(40, 60, pngChunk('acTL', control))), 100, 150), [0, 0, 0, 255], 0);
  });
});
