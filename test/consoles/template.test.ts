import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type Area,
  boxOf,
  type Draft,
  freeKey,
  insideOf,
  isSameDraft,
  layerBoxOf,
  layersOf,
  longestText,
  pointsOf,
  pxOfPoints,
  withCopy,
  withNewLayer,
  withOrder,
} from '../../consoles/portal/template/model.ts';

const AREA: Area = {
  ...{ print_area: 'front', title: 'Front', methods: ['dtg'], width_mm: 100, height_mm: 50 },
  ...{ width_px: 1_181, height_px: 591, garment: null },
};
const EMPTY: Draft = { areas: [{ print_area: 'front', method: 'dtg' }], layers: [] };

/** A draft with layers of some types, each added on top of those before. */
function draftOf(...types: readonly Draft['layers'][number]['type'][]): Draft {
  return types.reduce((draft, type) => withNewLayer(draft, type, AREA).draft, EMPTY);
}

const keysOf = (draft: Draft): readonly string[] => layersOf(draft, 'front').map(({ id }) => id);

describe('the layers of a draft', () => {
  test('a new one lies on top, inside of its area, under a key of its own', () => {
    const draft = draftOf('text', 'image', 'text', 'photo_collage', 'image_select');
    assert.deepEqual(keysOf(draft), ['motif', 'photos', 'text_2', 'picture', 'text']);
    for (const { box } of draft.layers) assert.deepEqual(insideOf(box, AREA), box);
    assert.equal(new Set(draft.layers.map(({ z_order: depth }) => depth)).size, 5);
  });

  test('one is put between others, and no further than the ends', () => {
    const draft = draftOf('text', 'image', 'image_select');
    assert.deepEqual(keysOf(withOrder(draft, 'text', 1)), ['motif', 'text', 'picture']);
    assert.deepEqual(keysOf(withOrder(draft, 'text', -1)), ['text', 'motif', 'picture']);
    assert.deepEqual(keysOf(withOrder(draft, 'motif', 9)), ['picture', 'text', 'motif']);
    assert.equal(withOrder(draft, 'none', 0), draft);
  });

  test('a copy has a key of its own and lies on top, and what it copies stays', () => {
    const { draft, id } = withCopy(draftOf('text', 'image'), 'text', AREA);
    assert.deepEqual([id, keysOf(draft)], ['text_2', ['text_2', 'picture', 'text']]);
    assert.equal(freeKey(draft, 'text'), 'text_3');
  });

  test('drafts are the same whatever the order of their members', () => {
    const draft = draftOf('text');
    const [layer = assert.fail()] = draft.layers;
    const turned = Object.fromEntries(Object.entries(layer).toReversed()) as typeof layer;
    assert.equal(isSameDraft(draft, { layers: [turned], areas: draft.areas }), true);
    assert.equal(isSameDraft(draft, { ...draft, layers: [{ ...layer, name: 'Other' }] }), false);
  });
});

describe('millimetres and pixels', () => {
  test('a box comes back from the plane as it went there', () => {
    for (const { box, ...layer } of draftOf('text', 'image').layers) {
      assert.deepEqual(layerBoxOf(boxOf({ ...layer, box }, AREA), AREA), box);
    }
  });

  test('a box that is dragged out of its area is put back inside, and a larger one is made smaller', () => {
    const box = { x: -5, y: 60, widthMm: 20, heightMm: 10, degrees: 0 };
    assert.deepEqual(layerBoxOf(box, AREA), { x_px: 0, y_px: 473, width_px: 236, height_px: 118 });
    const large = layerBoxOf({ ...box, widthMm: 500, heightMm: 500 }, AREA);
    assert.deepEqual(large, { x_px: 0, y_px: 0, width_px: 1_181, height_px: 591 });
  });

  test('sizes of letters are shown in points', () => {
    assert.equal(pointsOf(pxOfPoints(72, AREA), AREA), 72);
    assert.ok(Math.abs(pxOfPoints(72, AREA) - 300) <= 1);
  });
});

test('the longest text has as many characters as a layer allows, and no blank at its ends', () => {
  for (const length of [1, 7, 24, 500]) {
    const text = longestText('Ada Lovelace', length);
    assert.ok(Array.from(text).length <= length && Array.from(text).length >= length - 1);
    assert.equal(text, text.trim());
  }
});
