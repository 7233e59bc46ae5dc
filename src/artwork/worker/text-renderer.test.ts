import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { drawnAsBoxes } from '../../../test/typesetting/outlines.ts';
import type { TextDrawing } from '../drawing.ts';
import { type FontFace, facesOfText } from './font-faces.ts';
import { createTextRenderer, type TextRenderer } from './text-renderer.ts';

let renderer: TextRenderer;
before(async () => {
  renderer = await createTextRenderer(3);
});
after(() => renderer.close());

function drawn(text: string): string {
  const box = { left: 0, top: 0, width: 400, height: 160 };
  const sizePx = { min: 20, max: 20 };
  const drawing: TextDrawing = { kind: 'text', box, text, font: 'Noto Sans', color: '#000000', align: 'left', sizePx };
  const ink = renderer.draw(drawing);
  if (ink === undefined) return 'nothing';
  return createHash('sha256').update(`${ink.width} ${ink.height} `).update(ink.pixels).digest('hex');
}

describe('I142 a character that is said to be printable is never drawn as a box', () => {
  const step = 23;
  for (const [title, first, last] of [
    ['of the alphabets', 0x21, 0x2e7f],
    ['of Chinese and Japanese', 0x2e80, 0xd7ff],
    ['of the compatibility forms', 0xf900, 0xfffd],
    ['emoji and the rare', 0x1f000, 0x2ffff],
  ] as const) {
    test(title, () => {
      const texts: [string, readonly FontFace[]][] = [];
      for (let code = first; code <= last; code += step) {
        const text = String.fromCodePoint(code);
        const { faces, missing } = facesOfText('Noto Sans', text);
        if (!/[\p{C}\p{Z}]/u.test(text) && missing.length === 0) texts.push([text, faces]);
      }
      assert.ok(texts.length > 20, String(texts.length));
      assert.deepEqual(drawnAsBoxes(texts), []);
    });
  }

  test('marks of direction, joiners and selectors leave nothing', () => {
    for (const mark of ['\u200b', '\u200e', '\u2066', '\u2069', '\ufe0f', '\u00ad', '\u034f', '\ufeff']) {
      assert.equal(drawn(`a${mark}b`), drawn('ab'), mark.codePointAt(0)?.toString(16));
    }
  });
});

test('a text that no font here has is an error, never boxes: another machine may have had a font package', () => {
  assert.throws(() => drawn('한국'), /no font here has/);
});

test('I142 hostile texts take no longer than others: marks upon marks, one word of all the letters, directions turned', () => {
  const texts = [
    `ก${'\u0e48'.repeat(499)}`,
    `ש${'\u05b8\u05c1'.repeat(249)}`,
    `क${'\u094d\u0937'.repeat(249)}`,
    'ཀ',
    'ကြ္'.repeat(166),
    'ก'.repeat(500),
    `${'\u202e\u2066'.repeat(249)}aש`,
    'שa1(['.repeat(100),
    'မြန်မာနိုင်ငံ'.repeat(38),
  ];
  const started = process.cpuUsage();
  for (const text of texts) {
    const box = { left: 0, top: 0, width: 3_000, height: 3_000 };
    const sizePx = { min: 8, max: 400 };
    renderer.judge({ kind: 'text', box, text, font: 'Noto Sans', color: '#000000', align: 'left', sizePx });
  }
  const { user, system } = process.cpuUsage(started);
  // A child has ten seconds for 25 texts; another account waits that long at most.
  assert.ok((user + system) / 1_000 < 4_000, `${(user + system) / 1_000} ms for ${texts.length} texts`);
});

test('fonts leave with the task and come again with the next', () => {
  const first = drawn('日本 🦜');
  renderer.close();
  assert.equal(drawn('日本 🦜'), first);
});
