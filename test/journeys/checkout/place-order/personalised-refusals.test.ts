import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Refusal, testRefusals } from '../../../harness/refusals.ts';
import { type Customer, startTestService, type TestService } from '../../../harness/service.ts';
import { addProduct, basket, problemsOf, servePicture } from '../../../harness/shop.ts';
import { everythingWritten, rows } from '../../../harness/written.ts';

let service: TestService;
let customer: Customer;
let good: string;
let countsBefore: Record<string, number>;

before(async () => {
  // No worker: what a refusal leaves behind could otherwise be cleared away in the background.
  service = await startTestService({ role: 'api' });
  ({ customer } = service);
  await setUpStrictProduct();
  good = await servePicture(service, '/good.png', { widthPx: 2_400, heightPx: 2_400, colour: '#123456' });
  service.stranger.serve('/page.html', { body: '<html></html>' });
  countsBefore = await everythingWritten(service);
});
after(() => service.stop());

/** Every layer required, fonts and colours not to be chosen but for one colour. */
let strict: string;
async function setUpStrictProduct(): Promise<void> {
  const layer = { required: true, print_area: 'front', box: { x_px: 0, y_px: 0, width_px: 1_000, height_px: 400 } };
  strict = await addProduct(service, customer, 'TEE-ORGANIC', {
    name: 'Strict',
    personalisation: {
      areas: [{ print_area: 'front', method: 'dtg' }],
      layers: [
        {
          ...layer,
          id: 'plain',
          name: 'Plain',
          type: 'text',
          z_order: 1,
          length_max: 500,
          align: 'left',
          size_px: { min: 100, max: 200 },
          font: { default: 'Oswald' },
          color: { default: '#000000' },
        },
        {
          ...layer,
          id: 'bright',
          name: 'Bright',
          type: 'text',
          z_order: 2,
          length_max: 5,
          align: 'right',
          size_px: { min: 10, max: 200 },
          font: { default: 'Oswald', choices: ['Oswald'] },
          color: { default: '#ff0000', choices: ['#ff0000', '#00ff00'] },
        },
        { ...layer, id: 'photo', name: 'Photo', type: 'image', z_order: 3, fit: 'cover' },
        {
          ...layer,
          id: 'album',
          name: 'Album',
          type: 'photo_collage',
          z_order: 4,
          grid: { columns: 2, rows: 1, gap_px: 0 },
          pictures_max: 2,
        },
        {
          ...layer,
          id: 'badge',
          name: 'Badge',
          type: 'image_select',
          z_order: 5,
          options: [{ id: 'moon', name: 'Moon', design: '0'.repeat(64) }],
        },
      ],
    },
  });
}

/** An order of the demo's personalised tee with these inputs beside its one required text. */
function album(inputs: unknown): object {
  return ofItem({ decoration: { personalisation: { inputs } } });
}

function ofItem(changes: object): object {
  const item = {
    product_id: service.demo.products.personalised,
    variant_sku: 'TEE-ORGANIC-ECR-M',
    quantity: 1,
    ...changes,
  };
  return basket(service, { items: [item] });
}

function strictly(inputs: object): object {
  return ofItem({ product_id: strict, decoration: { personalisation: { inputs } } });
}

const AT = 'items[0].decoration.personalisation';

/** One wrong input beside a good text, and its problem. */
function wrong(name: string, value: unknown, problem: string, at = name): Omit<Refusal, 'what'> {
  return { body: () => album({ line: 'Hello', [name]: value }), problems: [`${AT}.inputs.${at} ${problem}`] };
}

