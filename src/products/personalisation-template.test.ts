import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { readCatalogue } from '../catalogue/document.ts';
import { readTemplate } from './personalisation-template.ts';

const PRINT_AREAS = [
  { print_area: 'front', methods: ['dtg', 'dtf'], width_px: 1_000, height_px: 500 },
  { print_area: 'back', methods: ['dtg'], width_px: 1_000, height_px: 500 },
].map((area) => ({
  ...area,
  title: area.print_area,
  width_mm: 254,
  height_mm: 127,
  dpi: 100,
  format: 'png' as const,
  size_class: 'standard' as const,
}));

const box = { x_px: 0, y_px: 0, width_px: 1_000, height_px: 500 };
const common = { required: false, print_area: 'front', box };

const template = () => ({
  areas: [{ print_area: 'front', method: 'dtg' }],
  layers: [
    {
      ...common,
      id: 'line',
      name: 'Line',
      type: 'text',
      z_order: 0,
      length_max: 20,
      align: 'centre',
      size_px: { min: 10, max: 90 },
      font: { default: 'Oswald', choices: ['Oswald', 'Pacifico'] },
      color: { default: '#112233', choices: ['#112233'] },
    },
    { ...common, id: 'photo', name: 'Photo', type: 'image', z_order: 1, fit: 'cover' },
    {
      ...common,
      id: 'photos',
      name: 'Photos',
      type: 'photo_collage',
      z_order: 2,
      grid: { columns: 2, rows: 2, gap_px: 10 },
      pictures_max: 4,
    },
    {
      ...common,
      id: 'motif',
      name: 'Motif',
      type: 'image_select',
      z_order: 3,
      options: [
        { id: 'star', name: 'Star', design: 'motif_star' },
        { id: 'sun', name: 'Sun', design: 'motif_sun' },
      ],
    },
  ],
});

/** `path code` of every problem when these members of a layer, or of the template, are different. */
function problemsWith(layerIndex: number | undefined, different: Record<string, unknown>): string[] {
  const value = template();
  Object.assign(layerIndex === undefined ? value : (value.layers[layerIndex] ?? {}), different);
  const read = readTemplate(value, PRINT_AREAS, 'template');
  return read.kind === 'refused' ? read.problems.map(({ path, code }) => `${path} ${code}`) : [];
}

test('a template with a layer of each type is read whole', () => {
  assert.deepEqual(problemsWith(undefined, {}), []);
});

