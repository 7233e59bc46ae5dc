import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { doesTextFit, fitText, type TextMetrics, type TextToFit } from './fit-text.ts';

/** Every character half as wide as the size; `j` reaches to the left and below, `T` high above. */
const METRICS: TextMetrics = {
  measure: (line) => ({
    advance: Array.from(line).length / 2,
    inkLeft: line.startsWith('j') ? -0.2 : 0,
    inkRight: Array.from(line).length / 2,
    inkAbove: line.includes('T') ? 2 : 0.7,
    inkBelow: line.includes('j') ? 0.3 : 0,
  }),
  ascent: 1,
  descent: 0.2,
};

const BOX: TextToFit = { text: '', align: 'centre', widthPx: 1_000, heightPx: 240, sizePx: { min: 10, max: 200 } };

function laid(text: string, changes: Partial<TextToFit> = {}) {
  const layout = fitText({ ...BOX, text, ...changes }, METRICS);
  assert.ok(layout, `${text} does not fit`);
  return { sizePx: layout.sizePx, lines: layout.lines.map((line) => line.text), placed: layout.lines };
}

describe('4.2 layout: text is as large as its box and the template allow', () => {
  // Text, width, height, then the size and the lines.
  const cases: [string, string, number, number, number, string[]][] = [
    ['never larger than the largest size', 'abc', 1_000, 1_000, 200, ['abc']],
    ['as wide as the box', '0123456789', 500, 1_000, 100, ['0123456789']],
    ['a line takes 1.2 times its size in height', 'abc', 1_000, 120, 100, ['abc']],
    ['broken between words where that makes it larger', 'abcd efgh', 400, 480, 200, ['abcd', 'efgh']],
    ['on one line where breaking would make it smaller', 'abcd efgh', 450, 120, 100, ['abcd efgh']],
    ['broken evenly: no lone last word', 'aa bb cc dd', 400, 240, 100, ['aa bb', 'cc dd']],
    ['broken where the caller broke it', 'a\nb\n\nc', 1_000, 480, 100, ['a', 'b', '', 'c']],
    ['high letters make it smaller', 'T', 1_000, 240, 75, ['T']],
  ];
  for (const [title, text, widthPx, heightPx, sizePx, lines] of cases) {
    test(title, () => {
      const found = laid(text, { widthPx, heightPx });
      assert.deepEqual([found.sizePx, found.lines], [sizePx, lines]);
    });
  }

  test('the same size has the same baseline, whatever the letters', () => {
    const baselines = ['ace', 'jig', 'ABC'].map(
      (text) => laid(text, { sizePx: { min: 100, max: 100 } }).placed[0]?.baseline,
    );
    assert.deepEqual(baselines, [160, 160, 160]);
  });

  test('it stands left, right or in the middle, and ink that reaches beyond its letter stays in the box', () => {
    const xOf = (text: string, align: TextToFit['align']) => {
      const [line] = laid(text, { align, sizePx: { min: 100, max: 100 } }).placed;
      return [line?.x, line?.ink.left, line?.ink.right];
    };
    assert.deepEqual(xOf('ab', 'left'), [0, 0, 100]);
    assert.deepEqual(xOf('ab', 'centre'), [450, 450, 550]);
    assert.deepEqual(xOf('ab', 'right'), [900, 900, 1_000]);
    assert.deepEqual(xOf('jb', 'left'), [20, 0, 120]);
    assert.deepEqual(xOf('jb', 'centre'), [450, 430, 550], 'centred by its letters, not by their ink');
  });

  test('the direction is that of the first letter of each line', () => {
    const lines = laid('12 abc\nمرحبا abc\nabc مرحبا', { heightPx: 1_000, sizePx: { min: 10, max: 20 } }).placed;
    assert.deepEqual(
      lines.map(({ direction }) => direction),
      ['ltr', 'rtl', 'ltr'],
    );
  });
});

describe('4.2 layout: text that does not fit at the smallest size is known before it is printed', () => {
  const cases: [string, string, boolean][] = [
    ['a word as wide as the box at the smallest size', 'a'.repeat(200), true],
    ['a word that is wider is never broken inside', 'a'.repeat(201), false],
    ['as many words as lines hold', 'a'.repeat(200).concat(' ').repeat(20), true],
    ['one more', 'a'.repeat(200).concat(' ').repeat(21), false],
    ['more line breaks than lines', '\n'.repeat(20), false],
  ];
  for (const [title, text, fits] of cases) {
    test(title, () => {
      assert.equal(doesTextFit({ ...BOX, text }, METRICS), fits);
      assert.equal(fitText({ ...BOX, text }, METRICS) !== undefined, fits);
    });
  }
});

test('no ink leaves the box, and every word is printed, for any text and box', () => {
  const word = fc.stringMatching(/^[abjT]{1,12}$/);
  fc.assert(
    fc.property(
      fc.array(word, { minLength: 1, maxLength: 30 }),
      fc.integer({ min: 50, max: 3_000 }),
      fc.integer({ min: 50, max: 3_000 }),
      fc.constantFrom<TextToFit['align']>('left', 'centre', 'right'),
      (words, widthPx, heightPx, align) => {
        const layout = fitText(
          { text: words.join(' '), align, widthPx, heightPx, sizePx: { min: 8, max: 400 } },
          METRICS,
        );
        if (layout === undefined) return;
        assert.deepEqual(layout.lines.map(({ text }) => text).join(' '), words.join(' '));
        for (const { ink } of layout.lines) {
          assert.ok(ink.left >= -1 && ink.top >= -1 && ink.right <= widthPx + 1 && ink.bottom <= heightPx + 1);
        }
      },
    ),
    { numRuns: 2_000 },
  );
});