const LAYERS: readonly Refusal[] = [
  ...['lines', 'Line', ' line', 'constructor', 'toString', 'hasOwnProperty', ''].map((name) => ({
    what: `I141 the unknown layer ${JSON.stringify(name)} (4.2 unknown)`,
    ...wrong(name, 'x', 'unknown_layer'),
  })),
  {
    what: 'I141 the layer __proto__',
    body: () => JSON.stringify(album({ line: 'Hello', marker: 'x' })).replace('"marker"', '"__proto__"'),
    problems: [`${AT}.inputs.__proto__ unknown_layer`],
  },
  { what: 'I148 a font for an unknown layer', ...wrong('lines#font', 'Oswald', 'unknown_layer') },
  { what: 'I148 an override twice in one key', ...wrong('line#font#font', 'Oswald', 'unknown_override') },
  { what: 'I148 an empty override', ...wrong('line#', 'Oswald', 'unknown_override') },
  { what: 'I148 an override that is none', ...wrong('line#size', '12', 'unknown_override') },
  { what: 'I148 an override in another case', ...wrong('line#Font', 'Oswald', 'unknown_override') },
  { what: 'I148 a font for a layer that is no text', ...wrong('motif#font', 'Oswald', 'override_not_allowed') },
  {
    what: '4.2 inputs: none',
    body: () => ofItem({ decoration: { personalisation: {} } }),
    problems: [`${AT}.inputs required`],
  },
  ...[null, [], 'line'].map((inputs) => ({
    what: `4.2 inputs: ${JSON.stringify(inputs)}`,
    body: () => album(inputs),
    problems: [`${AT}.inputs type`],
  })),
  {
    what: 'five hundred and one inputs',
    body: () => album(Object.fromEntries(Array.from({ length: 501 }, (_, index) => [`layer_${index}`, 'x']))),
    problems: [`${AT}.inputs out_of_bounds`],
  },
];

const TEXTS: readonly Refusal[] = [
  ...[5, true, ['Hello'], { text: 'Hello' }].map((line) => ({
    what: `I142 the text ${JSON.stringify(line)} (4.2 text)`,
    body: () => album({ line }),
    problems: [`${AT}.inputs.line type`],
  })),
  ...(
    [
      ['longer than its layer takes (4.2 text)', 'x'.repeat(25), 'out_of_bounds'],
      ['of ten kilobytes', 'x'.repeat(10_240), 'out_of_bounds'],
      ['with U+0000', 'a\u0000b', 'invalid_character'],
      ['with half a surrogate pair', 'a\ud800b', 'invalid_character'],
      ['with a control character', 'a\u0007b', 'unsupported_character'],
      ['in Korean, whose font is a package that is not installed', '한국', 'unsupported_character'],
      ['in runes, for which no font is known', 'ᚠᚢᚦ', 'unsupported_character'],
      ['with a private character', 'a\ue000', 'unsupported_character'],
      ['with marks that no font has (zalgo)', 'Z\u0351\u036b\u0343\u036a\u0302\u036b', 'unsupported_character'],
    ] as const
  ).map(([what, line, problem]) => ({ what: `I142 a text ${what}`, ...wrong('line', line, problem) })),
  { what: '4.2 layout: a word that does not fit its box', ...wrong('line', 'W'.repeat(24), 'does_not_fit') },
  { what: '4.2 layout: more lines than the box holds', ...wrong('line', 'a\nb\nc\nd\ne', 'does_not_fit') },
  ...[null, '', ' \t\u200b\n'].map((line) => ({
    what: `I149 ${JSON.stringify(line)} for the required text (4.2 null)`,
    ...wrong('line', line, 'required'),
  })),
  { what: 'I149 no input for the required text', body: () => album({}), problems: [`${AT}.inputs.line required`] },
  {
    what: 'I146 a font that is not among the choices (4.2 font)',
    ...wrong('line#font', 'Noto Sans JP', 'unknown_font'),
  },
  { what: 'I146 a font in another case', ...wrong('line#font', 'oswald', 'unknown_font') },
  { what: 'I146 a font by its path', ...wrong('line#font', '../../x.ttf', 'unknown_font') },
  { what: 'I146 a font list with a quote', ...wrong('line#font', 'Oswald", "Pacifico', 'unknown_font') },
  ...['red', '20402f', '#fff', '#20402f\n', '#20402g', '#20402f80', 'url(https://example.com)', ''].map((color) => ({
    what: `I147 the colour ${JSON.stringify(color)} (4.2 color)`,
    ...wrong('line#color', color, 'pattern'),
  })),
];

