import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Position } from '../place.ts';
import { type ArtworkFacts, type PrintSpot, printRemarks, printReport } from './preflight.ts';

const CENTRED: Position = { x: 0.5, y: 0.5, scale: 1, rotation: 0 };
const TEMPLATE = { widthPx: 3_000, heightPx: 4_000, dpi: 300 };
const SPOT: PrintSpot = { printArea: 'front', template: TEMPLATE, minDpi: 150, ground: '#16161a' };
const SHARP: ArtworkFacts = {
  widthPx: 3_000,
  heightPx: 4_000,
  edgeColour: null,
  isWideGamut: false,
  colourSpace: 'srgb',
};

type Changes = { artwork?: Partial<ArtworkFacts>; spot?: Partial<PrintSpot>; position?: Partial<Position> };
const said = ({ artwork, spot, position }: Changes): string[] =>
  printRemarks({ ...SHARP, ...artwork }, { ...SPOT, ...spot }, { ...CENTRED, ...position }).map(
    ({ code, message }) => `${code}: ${message}`,
  );
const codes = (changes: Changes): string[] => said(changes).map((line) => line.slice(0, line.indexOf(':')));

const coarse = (dpi: number): Partial<PrintSpot> => ({ template: { ...TEMPLATE, dpi } });
const ROWS: readonly (readonly [what: string, changes: Changes, codes: readonly string[]])[] = [
  ['artwork of the area’s own pixels', {}, []],
  ['149 dpi', { artwork: { widthPx: 1_490, heightPx: 1_987 } }, ['low_resolution']],
  ['150 dpi is enough, but enlarged', { artwork: { widthPx: 1_500, heightPx: 2_000 } }, ['upscaled']],
  ['239 dpi is enlarged', { artwork: { widthPx: 2_390, heightPx: 3_187 } }, ['upscaled']],
  ['240 dpi is not told', { artwork: { widthPx: 2_400, heightPx: 3_200 } }, []],
  [
    'a method that needs 200',
    { artwork: { widthPx: 1_900, heightPx: 2_500 }, spot: { minDpi: 200 } },
    ['low_resolution'],
  ],
  ['a method that needs 100', { artwork: { widthPx: 1_100, heightPx: 1_400 }, spot: { minDpi: 100 } }, ['upscaled']],
  ['an area that is coarser than its method', { spot: coarse(100) }, []],
  [
    'fewer pixels than a coarse area has',
    { artwork: { widthPx: 2_000, heightPx: 2_500 }, spot: coarse(100) },
    ['low_resolution'],
  ],
  ['few pixels, printed small', { artwork: { widthPx: 600, heightPx: 800 }, position: { scale: 0.2 } }, []],
  ['half of a percent outside', { position: { x: 0.505 } }, []],
  ['one percent outside', { position: { x: 0.51 } }, ['clipped']],
  ['twice as large as its area', { artwork: { widthPx: 6_000, heightPx: 8_000 }, position: { scale: 2 } }, ['clipped']],
  ['a white ground on black', { artwork: { edgeColour: '#ffffff' } }, ['opaque_background']],
  [
    'a white ground on ecru',
    { artwork: { edgeColour: '#ffffff' }, spot: { ground: '#efe6d2' } },
    ['opaque_background'],
  ],
  ['a white ground on white', { artwork: { edgeColour: '#ffffff' }, spot: { ground: '#ffffff' } }, []],
  ['a blue ground on white', { artwork: { edgeColour: '#2040a0' }, spot: { ground: '#fafafa' } }, []],
  ['a black ground on black', { artwork: { edgeColour: '#000000' } }, []],
  [
    'a black ground on navy',
    { artwork: { edgeColour: '#000000' }, spot: { ground: '#1b2340' } },
    ['opaque_background'],
  ],
  [
    'a white ground on a colour that is not known',
    { artwork: { edgeColour: '#ffffff' }, spot: { ground: undefined } },
    [],
  ],
  ['CMYK', { artwork: { colourSpace: 'cmyk' } }, ['colour_converted']],
  ['a wide profile', { artwork: { isWideGamut: true, iccProfile: 'Display P3' } }, ['colour_converted']],
  ['a wide profile without a name', { artwork: { isWideGamut: true, iccProfile: null } }, ['colour_converted']],
  ['16 bits', { artwork: { colourSpace: 'rgb16' } }, []],
];

describe('what is said about artwork that will not print as it looks', () => {
  for (const [what, changes, expected] of ROWS) {
    test(`${what}: ${expected.join(', ') || 'nothing'}`, () => assert.deepEqual(codes(changes), expected));
  }

  test('of a report made before background and profile were looked at, only the pixels are known', () => {
    const { widthPx, heightPx } = SHARP;
    assert.deepEqual(
      printRemarks({ widthPx, heightPx }, SPOT, { ...CENTRED, x: 0.4 }).map(({ code }) => code),
      ['clipped'],
    );
  });

  test('messages give the numbers', () => {
    assert.deepEqual(
      [
        { artwork: { widthPx: 600, heightPx: 800 } },
        { artwork: { widthPx: 2_000, heightPx: 2_667 } },
        { position: { x: 0.25 } },
        { artwork: { edgeColour: '#ffffff' } },
        { artwork: { isWideGamut: true, iccProfile: 'Display P3' } },
      ].flatMap(said),
      [
        'low_resolution: The artwork for front prints at 60 dpi; below 150 it looks soft.',
        'upscaled: The artwork for front is enlarged 1.5 times, from 200 to 300 dpi. More pixels print sharper.',
        'clipped: 25 % of the artwork for front lies outside the print area and is not printed.',
        'opaque_background: The artwork for front has an opaque background of #ffffff, which prints as a box on #16161a. Make the background transparent.',
        'colour_converted: The artwork for front has the profile "Display P3", which is wider than sRGB. It is converted to sRGB; strong colours dull.',
      ],
    );
  });
});

test('the print size is that of the artwork on the product, in millimetres', () => {
  const position = { ...CENTRED, scale: 0.5, rotation: 30 };
  const { widthMm, heightMm, dpi, shareOutside } = printReport({ widthPx: 1_200, heightPx: 600 }, TEMPLATE, position);
  assert.deepEqual([widthMm, heightMm, dpi, shareOutside], [127, 63.5, 240, 0]);
});
