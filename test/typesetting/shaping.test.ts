import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { NEWEST_OF_TEXTS } from '../../src/artwork/drawing.ts';
import type { BundledFamily } from '../../src/artwork/fonts/families.ts';
import { BUNDLED_SCRIPTS } from '../../src/artwork/fonts/scripts.ts';
import { type FontFace, facesOfText, inDrawingOrder } from '../../src/artwork/worker/font-faces.ts';
import { directionOf } from '../../src/lib/text/layout.ts';
import { drawnAsBoxes, drawnOutlines, firstDifference, type Glyph, type GlyphRun, shapedOutlines } from './outlines.ts';

type Row = {
  readonly family: BundledFamily;
  readonly text: string;
  /** Each with the name of its face and four numbers a glyph. */
  readonly runs: readonly (readonly [face: string, numbers: readonly number[]])[];
};

const stored = JSON.parse(readFileSync('test/typesetting/glyph-runs.json', 'utf8')) as readonly Row[];

function facesFor({ family, text }: Pick<Row, 'family' | 'text'>): readonly FontFace[] {
  return inDrawingOrder(facesOfText(family, text, []).faces, text, NEWEST_OF_TEXTS);
}

function runsOf({ family, text, runs }: Row): GlyphRun[] {
  const faces = facesFor({ family, text });
  return runs.map(([name, numbers]) => {
    const face = faces.find((candidate) => candidate.name === name);
    assert.ok(face, `${name} is not among the faces of ${text}`);
    const glyphs = Array.from({ length: numbers.length / 4 }, (_, at) => numbers.slice(4 * at, 4 * at + 4));
    return { face, glyphs: glyphs as unknown as readonly Glyph[] };
  });
}

function differenceOf(row: Row, runs = runsOf(row)): string | undefined {
  return firstDifference(drawnOutlines(facesFor(row), row.text, directionOf(row.text)), shapedOutlines(runs));
}

describe('4.2 shaping: what is drawn is what hb-shape made of it', () => {
  test('for strings of every script and family that were stored (npm run shaping compares 3,000)', () => {
    assert.ok(stored.length >= 150, String(stored.length));
    const scripts = BUNDLED_SCRIPTS.filter((script) => {
      const pattern = new RegExp(`\\p{Script=${script}}`, 'u');
      return stored.some(({ text }) => pattern.test(text));
    });
    assert.deepEqual(scripts, [...BUNDLED_SCRIPTS]);
    assert.deepEqual(
      stored.flatMap((row) => {
        const difference = differenceOf(row);
        return difference === undefined ? [] : [`${row.family}, ${row.text}: ${difference}`];
      }),
      [],
    );
  });

  test('another glyph, another place of a mark or another order is found', () => {
    const row = stored.find(({ text }) => /\p{Script=Devanagari}{4}/u.test(text));
    assert.ok(row);
    const [first, ...others] = runsOf(row);
    assert.ok(first && first.glyphs.length >= 2);
    const wrong = (change: (glyph: Glyph, index: number) => Glyph): GlyphRun[] => [
      { ...first, glyphs: first.glyphs.map(change) },
      ...others,
    ];
    assert.equal(
      differenceOf(
        row,
        wrong((glyph) => glyph),
      ),
      undefined,
    );
    for (const faulty of [
      wrong(([id, dx, dy, advance], at) => [at === 0 ? id + 1 : id, dx, dy, advance]),
      wrong(([id, dx, dy, advance], at) => [id, at === 0 ? dx + 20 : dx, dy, advance]),
      wrong(([id, dx, dy, advance]) => [id, dx, dy + 40, advance]),
      [{ ...first, glyphs: first.glyphs.toReversed() }, ...others],
    ]) {
      assert.notEqual(differenceOf(row, faulty), undefined);
    }
  });
});

describe('I142 no character of a script that is claimed is drawn as a box', () => {
  /** Of Han each hundredth, since it has several times as many as all others together. */
  const HAN_STEP = 100;
  const LAST_CODE = 0x2ffff;

  test('every one that a font has, by itself', () => {
    const scripts = new RegExp(`[${BUNDLED_SCRIPTS.map((script) => `\\p{Script=${script}}`).join('')}]`, 'u');
    const texts: [string, readonly FontFace[]][] = [];
    for (let code = 0; code <= LAST_CODE; code += 1) {
      const text = String.fromCodePoint(code);
      if (!scripts.test(text) || (/\p{Script=Han}/u.test(text) && code % HAN_STEP !== 0)) continue;
      const { faces, missing } = facesOfText('Noto Sans', text, []);
      if (missing.length === 0) texts.push([text, faces]);
    }
    assert.ok(texts.length > 3_000, String(texts.length));
    assert.deepEqual(drawnAsBoxes(texts), []);
  });
});