const PICTURES: readonly Refusal[] = [
  ...(
    [
      ['no URL', 'not a url', 'url'],
      ['a data: URL', 'data:image/png;base64,iVBORw0KGgo=', 'scheme'],
      ['a private host', 'https://10.0.0.1/a.png', 'ssrf'],
      ['the metadata service', 'https://169.254.169.254/latest', 'ssrf'],
      ['http', 'http://art.example.test/a.png', 'scheme'],
      ['an empty text', '', 'out_of_bounds'],
      ['an address of over ten kilobytes', `https://art.example.test/${'a'.repeat(10_240)}`, 'out_of_bounds'],
    ] as const
  ).map(([what, url, problem]) => ({
    what: `I143 an image that is ${what} (4.2 image)`,
    ...wrong('portrait', url, problem),
  })),
  {
    what: 'I143 an image that is a page (4.2 image)',
    body: () => album({ line: 'Hello', portrait: service.stranger.url('/page.html') }),
    problems: [`${AT}.inputs.portrait format`],
  },
  ...(
    [
      ['a real array', ['https://art.example.test/a.png'], 'type', 'photos'],
      ['no JSON', 'https://art.example.test/a.png', 'json_array', 'photos'],
      ['"null"', 'null', 'json_array', 'photos'],
      ['an object', '{"0":"https://art.example.test/a.png"}', 'json_array', 'photos'],
      ['a nested array', '[["https://art.example.test/a.png"]]', 'type', 'photos[0]'],
      ['an array of numbers', '["https://art.example.test/a.png", 5]', 'type', 'photos[1]'],
      ['an empty address in it', '[""]', 'out_of_bounds', 'photos[0]'],
      ['brackets ten thousand deep', '['.repeat(10_000), 'json_array', 'photos'],
      ['a thousand URLs', JSON.stringify(Array.from({ length: 1_000 }, () => 'https://a/')), 'out_of_bounds', 'photos'],
    ] as const
  ).map(([what, value, problem, at]) => ({
    what: `I144 a collage that is ${what} (4.2 photo collage)`,
    ...wrong('photos', value, problem, at),
  })),
  {
    what: 'I144 the same address twice in a collage',
    body: () => album({ line: 'Hello', photos: JSON.stringify([good, good]) }),
    problems: [`${AT}.inputs.photos[1] repeated`],
  },
  ...[
    ['\\u0000', 'url'],
    ['\\ud800', 'fetch'],
  ].map(([hidden, problem]) => ({
    what: `I144 an address with ${hidden}, which the JSON in the string hides from the check of the body`,
    body: () => album({ line: 'Hello', photos: `["${service.stranger.url('/none')}${hidden}"]` }),
    problems: [`${AT}.inputs.photos[0] ${problem}`],
  })),
  {
    what: '4.1.6 one bad picture in a collage, told by its place',
    body: () => album({ line: 'Hello', photos: JSON.stringify([good, service.stranger.url('/page.html')]) }),
    problems: [`${AT}.inputs.photos[1] format`],
  },
  ...['Star', 'STAR', 'moon', ' star', '__proto__', ''].map((option) => ({
    what: `I145 the option ${JSON.stringify(option)} (4.2 image select)`,
    ...wrong('motif', option, 'unknown_option'),
  })),
];

const WHOLE: readonly Refusal[] = [
  {
    what: 'everything that is wrong at once, each with its path',
    body: () =>
      album({
        line: 'W'.repeat(24),
        'line#font': 'Arial',
        'line#color': '#fff',
        photos: '[1]',
        portrait: '',
        motif: 'Moon',
        title: 'x',
      }),
    problems: [
      `${AT}.inputs.title unknown_layer`,
      `${AT}.inputs.photos[0] type`,
      `${AT}.inputs.portrait out_of_bounds`,
      `${AT}.inputs.line#font unknown_font`,
      `${AT}.inputs.line#color pattern`,
      `${AT}.inputs.motif unknown_option`,
    ],
  },
  {
    what: 'I149 required layers of every kind, null, missing or empty',
    body: () => strictly({ plain: null, bright: '\u200b', album: '[]', badge: null }),
    problems: ['plain', 'bright', 'photo', 'album', 'badge'].map((id) => `${AT}.inputs.${id} required`),
  },
  {
    what: 'I146 overrides that the layer does not allow, and choices that it does not have (4.2 font, 4.2 color)',
    body: () =>
      strictly({
        plain: 'a',
        'plain#font': 'Oswald',
        'plain#color': '#000000',
        bright: 'b',
        'bright#font': 'Pacifico',
        'bright#color': '#0000ff',
        photo: good,
        album: `["${good}"]`,
        badge: 'moon',
      }),
    problems: [
      `${AT}.inputs.plain#font override_not_allowed`,
      `${AT}.inputs.plain#color override_not_allowed`,
      `${AT}.inputs.bright#font unknown_font`,
      `${AT}.inputs.bright#color unknown_color`,
    ],
  },
  {
    what: 'a required layer without decoration, print_jobs or not (decisions, "Prices")',
    body: () => ofItem({ print_jobs: [{ area: 'front', method: 'dtg' }] }),
    problems: ['items[0].decoration required'],
  },
];

