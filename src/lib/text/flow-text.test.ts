import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Faces, flowText } from './flow-text.ts';

/** Every character is one point wide; Arabic has a face of its own. */
const FACES: Faces = {
  faceFor: (cluster) => (/\p{Script=Arabic}/u.test(cluster) ? 'arabic' : 'latin'),
  widthPt: (_face, text) => Array.from(text).length,
};

const lay = (text: string, width = 1_000, linesMax = 100): string[] =>
  flowText(text, width, linesMax, FACES).map(({ runs }) => runs.map((run) => run.text).join('|'));

describe('lines', () => {
  for (const [text, width, lines] of [
    ['one two three', 7, ['one two', 'three']],
    ['one two three', 8, ['one two', 'three']],
    ['abcdefghij', 4, ['abcd', 'efgh', 'ij']],
    ['a\nb\r\nc', 10, ['a', 'b', 'c']],
    ['a\n\nb', 10, ['a', '', 'b']],
    ['東京都千代田区', 3, ['東京都', '千代田', '区']],
    ['twenty-one', 7, ['twenty-', 'one']],
    ['', 10, ['']],
    ['a\tb', 10, ['a b']],
  ] as const) {
    test(`${JSON.stringify(text)} in ${width} is ${JSON.stringify(lines)}`, () => {
      assert.deepEqual(lay(text, width), lines);
    });
  }

  test('what is beyond the last line allowed is left out, and an ellipsis says so', () => {
    assert.deepEqual(lay('a\nb\nc', 10, 2), ['a', 'b|…']);
  });

  test('a composed and a decomposed letter are drawn alike', () => {
    assert.deepEqual(lay('e\u0301'), lay('é'));
  });
});

describe('what is written from right to left', () => {
  for (const [what, text, drawn] of [
    ['words follow from the right', 'شارع الملك', 'الملك| |شارع'],
    ['a number in them keeps its order, at its place', 'شارع 12، الرياض', 'الرياض| ،|12| |شارع'],
    ['brackets open to the left', 'الرياض (حي)', '(|حي|) |الرياض'],
    ['among Latin words they turn by themselves', 'Shop شركة المثال Ltd', 'Shop |المثال| |شركة| Ltd'],
    ['Latin words among them keep their order', 'شركة Acme Ltd المثال', 'المثال| |Acme Ltd| |شركة'],
    ['a number after Latin words stays with them', 'Flat 12 شارع', 'Flat 12 |شارع'],
    ['a decimal point belongs to its number', 'شارع 1.5', '1.5| |شارع'],
    ['so does that of Arabic, in digits that fonts turn', '٣٫٥ كغم', 'كغم| |٥٫٣'],
    ['a mathematical bracket opens to the left as well', 'حي ⟨ب⟩', '⟨|ب|⟩ |حي'],
  ] as const) {
    test(what, () => {
      assert.deepEqual(lay(text), [drawn]);
    });
  }

  test('each line has the direction of its paragraph', () => {
    assert.deepEqual(lay('شركة Acme Ltd المثال', 12), ['Acme| |شركة', 'المثال| |Ltd']);
    assert.deepEqual(lay('Shop شركة المثال Ltd', 12), ['Shop |شركة', 'المثال| Ltd']);
  });
});
