import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { TextDrawing } from '../drawing.ts';
import type { FontFamily } from '../fonts/families.ts';
import { facesOfText } from './font-faces.ts';
import { createTextRenderer, type TextRenderer } from './text-renderer.ts';

// As the picture children have it: no font of the machine.
process.env.DISABLE_SYSTEM_FONTS_LOAD = '1';

/**
 * What pieces of version 2 looked like before there were more than five families and eight scripts: the faces, the
 * place of the ink in its box, and how many pixels of it are more than half covered.
 */
const PLACED: readonly [
  FontFamily,
  text: string,
  faces: string,
  ink: readonly [left: number, top: number, width: number, height: number],
  covered: number,
][] = [
  ['Noto Sans', 'Hamburgefonstiv 0123 & Co.', 'noto-sans-latin', [1, 89, 499, 124], 8890],
  ['Oswald', 'Hamburgefonstiv 0123 & Co.', 'oswald-latin', [2, 71, 496, 167], 18610],
  ['Pacifico', 'AVATAR Ty. fi ffl “Œuvre”', 'pacifico-latin', [60, 16, 391, 268], 27489],
  ['Noto Sans JP', 'AVATAR Ty. fi ffl “Œuvre”', 'noto-sans-jp-latin', [13, 69, 474, 168], 13714],
  ['Oswald', 'Žofie Đặng Nguyễn', 'oswald-latin oswald-latin-ext oswald-vietnamese', [95, 52, 311, 200], 13553],
  [
    'Noto Sans Arabic',
    'Žofie Đặng Nguyễn',
    'noto-sans-arabic-latin noto-sans-arabic-latin-ext noto-sans-vietnamese',
    [42, 49, 416, 197],
    12684,
  ],
  ['Noto Sans JP', 'Ωμέγα λόγος', 'noto-sans-jp-latin noto-sans-greek', [14, 120, 472, 87], 7701],
  ['Noto Sans', 'Ωμέγα λόγος', 'noto-sans-latin noto-sans-greek', [13, 116, 474, 88], 7745],
  ['Noto Sans Arabic', 'Съешь ещё этих', 'noto-sans-arabic-latin noto-sans-cyrillic', [74, 66, 352, 171], 9369],
  ['Pacifico', 'Съешь ещё этих', 'pacifico-latin pacifico-cyrillic', [88, 65, 335, 194], 12506],
  ['Noto Sans', 'नमस्ते क्षत्रिय', 'noto-sans-latin noto-sans-devanagari', [68, 106, 366, 85], 7162],
  ['Oswald', 'नमस्ते क्षत्रिय', 'oswald-latin noto-sans-devanagari', [70, 111, 363, 85], 7103],
  ['Pacifico', 'سلام عليكم (2026) abc', 'pacifico-latin noto-sans-arabic-arabic', [46, 76, 408, 170], 14274],
  ['Noto Sans JP', 'سلام عليكم (2026) abc', 'noto-sans-jp-latin noto-sans-arabic-arabic', [55, 77, 390, 175], 11297],
  ['Oswald', 'こんにちは、世界。髙橋', 'oswald-latin noto-sans-jp-japanese noto-sans-jp-66', [8, 72, 484, 172], 13197],
  [
    'Noto Sans Arabic',
    'こんにちは、世界。髙橋',
    'noto-sans-arabic-latin noto-sans-jp-japanese noto-sans-jp-66',
    [8, 61, 484, 172],
    13197,
  ],
  [
    'Noto Sans JP',
    'Born 🦜 2026 👩‍🚀 1️⃣ ☀ ©',
    'noto-sans-jp-latin noto-sans-jp-67 noto-color-emoji-2 noto-color-emoji-7 noto-color-emoji-8',
    [1, 59, 498, 194],
    26806,
  ],
  [
    'Noto Sans',
    'Born 🦜 2026 👩‍🚀 1️⃣ ☀ ©',
    'noto-sans-latin noto-sans-jp-67 noto-color-emoji-2 noto-color-emoji-7 noto-color-emoji-8',
    [96, 8, 308, 289],
    26654,
  ],
  [
    'Noto Sans Arabic',
    'a\u200db\u00adc x\u0302 e\u0301',
    'noto-sans-arabic-latin noto-sans-arabic-math',
    [117, 110, 266, 69],
    3826,
  ],
  ['Pacifico', 'a\u200db\u00adc x\u0302 e\u0301', 'pacifico-latin noto-sans-arabic-math', [135, 105, 234, 83], 4549],
  ['Noto Sans', 'one two three four five six seven eight nine ten', 'noto-sans-latin', [48, 20, 404, 280], 13900],
  ['Oswald', 'one two three four five six seven eight nine ten', 'oswald-latin', [0, 27, 500, 267], 25254],
  [
    'Pacifico',
    '日本語の文章はここで折り返されるはずです。長い文です',
    'pacifico-latin noto-sans-jp-japanese',
    [31, 10, 438, 286],
    19551,
  ],
  [
    'Noto Sans JP',
    '日本語の文章はここで折り返されるはずです。長い文です',
    'noto-sans-jp-latin noto-sans-jp-japanese',
    [31, 11, 438, 286],
    19551,
  ],
];

/** Processors of two kinds may differ by one step of colour at an edge, in some pixels of a hundred thousand. */
const COVERED_TOLERANCE = 0.002;

function inBox(text: string, font: FontFamily): TextDrawing {
  const box = { left: 0, top: 0, width: 500, height: 300 };
  return { kind: 'text', box, text, font, color: '#203040', align: 'centre', sizePx: { min: 12, max: 80 } };
}

function coveredPx(pixels: ArrayLike<number>): number {
  let covered = 0;
  for (let at = 3; at < pixels.length; at += 4) if ((pixels[at] ?? 0) >= 128) covered += 1;
  return covered;
}

describe('3.2 personalised: a piece that was placed before is drawn as it was, whatever fonts came later', () => {
  let renderer: TextRenderer;
  before(async () => {
    renderer = await createTextRenderer(2);
  });
  after(() => renderer.close());

  for (const [font, text, faces, ink, covered] of PLACED) {
    test(`${font}: ${text}`, () => {
      assert.equal(
        facesOfText(font, text)
          .faces.map(({ name }) => name)
          .join(' '),
        faces,
      );
      const drawn = renderer.draw(inBox(text, font));
      assert.ok(drawn);
      assert.deepEqual([drawn.left, drawn.top, drawn.width, drawn.height], ink);
      const found = coveredPx(drawn.pixels);
      assert.ok(Math.abs(found - covered) <= covered * COVERED_TOLERANCE, `${found} pixels, not ${covered}`);
    });
  }
});

test('a new piece in Vietnamese has the accents of the font’s own letters, side by side', async () => {
  const inkOf = async (version: 2 | 3): Promise<number> => {
    const renderer = await createTextRenderer(version);
    try {
      const drawn = renderer.draw({ ...inBox('ấ', 'Noto Sans'), sizePx: { min: 80, max: 80 } });
      assert.ok(drawn);
      return drawn.height;
    } finally {
      renderer.close();
    }
  };
  const [stacked, beside] = [await inkOf(2), await inkOf(3)];
  assert.ok(beside < stacked - 5, `${beside} and ${stacked} pixels high`);
});