describe('4.2 unknown: inputs that the template does not have', () => testRefusals(LAYERS, () => customer));
describe('4.2 text, 4.2 font and 4.2 color', () => testRefusals(TEXTS, () => customer));
describe('4.2 image, 4.2 photo collage and 4.2 image select', () => testRefusals(PICTURES, () => customer));
describe('4.2: the inputs as a whole', () => testRefusals(WHOLE, () => customer));

test('a refusal says what would be right: layers and overrides, fonts, colours, options', async () => {
  const valid = async (body: object) =>
    (await customer.request('POST', '/orders', body)).body.errors?.[0]?.valid_values;
  const keys = ['photos', 'line', 'line#font', 'line#color', 'portrait', 'motif'];
  assert.deepEqual(await valid(album({ line: 'Hi', nope: 'x' })), keys);
  assert.deepEqual(await valid(album({ line: 'Hi', 'line#size': 'x' })), ['line', 'line#font', 'line#color']);
  assert.deepEqual(await valid(album({ line: 'Hi', 'line#font': 'x' })), ['Noto Sans', 'Pacifico', 'Oswald']);
  assert.deepEqual(await valid(album({ line: 'Hi', motif: 'x' })), ['star', 'heart', 'sun']);
});

test('I142 a refusal names the characters that cannot be printed, and the package that would bring them', async () => {
  const refused = await customer.request('POST', '/orders', album({ line: 'aשb\u0007' }));
  assert.deepEqual(
    refused.body.errors?.map(({ message }) => message),
    ['No font here can print U+0007. Leave it out or write it another way.'],
  );
  const messageOf = async (line: string) =>
    (await customer.request('POST', '/orders', album({ line }))).body.errors?.[0]?.message;
  assert.equal(await messageOf('aᚠ'), 'No font here can print ᚠ (U+16A0). Leave it out or write it another way.');
  assert.equal(
    await messageOf('a한'),
    'No font here can print 한 (U+D55C). Leave it out or write it another way. ' +
      'The print shop can install a font for Hangul: @fontsource/noto-sans-kr 5.3.0.',
  );
  assert.match((await messageOf('们')) ?? '', /noto-sans-sc 5\.3\.0 or @fontsource\/noto-sans-tc 5\.3\.0\.$/);
});

test('a template whose areas have changed in a later catalogue is not printed in the wrong place', async () => {
  const item = { product_id: strict, decoration: { personalisation: { inputs: {} } } };
  const change = (path: string, value: string) =>
    rows(
      service,
      `update product set personalisation = jsonb_set(personalisation, '${path}', '${value}') where name = 'Strict'`,
    );
  for (const [path, value] of [
    ['{layers,0,box,x_px}', '3000'],
    ['{layers,0,box,x_px}', '0'],
    ['{areas,0,method}', '"laser"'],
  ] as const) {
    await change(path, value);
    const problems = problemsOf(await customer.request('POST', '/orders', ofItem(item)));
    assert.equal(problems.includes('items[0].decoration template_outdated'), value !== '0', problems.join());
  }
});

test('a template whose font left with its package is refused, and not failed when it is printed', async () => {
  const setFont = (font: string) =>
    rows(
      service,
      `update product set personalisation = jsonb_set(personalisation, '{layers,0,font,default}', '"${font}"') where name = 'Strict'`,
    );
  await setFont('Noto Sans KR');
  const refused = await customer.request('POST', '/orders', strictly({ plain: 'a' }));
  await setFont('Oswald');
  const [problem] = refused.body.errors?.filter(({ path }) => path.endsWith('.plain')) ?? [];
  assert.equal(problem?.code, 'unknown_font');
  assert.equal(
    problem?.message,
    'The font Noto Sans KR is not available. The print shop can install it: @fontsource/noto-sans-kr 5.3.0.',
  );
});

test('no refusal wrote an order, a posting, a reference, an event, a job, a design or a file', async () => {
  assert.deepEqual(await everythingWritten(service), countsBefore);
});

test('a refusal in meaning comes before any address is visited', async () => {
  const url = await servePicture(service, '/unvisited.png', { widthPx: 100, heightPx: 100, colour: '#ffffff' });
  const refused = await customer.request('POST', '/orders', album({ line: 'W'.repeat(24), portrait: url }));
  assert.equal(refused.status, 422);
  assert.equal(service.stranger.hits.filter(({ path }) => path === '/unvisited.png').length, 0);
});
