import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { emptyPixels, layOver, type Raster } from './raster.ts';

const byte = fc.integer({ min: 0, max: 255 });
const pixel = fc.tuple(byte, byte, byte, byte);
const ONE = { widthPx: 1, heightPx: 1 };

function laid(below: readonly number[], above: readonly number[]): number[] {
  const canvas = Uint8Array.from(below);
  layOver(canvas, ONE, { left: 0, top: 0, width: 1, height: 1, pixels: Uint8Array.from(above) });
  return [...canvas];
}

test('opaque pixels cover, transparent ones change nothing, and on an empty canvas a pixel arrives as it was', () => {
  fc.assert(
    fc.property(pixel, pixel, ([r, g, b, a], below) => {
      assert.deepEqual(laid(below, [r, g, b, 255]), [r, g, b, 255]);
      assert.deepEqual(laid(below, [r, g, b, 0]), below);
      assert.deepEqual(laid([9, 9, 9, 0], [r, g, b, a]), a === 0 ? [9, 9, 9, 0] : [r, g, b, a]);
    }),
  );
});

test('half-transparent pixels blend as light does, to the nearest step', () => {
  fc.assert(
    fc.property(pixel, pixel, (below, above) => {
      const [over, under] = [(above[3] ?? 0) / 255, (below[3] ?? 0) / 255];
      const alpha = over + under * (1 - over);
      const found = laid(below, above);
      assert.ok(Math.abs((found[3] ?? 0) - alpha * 255) <= 0.5 + 1e-9);
      for (const channel of alpha === 0 ? [] : [0, 1, 2]) {
        const exact = ((above[channel] ?? 0) * over + (below[channel] ?? 0) * under * (1 - over)) / alpha;
        assert.ok(Math.abs((found[channel] ?? 0) - exact) <= 0.5 + 1e-9, JSON.stringify({ below, above, found }));
      }
    }),
    { numRuns: 5_000 },
  );
});

test('a raster that reaches beyond the canvas is cut at its edges', () => {
  const size = { widthPx: 3, heightPx: 2 };
  const raster = (left: number, top: number): Raster => ({
    left,
    top,
    width: 2,
    height: 2,
    pixels: Uint8Array.from([1, 2, 3, 4].flatMap((value) => [value, value, value, 255])),
  });
  const reds = (left: number, top: number): number[] => {
    const canvas = emptyPixels(size);
    layOver(canvas, size, raster(left, top));
    return [0, 1, 2, 3, 4, 5].map((index) => canvas[4 * index] ?? -1);
  };
  assert.deepEqual(reds(1, 0), [0, 1, 2, 0, 3, 4]);
  assert.deepEqual(reds(-1, 0), [2, 0, 0, 4, 0, 0]);
  assert.deepEqual(reds(2, 1), [0, 0, 0, 0, 0, 1]);
  assert.deepEqual(reds(-1, -1), [4, 0, 0, 0, 0, 0]);
  assert.deepEqual(reds(5, 5), [0, 0, 0, 0, 0, 0]);
});
