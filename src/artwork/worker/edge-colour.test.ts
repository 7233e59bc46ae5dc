import assert from 'node:assert/strict';
import { test } from 'node:test';
import { edgeColour } from './edge-colour.ts';

const SIZE = { widthPx: 20, heightPx: 20 };
type Pixel = readonly [red: number, green: number, blue: number, alpha: number];
const WHITE: Pixel = [255, 255, 255, 255];
const RED: Pixel = [200, 0, 0, 255];
const CLEAR: Pixel = [0, 0, 0, 0];

const drawn = (at: (x: number, y: number) => Pixel): Uint8Array =>
  Uint8Array.from(Array.from({ length: 400 }, (_, index) => at(index % 20, Math.floor(index / 20))).flat());
const inside = (x: number, y: number, margin: number): boolean => Math.min(x, y, 19 - x, 19 - y) >= margin;

const ROWS: readonly (readonly [what: string, at: (x: number, y: number) => Pixel, colour: string | null])[] = [
  ['a logo on white', (x, y) => (inside(x, y, 5) ? RED : WHITE), '#ffffff'],
  [
    'a logo on white with the noise of a JPEG',
    (x, y) => (inside(x, y, 5) ? RED : [250, 255, 247 + 2 * (x % 4), 255]),
    '#fafffb',
  ],
  ['a bust that touches the bottom edge', (x, y) => (x > 5 && x < 15 && y > 5 ? RED : WHITE), '#ffffff'],
  ['a transparent hole in a white ground', (x, y) => (inside(x, y, 5) ? CLEAR : WHITE), '#ffffff'],
  ['a logo on nothing', (x, y) => (inside(x, y, 5) ? RED : CLEAR), null],
  ['a logo on white that is a little transparent', (x, y) => (inside(x, y, 5) ? RED : [255, 255, 255, 240]), null],
  ['a photograph', (x, y) => [x * 12, y * 12, 90, 255], null],
  ['a ground of two halves', (x, y) => (inside(x, y, 5) ? RED : x < 10 ? WHITE : [0, 0, 0, 255]), null],
  ['a plain rectangle', () => WHITE, null],
  ['nothing at all', () => CLEAR, null],
];

for (const [what, at, colour] of ROWS) {
  test(`${what}: ${colour ?? 'no background'}`, () => {
    assert.equal(edgeColour(drawn(at), SIZE), colour);
  });
}
