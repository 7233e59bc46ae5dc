import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { partsOf } from './text-parts.ts';

describe('a line of text may be broken', () => {
  // Parts as they are cut, `|` between them; spaces stand with the part before them.
  const cases: [string, string][] = [
    ['after spaces', 'Happy |birthday, |Grandma!'],
    ['after hyphens, which stay', 'Jean-|Luc’s |3.5-|kg'],
    ['not at a no-break space', 'No.\u00a07 |shirt'],
    ['between words of Japanese', '今日|は|良い|天気|です。'],
    ['not before closing marks, nor after opening ones', '「日本」|です！'],
    ['not before small kana, nor after the one that doubles', 'ラーメン、|やったー！'],
    ['between emoji, never inside one', '😀|👩‍🚀|❤️'],
    ['between Arabic words', 'مرحبا |بالعالم'],
  ];
  for (const [title, line] of cases) {
    test(title, () => {
      const parts = partsOf(line.replaceAll('|', '')).map(({ text, space }) => text + space);
      assert.deepEqual(parts, line.split('|'));
    });
  }
});

test('joined again, the parts are the line', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (line) => {
      assert.equal(
        partsOf(line)
          .map(({ text, space }) => text + space)
          .join(''),
        line,
      );
    }),
    { numRuns: 1_000 },
  );
});
