import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import sharp from 'sharp';
import { isWideGamut } from './icc-gamut.ts';

type Primary = readonly [x: number, y: number, z: number];

/** An RGB profile of these primaries, or of none, with a name. */
function profileOf(name: string, primaries: readonly Primary[], space = 'RGB '): Buffer {
  const text = Buffer.alloc(13 + name.length);
  text.write('desc', 0, 'latin1');
  text.writeUInt32BE(name.length + 1, 8);
  text.write(name, 12, 'latin1');
  const data = [text, ...primaries.map(xyz)];
  const tags = ['desc', 'rXYZ', 'gXYZ', 'bXYZ'];
  const header = Buffer.alloc(132 + 12 * data.length);
  header.write(space, 16, 'latin1');
  header.write('acsp', 36, 'latin1');
  header.writeUInt32BE(data.length, 128);
  let offset = header.length;
  for (const [index, bytes] of data.entries()) {
    header.write(tags[index] ?? '', 132 + 12 * index, 'latin1');
    header.writeUInt32BE(offset, 136 + 12 * index);
    header.writeUInt32BE(bytes.length, 140 + 12 * index);
    offset += bytes.length;
  }
  return Buffer.concat([header, ...data]);
}

function xyz(primary: Primary): Buffer {
  const bytes = Buffer.alloc(20);
  bytes.write('XYZ ', 0, 'latin1');
  for (const [index, value] of primary.entries()) bytes.writeInt32BE(Math.round(value * 65_536), 8 + 4 * index);
  return bytes;
}

// As the profiles of these spaces state them, adapted to D50.
const SRGB: readonly Primary[] = [
  [0.436, 0.2225, 0.0139],
  [0.3851, 0.7169, 0.0971],
  [0.1431, 0.0606, 0.7141],
];
const ADOBE_RGB: readonly Primary[] = [
  [0.6097, 0.3111, 0.0195],
  [0.2053, 0.6257, 0.0609],
  [0.1492, 0.0632, 0.7446],
];
const PROPHOTO: readonly Primary[] = [
  [0.7977, 0.288, 0],
  [0.1352, 0.7119, 0],
  [0.0313, 0.0001, 0.8249],
];
const SMALLER: readonly Primary[] = [
  [0.42, 0.24, 0.05],
  [0.38, 0.65, 0.15],
  [0.16, 0.11, 0.62],
];

describe('a profile is wide when a primary lies outside the triangle of sRGB', () => {
  for (const [what, profile, isWide] of [
    ['sRGB', profileOf('sRGB IEC61966-2.1', SRGB), false],
    ['sRGB by another name', profileOf('c2', SRGB), false],
    ['Adobe RGB', profileOf('Adobe RGB (1998)', ADOBE_RGB), true],
    ['ProPhoto RGB', profileOf('ROMM', PROPHOTO), true],
    ['Adobe RGB that claims to be sRGB', profileOf('sRGB', ADOBE_RGB), true],
    ['a narrow one', profileOf('An old screen', SMALLER), false],
    ['of a camera, without primaries', profileOf('Camera', []), true],
    ['sRGB by tables, without primaries', profileOf('sRGB v4 ICC preference', []), false],
    ['of grey', profileOf('Dot Gain 20%', [], 'GRAY'), false],
    ['of CMYK', profileOf('ISO Coated v2', [], 'CMYK'), false],
    [
      'with primaries of nothing',
      profileOf('sRGB', [
        [0, 0, 0],
        [0, 0, 0],
        [0, 0, 0],
      ]),
      false,
    ],
    ['cut in its tags', profileOf('P3', ADOBE_RGB).subarray(0, 140), false],
    ['no bytes', Buffer.alloc(0), false],
  ] as const) {
    test(what, () => assert.equal(isWideGamut(profile), isWide));
  }

  test('those that the image library brings: sRGB is not wide, Display P3 is', async () => {
    for (const [name, isWide] of [
      ['srgb', false],
      ['p3', true],
    ] as const) {
      const picture = sharp({ create: { width: 4, height: 4, channels: 3, background: 'red' } }).withIccProfile(name);
      const { icc } = await sharp(await picture.png().toBuffer()).metadata();
      assert.ok(icc);
      assert.equal(isWideGamut(icc), isWide, name);
    }
  });
});
