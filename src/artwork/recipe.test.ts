import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../lib/ids.ts';
import type { PictureDrawing, TextDrawing } from './drawing.ts';
import { CENTRED, personalisedDesignKey, personalisedPrintFileOf, printFileOf } from './recipe.ts';

const ACCOUNT = newId(1);
const TEMPLATE = { widthPx: 3_000, heightPx: 4_000, dpi: 300 };
const BOX = { left: 1, top: 2, width: 3, height: 4 };
const HASH = 'a'.repeat(64);
const text = (changes: Partial<TextDrawing> = {}): TextDrawing => ({
  kind: 'text',
  box: BOX,
  text: 'Hello',
  font: 'Oswald',
  color: '#000000',
  align: 'left',
  sizePx: { min: 1, max: 2 },
  ...changes,
});
const picture = (changes: Partial<PictureDrawing> = {}): PictureDrawing => ({
  kind: 'picture',
  box: BOX,
  fit: 'cover',
  designHash: HASH,
  ...changes,
});

test('equal recipes have one key, however they were built; whatever is seen differently has another', () => {
  const keyOf = (...drawings: Parameters<typeof personalisedPrintFileOf>[2]) =>
    personalisedPrintFileOf(ACCOUNT, TEMPLATE, drawings).key;
  const reordered = Object.fromEntries(Object.entries(text()).toReversed()) as TextDrawing;
  assert.equal(keyOf(text(), picture()), keyOf(reordered, picture()));
  const others = [
    keyOf(),
    keyOf(text(), picture()),
    keyOf(picture(), text()),
    keyOf(text()),
    keyOf(text({ text: 'hello' })),
    keyOf(text({ font: 'Pacifico' })),
    keyOf(text({ color: '#000001' })),
    keyOf(text({ align: 'right' })),
    keyOf(text({ sizePx: { min: 1, max: 3 } })),
    keyOf(text({ sizePx: { min: 2, max: 2 } })),
    keyOf(text({ box: { ...BOX, left: 2 } })),
    keyOf(picture()),
    keyOf(picture({ fit: 'contain' })),
    keyOf(picture({ designHash: 'b'.repeat(64) })),
    keyOf(picture({ box: { ...BOX, height: 5 } })),
    personalisedPrintFileOf(newId(2), TEMPLATE, [text()]).key,
    personalisedPrintFileOf(ACCOUNT, { ...TEMPLATE, dpi: 150 }, [text()]).key,
    printFileOf(ACCOUNT, HASH, TEMPLATE, CENTRED).key,
  ];
  assert.equal(new Set(others).size, others.length);
});

test('the key of a recipe is fixed by its version: files that are made are found again', () => {
  const account = '01890a5d-ac96-774b-bcce-b302099a8057' as typeof ACCOUNT;
  assert.equal(
    printFileOf(account, HASH, TEMPLATE, CENTRED).key,
    'b56151b781702e7151283bd02f1808d829b32dde078644fb91687bafd35d99a3',
  );
});

test('a piece counts as one design by all that is drawn on all of its areas', () => {
  const front = { printArea: 'front', drawings: [text()] };
  const keys = [
    [front],
    [front, { printArea: 'back', drawings: [picture()] }],
    [{ ...front, printArea: 'back' }],
    [{ ...front, drawings: [text({ text: 'Other' })] }],
  ].map(personalisedDesignKey);
  assert.equal(new Set(keys).size, keys.length);
  assert.equal(personalisedDesignKey([front]), personalisedDesignKey([{ ...front, drawings: [text()] }]));
});
