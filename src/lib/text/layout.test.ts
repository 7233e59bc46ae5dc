import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { fitText } from './fit-text.ts';
import { flowText } from './flow-text.ts';
import { directionOf, fillLines, lineHeightOf, partsOf } from './layout.ts';

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
    ['between words of Thai, which a dictionary finds', 'ฉัน|รัก|ประเทศไทย'],
    ['not before the Thai marks that repeat or shorten', 'เร็วๆ |กรุงเทพฯ'],
    [
      'between words of Lao, Khmer and Burmese',
      'ຂ້ອຍ|ຮັກ|ປະເທດ|ລາວ ខ្ញុំ|ស្រឡាញ់|ភាសាខ្មែរ ကျွန်တော်|မြန်မာ|စကားပြော|တယ်'.replaceAll(' ', ' |'),
    ],
    ['not between Thai and a number or a foreign word', 'รุ่น2026 |ร้านPlaten'],
    ['after the mark between words of Ethiopic', 'ሰላም፡|ለዓለም።'],
    ['between words of Korean, at their spaces alone', '한국어 |티셔츠'],
    ['between Arabic words', 'مرحبا |بالعالم'],
    ['not inside a number, but before its unit', '1.5 |kg |of |東京|米'],
    ['after the hyphen of a range, not at slashes or dots', '10-|12 |and/or |a.example/b'],
    ['not between brackets and what they hold', '“quoted” |(aside) |[x]'],
  ];
  for (const [title, line] of cases) {
    test(title, () => {
      const parts = partsOf(line.replaceAll('|', '')).map(({ text, space }) => text + space);
      assert.deepEqual(parts, line.split('|'));
    });
  }
});

test('lines of scripts with high marks or stacked letters lie further apart', () => {
  const heights = ['Ångström', 'नमस्ते', 'سلام', '日本', 'ไทย', 'తెలుగు', 'ខ្មែរ', 'မြန်မာ', 'Ayutthaya အယုဒ္ဓယ อยุธยา'];
  assert.deepEqual(heights.map(lineHeightOf), [1.2, 1.2, 1.2, 1.2, 1.4, 1.4, 1.6, 1.6, 1.6]);
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

describe('parts fill lines', () => {
  const lines = (text: string, width: number): string[] =>
    fillLines(
      partsOf(text).map((part) => ({ ...part, advance: part.text.length, spaceAdvance: part.space.length })),
      width,
    ).map((line) => line.map(({ text: part, space }) => part + space).join(''));

  for (const [what, text, width, found] of [
    ['as many as fit, without the space at the end of a line', 'ab cd ef', 5, ['ab cd ', 'ef']],
    ['the space between two counts', 'ab cd', 4, ['ab ', 'cd']],
    ['a part that is wider than a line has one of its own', 'a bcdef g', 3, ['a ', 'bcdef ', 'g']],
    ['no parts are an empty line', '', 3, ['']],
  ] as const) {
    test(what, () => assert.deepEqual(lines(text, width), found));
  }
});

test('the direction of a line is that of its first letter', () => {
  assert.deepEqual(['12 abc مرحبا', '12 مرحبا abc', '“שלום”', '123', ''].map(directionOf), [
    'ltr',
    'rtl',
    'rtl',
    'ltr',
    'ltr',
  ]);
});

test('a document and a print file break a text at the same places', () => {
  const metrics = {
    measure: (line: string) => ({ advance: line.length, inkLeft: 0, inkRight: line.length, inkAbove: 0, inkBelow: 0 }),
    ascent: 0,
    descent: 0,
  };
  const faces = { faceFor: () => 'one', widthPt: (_face: string, text: string) => text.length };
  for (const [text, width, lines] of [
    ['1.5 kg', 4, ['1.5', 'kg']],
    ['今日は東京', 4, ['今日は', '東京']],
    ['「日本」です！', 5, ['「日本」', 'です！']],
    ['Jean-Luc', 6, ['Jean-', 'Luc']],
    ['No.\u00a07 shirt', 6, ['No.\u00a07', 'shirt']],
  ] as const) {
    const size = { min: 1, max: 1 };
    const printed = fitText({ text, align: 'left', widthPx: width, heightPx: 100, sizePx: size }, metrics);
    assert.deepEqual(
      printed?.lines.map((line) => line.text),
      lines,
    );
    const drawn = flowText(text, width, 100, faces).map(({ runs }) => runs.map((run) => run.text).join(''));
    assert.deepEqual(drawn, lines);
  }
});
