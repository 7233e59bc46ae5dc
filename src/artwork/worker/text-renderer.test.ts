import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { TextDrawing } from '../drawing.ts';
import { facesOfText } from './font-faces.ts';
import { createTextRenderer, type TextRenderer } from './text-renderer.ts';

// As the picture children have it: no font of the machine.
process.env.DISABLE_SYSTEM_FONTS_LOAD = '1';
let renderer: TextRenderer;
before(async () => {
  renderer = await createTextRenderer();
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
      const box = drawn('\ue000');
      const boxes: string[] = [];
      let printable = 0;
      for (let code = first; code <= last; code += step) {
        const text = String.fromCodePoint(code);
        if (/[\p{C}\p{Z}]/u.test(text) || facesOfText('Noto Sans', text).missing.length > 0) continue;
        printable += 1;
        if (drawn(text) === box) boxes.push(code.toString(16));
      }
      assert.deepEqual(boxes, []);
      assert.ok(printable > 20, String(printable));
    });
  }

  test('marks of direction, joiners and selectors leave nothing', () => {
    for (const mark of ['\u200b', '\u200e', '\u2066', '\u2069', '\ufe0f', '\u00ad', '\u034f', '\ufeff']) {
      assert.equal(drawn(`a${mark}b`), drawn('ab'), mark.codePointAt(0)?.toString(16));
    }
  });
});

test('fonts leave with the task and come again with the next', () => {
  const first = drawn('日本 🦜');
  renderer.close();
  assert.equal(drawn('日本 🦜'), first);
});
