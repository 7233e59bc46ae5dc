import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { garmentKindOf, garmentSpotOf } from './garment.ts';

type Base = { readonly title: string; readonly print_areas: readonly { readonly print_area: string }[] };

const { base_products: bases } = JSON.parse(readFileSync('data/demo/catalogue.json', 'utf8')) as {
  base_products: readonly Base[];
};

test('every base product of the demo shop has a picture that shows its first print area', () => {
  const kinds = bases.map(({ title, print_areas: areas }) => {
    const kind = garmentKindOf(title);
    const isShown = kind !== undefined && garmentSpotOf(kind, areas[0]?.print_area ?? '') !== undefined;
    return [title, kind, isShown];
  });
  assert.deepEqual(kinds, [
    ['Classic tee', 'tee', true],
    ['Premium organic tee', 'tee', true],
    ['Kids tee', 'tee', true],
    ['Pullover hoodie', 'hoodie', true],
    ['Crew sweatshirt', 'sweatshirt', true],
    ['Cotton tote bag', 'tote', true],
    ['Twill cap', 'cap', true],
    ['Ceramic mug 11 oz', 'mug', true],
    ['Matte poster A3', 'poster', true],
    ['Matte poster A2', 'poster', true],
    ['Baby bodysuit', 'bodysuit', true],
  ]);
});

test('a title is read by whole words, and one without any of them has no picture', () => {
  for (const [title, kind] of [
    ['Hooded sweatshirt', 'hoodie'],
    ['Tee-shirt bag', 'tote'],
    ['Capsule wallet', undefined],
    ['Socks', undefined],
  ] as const) {
    assert.equal(garmentKindOf(title), kind, title);
  }
});

test('a print area that the picture does not show has no place, nor has a word that every object knows', () => {
  for (const area of ['neck_label', 'constructor', '__proto__', ''])
    assert.equal(garmentSpotOf('tee', area), undefined);
});

test('every place lies within the picture', () => {
  for (const base of bases) {
    const kind = garmentKindOf(base.title) ?? assert.fail();
    for (const { print_area: area } of base.print_areas) {
      const spot = garmentSpotOf(kind, area);
      if (spot === undefined) continue;
      const { left, top, width, height } = spot;
      assert.ok(left > 0 && top > 0 && left + width < 1_000 && top + height < 1_000, `${base.title} ${area}`);
    }
  }
});
