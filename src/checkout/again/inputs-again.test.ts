import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Drawing } from '../../artwork/drawing.ts';
import type { PersonalisationLayer, PersonalisationTemplate } from '../../products/personalisation-template.ts';
import { type Inputs, readInputs } from '../personalisation/inputs.ts';
import { inputsAgain } from './inputs-again.ts';

const box = (x: number, y: number, width = 400, height = 200) => ({
  x_px: x,
  y_px: y,
  width_px: width,
  height_px: height,
});
const common = (id: string, z: number) => ({ id, name: id, required: false, print_area: 'front', z_order: z });
const text = (id: string, z: number, at = box(0, 200 * z)): PersonalisationLayer => ({
  ...common(id, z),
  box: at,
  type: 'text',
  length_max: 40,
  align: 'centre',
  size_px: { min: 10, max: 60 },
  font: { default: 'Oswald', choices: ['Oswald', 'Pacifico'] },
  color: { default: '#000000', choices: 'any' },
});
const image = (id: string, z: number, at = box(500, 200 * z)): PersonalisationLayer => ({
  ...common(id, z),
  box: at,
  type: 'image',
  fit: 'cover',
});
const collage: PersonalisationLayer = {
  ...common('photos', 3),
  box: box(0, 1_000, 610, 200),
  type: 'photo_collage',
  grid: { columns: 3, rows: 1, gap_px: 5 },
  pictures_max: 3,
};
const motif: PersonalisationLayer = {
  ...common('motif', 4),
  box: box(700, 1_000),
  type: 'image_select',
  options: [
    { id: 'heart', name: 'Heart', design: 'aa' },
    { id: 'star', name: 'Star', design: 'bb' },
  ],
};
const TEMPLATE: PersonalisationTemplate = {
  areas: [{ print_area: 'front', method: 'dtg' }],
  layers: [text('line', 0), text('second', 1), image('portrait', 2), collage, motif],
};

/** What an order of some inputs draws; the hash of a picture is its address. */
function drawn(inputs: Inputs, template = TEMPLATE): readonly Drawing[] {
  const { areas, problems } = readInputs(template, inputs, '');
  assert.deepEqual(problems, []);
  return areas.flatMap(({ drawings }) =>
    drawings.map((each): Drawing => {
      if (each.kind === 'text') return each.drawing;
      const { source } = each;
      return { ...each.drawing, designHash: source.kind === 'stored' ? source.hash : source.url };
    }),
  );
}

const again = (drawings: readonly Drawing[], template = TEMPLATE, lost: readonly string[] = []) =>
  inputsAgain(template, [{ printArea: 'front', drawings }], (hash) => (lost.includes(hash) ? undefined : hash));

const NOTHING_LEFT = { lostPictures: [], unplaced: { texts: [], pictures: 0 } };

for (const [what, inputs] of [
  ['a text', { line: 'Ada' }],
  ['a text in another font and colour', { second: 'Two\nlines', 'second#font': 'Pacifico', 'second#color': '#aa2200' }],
  ['a picture', { portrait: 'https://p.example/1' }],
  [
    'some photos of a collage, in their order',
    { photos: JSON.stringify(['https://p.example/2', 'https://p.example/1']) },
  ],
  ['a choice', { motif: 'star' }],
  [
    'all of it',
    { line: 'A', second: 'B', portrait: 'https://p.example/1', photos: '["https://p.example/2"]', motif: 'heart' },
  ],
] as const) {
  test(`what was filled in is found in what was drawn: ${what}`, () => {
    assert.deepEqual(again(drawn(inputs)), { inputs, ...NOTHING_LEFT });
  });
}

test('what a layer presets is left out, and so is what was left empty', () => {
  const { inputs } = again(drawn({ line: 'Ada', 'line#font': 'Oswald', 'line#color': '#000000', second: null }));
  assert.deepEqual(inputs, { line: 'Ada' });
});

test('a template whose layers were moved takes texts and pictures where there are as many of a kind', () => {
  const moved = {
    ...TEMPLATE,
    layers: [text('line', 0, box(9, 9)), text('second', 1, box(9, 400)), image('portrait', 2, box(9, 700))],
  };
  const before = { ...TEMPLATE, layers: TEMPLATE.layers.slice(0, 3) };
  const inputs = { line: 'Ada', second: 'Byron', portrait: 'https://p.example/1' };
  assert.deepEqual(again(drawn(inputs, before), moved), { inputs, ...NOTHING_LEFT });
});

test('what a new template has no place for is named, and nothing is guessed', () => {
  const moved = { ...TEMPLATE, layers: [text('line', 0, box(9, 9)), text('second', 1, box(9, 400)), motif] };
  const found = again(drawn({ line: 'Ada', portrait: 'https://p.example/1', motif: 'star' }), moved);
  assert.deepEqual(found, {
    inputs: { motif: 'star' },
    lostPictures: [],
    unplaced: { texts: ['Ada'], pictures: 1 },
  });
});

test('an option that is not offered any more is no input of its layer', () => {
  const [heart] = motif.type === 'image_select' ? motif.options : [];
  const fewer = {
    ...TEMPLATE,
    layers: [{ ...motif, options: heart === undefined ? [] : [heart] } as PersonalisationLayer],
  };
  assert.deepEqual(again(drawn({ motif: 'star' }), fewer).unplaced, { texts: [], pictures: 1 });
});

test('a picture whose bytes are gone is named by its layer, and the others of a collage stay', () => {
  const photos = ['https://p.example/1', 'https://p.example/2'];
  const found = again(drawn({ portrait: 'https://p.example/3', photos: JSON.stringify(photos) }), TEMPLATE, [
    'https://p.example/1',
    'https://p.example/3',
  ]);
  assert.deepEqual(found.inputs, { photos: JSON.stringify(['https://p.example/2']) });
  assert.deepEqual(found.lostPictures.toSorted(), ['photos', 'portrait']);
});
