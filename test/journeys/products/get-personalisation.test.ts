import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import type { Personalisation } from '../../../src/products/schema.ts';
import { read } from '../../harness/products.ts';
import { type Customer, startTestService, type TestService } from '../../harness/service.ts';
import { addProduct } from '../../harness/shop.ts';

let service: TestService;
let customer: Customer;
before(async () => {
  service = await startTestService({ role: 'api' });
  ({ customer } = service);
});
after(() => service.stop());

async function layersOf(id: string, by = customer): Promise<Personalisation['layers']> {
  const answer = await by.request<Personalisation>('GET', `/products/${id}/personalisation`);
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(Object.keys(answer.body), ['layers']);
  return answer.body.layers;
}

test('a personalised product tells its layers: type, whether required, limits, fonts, colours and options', async () => {
  const layers = await layersOf(service.demo.products.personalised);
  assert.deepEqual(layers.map(({ type }) => type).toSorted(), ['image', 'image_select', 'photo_collage', 'text']);
  for (const layer of layers) {
    assert.ok(layer.id.length > 0 && layer.name.length > 0 && layer.print_area.length > 0);
    assert.equal(typeof layer.required, 'boolean');
    assert.deepEqual(Object.keys(layer.box), ['x_px', 'y_px', 'width_px', 'height_px']);
    switch (layer.type) {
      case 'text':
        assert.ok(layer.length_max >= 1);
        assert.ok(layer.font.choices.length === 0 || layer.font.choices.includes(layer.font.default));
        assert.match(layer.color.default, /^#[0-9a-f]{6}$/);
        break;
      case 'image':
        assert.ok(['contain', 'cover'].includes(layer.fit));
        break;
      case 'photo_collage':
        assert.ok(layer.pictures_max <= layer.grid.columns * layer.grid.rows);
        break;
      case 'image_select':
        assert.ok(layer.options.length > 1);
        break;
    }
  }
});

test("the pictures of an image_select layer's options are signed addresses that serve them", async () => {
  const layers = await layersOf(service.demo.products.personalised);
  const select = layers.find((layer) => layer.type === 'image_select');
  assert.ok(select?.type === 'image_select');
  for (const option of select.options) {
    assert.deepEqual(Object.keys(option), ['id', 'name', 'image_url']);
    const { pathname, search } = new URL(option.image_url);
    const served = await fetch(`${service.url}${pathname}${search}`);
    assert.equal(served.status, 200);
    const { width, height } = await sharp(Buffer.from(await served.arrayBuffer())).metadata();
    assert.deepEqual([width, height], [1_200, 1_200]);
  }
});

test('a text layer tells what its families are like, and the scripts that can be printed', async () => {
  const layers = await layersOf(service.demo.products.personalised);
  const fonts = layers.flatMap((layer) => (layer.type === 'text' ? [layer.font] : []));
  assert.deepEqual(
    fonts.map(({ families }) => families),
    [
      [
        { family: 'Noto Sans', style: 'sans-serif', scripts: ['Latin', 'Cyrillic', 'Greek', 'Devanagari'] },
        { family: 'Pacifico', style: 'surf script', scripts: ['Latin', 'Cyrillic'] },
        { family: 'Oswald', style: 'condensed', scripts: ['Latin', 'Cyrillic'] },
      ],
    ],
  );
  const scripts = fonts[0]?.scripts ?? [];
  assert.ok(scripts.length >= 20);
  const missing = ['Hebrew', 'Thai', 'Han', 'Georgian'].filter((script) => !scripts.includes(script));
  assert.deepEqual(missing, []);
  assert.ok(!scripts.includes('Hangul'), 'its package is not installed');
});

test('what may not be sent has no choices; any colour is said to be any', async () => {
  const common = { required: false, print_area: 'front', box: { x_px: 0, y_px: 0, width_px: 100, height_px: 100 } };
  const text = { ...common, type: 'text' as const, length_max: 5, align: 'left' as const, size_px: { min: 1, max: 9 } };
  const product = await addProduct(service, customer, 'TEE-CLASSIC', {
    personalisation: {
      areas: [{ print_area: 'front', method: 'dtg' }],
      layers: [
        { ...text, id: 'fixed', name: 'Fixed', z_order: 0, font: { default: 'Oswald' }, color: { default: '#112233' } },
        {
          ...text,
          id: 'free',
          name: 'Free',
          z_order: 1,
          font: { default: 'Oswald', choices: ['Oswald', 'Pacifico'] },
          color: { default: '#112233', choices: 'any' },
        },
        {
          ...text,
          id: 'some',
          name: 'Some',
          z_order: 2,
          font: { default: 'Oswald' },
          color: { default: '#112233', choices: ['#112233', '#445566'] },
        },
      ],
    },
  });
  assert.equal((await read(customer, product)).personalised, true);
  const layers = await layersOf(product);
  assert.deepEqual(
    layers.map((layer) => {
      if (layer.type !== 'text') return [];
      const { default: fallback, choices } = layer.font;
      return [layer.id, { default: fallback, choices }, layer.color];
    }),
    [
      ['fixed', { default: 'Oswald', choices: [] }, { default: '#112233', any: false, choices: [] }],
      ['free', { default: 'Oswald', choices: ['Oswald', 'Pacifico'] }, { default: '#112233', any: true, choices: [] }],
      ['some', { default: 'Oswald', choices: [] }, { default: '#112233', any: false, choices: ['#112233', '#445566'] }],
    ],
  );
  assert.deepEqual(Object.keys(layers[0] ?? {}), [
    'id',
    'name',
    'required',
    'print_area',
    'box',
    'type',
    'length_max',
    'font',
    'color',
  ]);
});

test('a product that is not personalised has no layers, and an archived one still tells its own', async () => {
  assert.deepEqual(await layersOf(service.demo.products.fixed), []);
  const { personalised } = service.demo.products;
  const before = (await layersOf(personalised)).map(({ id }) => id);
  await customer.request('DELETE', `/products/${personalised}`);
  assert.deepEqual(
    (await layersOf(personalised)).map(({ id }) => id),
    before,
  );
});
