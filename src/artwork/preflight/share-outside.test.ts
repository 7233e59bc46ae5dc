import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Position, placeArtwork, type Size } from '../place.ts';
import { shareOutside } from './share-outside.ts';

const CANVAS: Size = { widthPx: 200, heightPx: 300 };
const SQUARE: Size = { widthPx: 50, heightPx: 50 };
const WIDE: Size = { widthPx: 100, heightPx: 50 };
const CENTRED: Position = { x: 0.5, y: 0.5, scale: 1, rotation: 0 };

// At scale 1 the square is 200 by 200 on the canvas, the wide picture 200 by 100.
const ROWS: readonly (readonly [what: string, artwork: Size, position: Partial<Position>, share: number])[] = [
  ['centred', SQUARE, {}, 0],
  ['of the canvas’s own shape', CANVAS, {}, 0],
  ['half a turn', WIDE, { rotation: 180 }, 0],
  ['smaller, in a corner', SQUARE, { scale: 0.5, x: 0.25, y: 1 / 6 }, 0],
  ['half over the right edge', SQUARE, { x: 1 }, 0.5],
  ['half over the left edge', SQUARE, { x: 0 }, 0.5],
  ['three quarters over a corner', SQUARE, { scale: 0.5, x: 0, y: 0 }, 0.75],
  ['a tenth over the top', SQUARE, { y: 80 / 300 }, 0.1],
  [
    'twice as large: 200 of 400 across and 300 of 400 down are seen',
    SQUARE,
    { scale: 2 },
    1 - (200 * 300) / (400 * 400),
  ],
  ['a quarter turn of the wide one', WIDE, { rotation: 90 }, 0],
  ['a quarter turn the other way, twice as large', WIDE, { rotation: -90, scale: 2 }, 1 - (200 * 300) / (400 * 200)],
  ['an eighth of a turn that fits', SQUARE, { rotation: 45, scale: 0.5 }, 0],
  // A diamond with corners at 141.4 from its middle: two triangles with legs of 41.4 times 2 at the sides.
  ['an eighth of a turn', SQUARE, { rotation: 45 }, (2 * (Math.SQRT2 * 100 - 100) ** 2) / 200 ** 2],
  ['whole turns do not count', SQUARE, { rotation: 45 + 720 }, (2 * (Math.SQRT2 * 100 - 100) ** 2) / 200 ** 2],
  ['wholly outside', SQUARE, { x: 3 }, 1],
  ['wholly outside, turned', SQUARE, { y: -4, rotation: 30 }, 1],
  ['a hundred times as large', SQUARE, { scale: 100 }, 1 - (200 * 300) / 20_000 ** 2],
];

describe('the share of placed artwork that lies outside its print area is exact', () => {
  for (const [what, artwork, position, share] of ROWS) {
    test(`${what}: ${(100 * share).toFixed(2)} %`, () => {
      const found = shareOutside(artwork, CANVAS, { ...CENTRED, ...position });
      assert.ok(Math.abs(found - share) < 1e-9, String(found));
    });
  }

  test('it is the renderer’s: nothing is placed exactly where all of it lies outside', () => {
    for (let step = 0; step < 720; step += 1) {
      const position = {
        x: -1 + (step % 24) / 8,
        y: -1 + (step % 31) / 10,
        scale: 0.2 + (step % 5),
        rotation: step * 7,
      };
      const isOutside = shareOutside(WIDE, CANVAS, position) > 1 - 1e-6;
      const placed = placeArtwork(WIDE, CANVAS, position).kind;
      // The renderer looks at boxes around what is turned, so it may still plan an empty file.
      if (placed === 'nothing') assert.ok(isOutside, JSON.stringify(position));
      else if (position.rotation % 90 === 0) assert.ok(!isOutside, JSON.stringify(position));
    }
  });
});
