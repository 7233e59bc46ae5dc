import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Placement, placeArtwork, type Rectangle, type Size } from './place.ts';
import { orientationOf, orientSize, storedRectangle, turnFurther } from './worker/orient.ts';

const side = fc.integer({ min: 1, max: 12_000 });
const size = fc.record({ widthPx: side, heightPx: side });
const position = fc.record({
  x: fc.double({ min: -3, max: 4, noNaN: true }),
  y: fc.double({ min: -3, max: 4, noNaN: true }),
  scale: fc.oneof(fc.double({ min: 1e-6, max: 20, noNaN: true }), fc.double({ min: 1e-300, max: 1e300, noNaN: true })),
  rotation: fc.oneof(fc.constantFrom(0, 90, 180, 270, -90), fc.double({ min: -1e9, max: 1e9, noNaN: true })),
});

const isInside = ({ left, top, width, height }: Rectangle, { widthPx, heightPx }: Size): boolean =>
  [left, top, width, height].every(Number.isSafeInteger) &&
  left >= 0 &&
  top >= 0 &&
  width > 0 &&
  height > 0 &&
  left + width <= widthPx &&
  top + height <= heightPx;

/** What a plan holds as a whole beside the source, in pixels. */
function checkPlan(placement: Placement, artwork: Size, canvas: Size): void {
  if (placement.kind === 'nothing') return;
  const { crop, resized } = placement;
  const turned = placement.kind === 'parallel' && placement.turn % 180 === 90;
  assert.ok(isInside(crop, turned ? { widthPx: artwork.heightPx, heightPx: artwork.widthPx } : artwork), 'crop');
  assert.ok(resized.widthPx >= 1 && resized.heightPx >= 1, 'resized');
  const largest = Math.max(32_000_000, canvas.widthPx * canvas.heightPx) + 24_000;
  assert.ok(resized.widthPx * resized.heightPx <= largest, `${resized.widthPx} x ${resized.heightPx}`);
  if (placement.kind === 'sampled') {
    assert.ok(Object.values(placement.sampling).every(Number.isFinite), 'sampling');
    return;
  }
  const { cut, leftPx, topPx } = placement;
  assert.ok(isInside(cut, resized), `cut ${JSON.stringify(placement)}`);
  assert.ok(isInside({ left: leftPx, top: topPx, width: cut.width, height: cut.height }, canvas), 'on the canvas');
}

test('2.3 position: no artwork, canvas or position makes a plan that leaves its picture, or that costs more than the canvas', () => {
  fc.assert(
    fc.property(size, size, position, (artwork, canvas, at) =>
      checkPlan(placeArtwork(artwork, canvas, at), artwork, canvas),
    ),
    { numRuns: 5_000 },
  );
});

test('2.3 position: by default artwork fits the area whole, touching two of its sides', () => {
  fc.assert(
    fc.property(size, size, (artwork, canvas) => {
      const placement = placeArtwork(artwork, canvas, { x: 0.5, y: 0.5, scale: 1, rotation: 0 });
      assert.ok(placement.kind === 'parallel');
      const { cut, resized } = placement;
      assert.deepEqual([cut.left, cut.top, cut.width, cut.height], [0, 0, resized.widthPx, resized.heightPx]);
      assert.ok(cut.width === canvas.widthPx || cut.height === canvas.heightPx);
      assert.ok(Math.abs(2 * placement.leftPx + cut.width - canvas.widthPx) <= 1);
      assert.ok(Math.abs(2 * placement.topPx + cut.height - canvas.heightPx) <= 1);
    }),
  );
});

test('a part of the seen picture is found in the stored one under every orientation', () => {
  const stored = { widthPx: 5, heightPx: 3 };
  // A picture of numbered pixels, flipped and turned by hand.
  const rows = Array.from({ length: 3 }, (_, y) => Array.from({ length: 5 }, (_, x) => 5 * y + x));
  const turned = (grid: number[][]): number[][] =>
    (grid[0] ?? []).map((_, x) => grid.map((row) => row[x] ?? -1).toReversed());
  for (let exif = 0; exif <= 9; exif += 1) {
    for (const further of [0, 90, 180, 270] as const) {
      const orientation = turnFurther(orientationOf(exif), further);
      let seen = orientation.flip ? rows.toReversed() : rows;
      for (let degrees = 0; degrees < orientation.turn; degrees += 90) seen = turned(seen);
      const { widthPx, heightPx } = orientSize(stored, orientation);
      for (let y = 0; y < heightPx; y += 1) {
        for (let x = 0; x < widthPx; x += 1) {
          const { left, top, width, height } = storedRectangle(
            { left: x, top: y, width: 1, height: 1 },
            stored,
            orientation,
          );
          assert.deepEqual([width, height, 5 * top + left], [1, 1, seen[y]?.[x]], `${exif} and ${further}`);
        }
      }
    }
  }
});