describe('a template that cannot be printed is refused', () => {
  const cases: [string, number | undefined, Record<string, unknown>, string[]][] = [
    ['not an object', undefined, { layers: 3 }, ['template.layers type']],
    ['no layers', undefined, { layers: [] }, ['template.layers out_of_bounds']],
    ['a layer that is none', undefined, { layers: [null] }, ['template.layers[0] type']],
    ['an unknown type', 1, { type: 'video' }, ['template.layers[1].type unknown_value']],
    ['a member of another type', 1, { length_max: 5 }, ['template.layers[1].length_max unknown_field']],
    ['an id that would read as an override', 0, { id: 'line#font' }, ['template.layers[0].id pattern']],
    ['an id that is part of every object', 0, { id: '__proto__' }, ['template.layers[0].id pattern']],
    ['an id twice', 1, { id: 'line' }, ['template.layers[1].id duplicate']],
    ['two layers of one depth', 1, { z_order: 0 }, ['template.layers[1].z_order duplicate']],
    ['a layer outside the areas', 1, { print_area: 'back' }, ['template.layers[1].print_area unknown_print_area']],
    ['a box beyond the area', 1, { box: { ...box, x_px: 1 } }, ['template.layers[1].box box']],
    ['a box without a size', 1, { box: { ...box, width_px: 0 } }, ['template.layers[1].box.width_px out_of_bounds']],
    [
      'a default font that is no choice',
      0,
      { font: { default: 'Arial', choices: ['Oswald'] } },
      ['template.layers[0].font.default unknown_font'],
    ],
    [
      'a default colour that is no choice',
      0,
      { color: { default: '#ffffff', choices: ['#112233'] } },
      ['template.layers[0].color.default unknown_color'],
    ],
    [
      'a font that is not here',
      0,
      { font: { default: 'Oswald', choices: ['Oswald', '../../x.ttf'] } },
      ['template.layers[0].font.choices[1] unknown_font'],
    ],
    [
      'a default font that is not here',
      0,
      { font: { default: 'Arial' } },
      ['template.layers[0].font.default unknown_font'],
    ],
    [
      'a font whose package is not installed',
      0,
      { font: { default: 'Noto Sans KR' } },
      ['template.layers[0].font.default unknown_font'],
    ],
    ['a colour of three digits', 0, { color: { default: '#fff' } }, ['template.layers[0].color.default pattern']],
    [
      'letters whose least height is the greater',
      0,
      { size_px: { min: 9, max: 8 } },
      ['template.layers[0].size_px size_px'],
    ],
    [
      'letters whose smallest line is higher than the box',
      0,
      { box: { ...box, height_px: 11 } },
      ['template.layers[0].size_px.min size_px'],
    ],
    ['text beyond the bound', 0, { length_max: 501 }, ['template.layers[0].length_max out_of_bounds']],
    ['more pictures than cells', 2, { pictures_max: 5 }, ['template.layers[2].pictures_max grid']],
    [
      'gaps that leave no room',
      2,
      { grid: { columns: 2, rows: 2, gap_px: 499 } },
      ['template.layers[2].grid.gap_px grid'],
    ],
    [
      'an option twice',
      3,
      { options: [1, 2].map(() => ({ id: 'star', name: 'Star', design: 'a' })) },
      ['template.layers[3].options[1].id duplicate'],
    ],
    [
      'more than a hundred pictures on an area',
      undefined,
      {
        layers: [0, 1, 2].map((index) => ({
          ...common,
          id: `photos_${index}`,
          name: 'Photos',
          type: 'photo_collage',
          z_order: index,
          grid: { columns: 8, rows: 5, gap_px: 0 },
          pictures_max: 40,
        })),
      },
      ['template.layers out_of_bounds'],
    ],
    [
      'an area that the product lacks',
      undefined,
      {
        areas: [
          { print_area: 'front', method: 'dtg' },
          { print_area: 'hem', method: 'dtg' },
        ],
      },
      ['template.areas[1].print_area unknown_print_area'],
    ],
    [
      'a method that the area lacks',
      undefined,
      { areas: [{ print_area: 'front', method: 'laser' }] },
      ['template.areas[0].method unknown_method'],
    ],
    [
      'an area twice',
      undefined,
      { areas: [1, 2].map(() => ({ print_area: 'front', method: 'dtg' })) },
      ['template.areas[1].print_area duplicate'],
    ],
  ];
  for (const [title, layerIndex, different, problems] of cases) {
    test(title, () => assert.deepEqual(problemsWith(layerIndex, different), problems));
  }
});

describe('the demo’s products', () => {
  const file = (name: string): unknown =>
    JSON.parse(readFileSync(new URL(`../../data/demo/${name}`, import.meta.url), 'utf8'));
  const catalogue = readCatalogue(file('catalogue.json'));
  const demo = file('products.json') as {
    designs: { design: string }[];
    products: {
      kind: string;
      master_sku: string;
      variant_skus: string[];
      areas?: { print_area: string; method: string; design: string }[];
      template?: { layers: { type: string; options?: { design: string }[] }[] };
    }[];
  };
  const baseOf = (masterSku: string) => {
    assert.ok(catalogue.kind === 'ok');
    const base = catalogue.value.base_products.find(({ master_sku }) => master_sku === masterSku);
    assert.ok(base);
    return base;
  };
  const designs = new Set(demo.designs.map(({ design }) => design));

  test('offer variants that their base product has', () => {
    for (const { master_sku, variant_skus } of demo.products) {
      const known = new Set(baseOf(master_sku).variants.map(({ sku }) => sku));
      assert.deepEqual(
        variant_skus.filter((sku) => !known.has(sku)),
        [],
      );
    }
  });

  test('print stored designs on areas and by methods that their base product has', () => {
    const fixed = demo.products.find(({ kind }) => kind === 'fixed');
    assert.deepEqual(
      fixed?.areas?.map(({ print_area, method }) => `${print_area} ${method}`),
      ['front dtg', 'back dtf', 'left_sleeve embroidery'],
    );
    for (const { print_area, method, design } of fixed?.areas ?? []) {
      const area = baseOf(fixed?.master_sku ?? '').print_areas.find((known) => known.print_area === print_area);
      assert.ok(area?.methods.includes(method));
      assert.ok(designs.has(design));
    }
  });

  test('have a sound template with a layer of each type', () => {
    const personalised = demo.products.find(({ kind }) => kind === 'personalised');
    const read = readTemplate(personalised?.template, baseOf(personalised?.master_sku ?? '').print_areas);
    assert.deepEqual(read.kind === 'refused' && read.problems, false);
    const layers = personalised?.template?.layers ?? [];
    assert.deepEqual(layers.map(({ type }) => type).toSorted(), ['image', 'image_select', 'photo_collage', 'text']);
    assert.ok(layers.flatMap(({ options }) => options ?? []).every(({ design }) => designs.has(design)));
  });
});
