import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { type BaseProductEntry, OUTLINES } from '../../catalogue/document.ts';
import { fittedSpot, garmentKindOf, garmentSpotOf, outlinedSpotOf, shownKindOf } from './garment.ts';
import { type BlankGarment, garmentSvg, garmentUrl, readGarmentName } from './garment-picture.ts';
import { garmentOutline } from './outline.ts';

const { base_products: bases } = JSON.parse(readFileSync('data/demo/catalogue.json', 'utf8')) as {
  base_products: readonly BaseProductEntry[];
};

const titled = (title: string) => ({ title });

test('every base product of the demo shop has a picture that shows its first print area', () => {
  const kinds = bases.map((base) => {
    const kind = garmentKindOf(base);
    return [base.title, kind, shownKindOf(base, base.print_areas[0]?.print_area ?? '') === kind];
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

test('a title is read by whole words; one without any of them, or with one of another thing, is a panel', () => {
  for (const [title, kind] of [
    ['Hooded sweatshirt', 'hoodie'],
    ['Tee-shirt bag', 'tote'],
    ['Garment wash tee', 'tee'],
    ['Box fit tee', 'tee'],
    ['Capsule wallet', 'panel'],
    ['Socks', 'panel'],
    ['Hooded towel', 'panel'],
    ['Canvas shoes', 'panel'],
    ['Kitchen apron with print', 'panel'],
    ['Tank top', 'panel'],
    ['Long-sleeve tee', 'panel'],
    ['Sweat shorts', 'panel'],
    ['', 'panel'],
  ] as const) {
    assert.equal(garmentKindOf(titled(title)), kind, title);
  }
});

test('the outline that the catalogue names goes before the words of the title', () => {
  for (const outline of OUTLINES) assert.equal(garmentKindOf({ title: 'Hooded towel', outline }), outline);
  assert.equal(garmentKindOf({ title: 'Classic tee', outline: 'panel' }), 'panel');
  assert.equal(shownKindOf({ title: 'Baseball undershirt', outline: 'tee' }, 'left_chest'), 'tee');
});

test('a print area that the outline does not show is shown by a panel, and so is a word that every object knows', () => {
  for (const area of ['neck_label', 'constructor', '__proto__', '']) {
    assert.equal(outlinedSpotOf('tee', area), undefined);
    assert.equal(shownKindOf(titled('Classic tee'), area), 'panel');
  }
});

test('every place lies within the picture, whatever the proportions of its area', () => {
  const inside = ({ left, top, width, height }: { left: number; top: number; width: number; height: number }) =>
    left > 0 && top > 0 && left + width < 1_000 && top + height < 860;
  for (const base of bases) {
    for (const { print_area: area, width_px: widthPx, height_px: heightPx } of base.print_areas) {
      const spot = garmentSpotOf(shownKindOf(base, area), area, { widthPx, heightPx }) ?? assert.fail(area);
      const { left, top, width, height } = spot;
      assert.ok(left > 0 && top > 0 && left + width < 1_000 && top + height < 1_000, `${base.title} ${area}`);
    }
  }
  for (const [widthPx, heightPx] of [
    [1, 1],
    [12_000, 1],
    [1, 12_000],
    [3_543, 4_724],
  ] as const) {
    const spot = garmentSpotOf('panel', 'anywhere', { widthPx, heightPx }) ?? assert.fail();
    const fitted = fittedSpot(spot, { width: widthPx, height: heightPx });
    assert.ok(inside(spot), `${widthPx} × ${heightPx}`);
    assert.ok(inside({ ...fitted, width: widthPx * fitted.scale, height: heightPx * fitted.scale }));
  }
});

test('a panel has the proportions of its print area, and the side that the name of the area says', () => {
  const wide = garmentSpotOf('panel', 'front', { widthPx: 4_000, heightPx: 1_000 }) ?? assert.fail();
  assert.equal(Math.round(wide.width / wide.height), 4);
  const views = ['front', 'back', 'upper_back', 'backpack_front'].map(
    (area) => garmentSpotOf('panel', area, { widthPx: 10, heightPx: 10 })?.view,
  );
  assert.deepEqual(views, ['front', 'back', 'back', 'front']);
});

test('the designer lays a template on the outline of its blank, and on a panel where there is none', () => {
  const [tee] = bases;
  assert.ok(tee !== undefined);
  const size = { widthPx: 3_543, heightPx: 4_724 };
  const known = garmentOutline(tee, 'front', size);
  const unknown = garmentOutline({ ...tee, title: 'Tea towel' }, 'front', size);
  assert.ok(known.parts.length > 1, 'sleeves, body and collar');
  assert.equal(unknown.parts.length, 1, 'a sheet');
  for (const { area } of [known, unknown]) {
    assert.ok(Math.abs(area.width / area.height - 3 / 4) < 0.001, JSON.stringify(area));
  }
});

test('the address of a blank names what is drawn, and each draws another picture', () => {
  const panel = { widthMm: 300, heightMm: 100 };
  const pictures = new Set<string>();
  for (const kind of OUTLINES) {
    const url = garmentUrl('https://shop.example', { kind, view: 'front', colourHex: '#1A2B3C', panel });
    assert.equal(url, `https://shop.example/garments/${kind}-front-1a2b3c${kind === 'panel' ? '-300x100' : ''}.svg`);
    const garment: BlankGarment = readGarmentName(url.split('/').at(-1) ?? '') ?? assert.fail(url);
    assert.equal(garment.kind, kind);
    const svg = garmentSvg(garment);
    assert.match(svg, /^<svg [^>]+>.+<\/svg>$/s);
    assert.doesNotMatch(svg, /NaN|undefined/);
    pictures.add(svg);
  }
  assert.equal(pictures.size, OUTLINES.length);
});

test('no other name is that of a blank', () => {
  for (const name of [
    'panel-front-ffffff.svg',
    'panel-front-ffffff-0x10.svg',
    'panel-front-ffffff-10x.svg',
    'panel-front-ffffff-99999x1.svg',
    'tee-front-ffffff-300x400.svg',
    'sock-front-ffffff.svg',
    'tee-side-ffffff.svg',
    'tee-front-fffff.svg',
    'constructor-front-ffffff.svg',
  ]) {
    assert.equal(readGarmentName(name), undefined, name);
  }
});
