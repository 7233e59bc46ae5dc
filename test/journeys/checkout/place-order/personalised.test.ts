import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import sharp from 'sharp';
import type { CreatedOrder, Estimate, Order, PlaceOrderBody, PlaceOrderItem } from '../../../../src/orders/schema.ts';
import { verify } from '../../../../src/verify/verify.ts';
import { eventually } from '../../../harness/context.ts';
import { flat, noise } from '../../../harness/pictures.ts';
import { type Customer, startTestService, type TestService } from '../../../harness/service.ts';
import { addProduct, basket, servePicture } from '../../../harness/shop.ts';
import { balancePence, rows } from '../../../harness/written.ts';

let service: TestService;
let customer: Customer;
before(async () => {
  service = await startTestService();
  ({ customer } = service);
});
after(() => service.stop());

type Inputs = Record<string, string | null>;

/** One piece of the demo's personalised tee. */
function albumTee(inputs: Inputs, changes: Partial<PlaceOrderItem> = {}): PlaceOrderItem {
  return {
    product_id: service.demo.products.personalised,
    variant_sku: 'TEE-ORGANIC-ECR-M',
    quantity: 1,
    decoration: { personalisation: { inputs } },
    ...changes,
  };
}

async function place(...items: PlaceOrderItem[]): Promise<CreatedOrder> {
  return placeBody(basket(service, { items }));
}

async function placeBody(body: PlaceOrderBody): Promise<CreatedOrder> {
  const answer = await customer.request<CreatedOrder>('POST', '/orders', body);
  assert.equal(answer.status, 201, answer.text);
  placed.push(answer.body.id);
  return answer.body;
}

const placed: string[] = [];

/** What nobody looks at need not be drawn: a file takes a second and a half of a processor. */
async function cancelPlaced(): Promise<void> {
  for (const id of placed.splice(0)) {
    const answer = await customer.request('POST', `/orders/${id}/cancel`);
    assert.equal(answer.status, 200, answer.text);
  }
}

async function estimate(...items: PlaceOrderItem[]): Promise<Estimate> {
  const answer = await customer.request<Estimate>('POST', '/orders/estimate', basket(service, { items }));
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

async function readyOrder(id: string): Promise<Order> {
  return eventually('print-ready artwork', async () => {
    const { body } = await customer.request<Order>('GET', `/orders/${id}`);
    return body.items.every((line) => line.artwork_ready) && body;
  });
}

type PrintJob = { area: string; method: string; design: string | null; key: string; state: string; path: string };

/** The print jobs of an order with the paths of their print files, in order. */
async function printJobs(order: CreatedOrder): Promise<PrintJob[]> {
  const found = await rows<Omit<PrintJob, 'path'> & { hash: string | null }>(
    service,
    `select j.print_area as area, j.method, encode(j.design_hash, 'hex') as design, encode(f.key, 'hex') as key, f.state,
            encode(f.output_hash, 'hex') as hash
     from print_job j join print_file f on f.key = j.print_file_key join orders o on o.id = j.order_id
     join order_line l on l.order_id = j.order_id and l.id = j.line_id
     where o.reference = $1 order by l.ordinal, j.ordinal`,
    [order.reference],
  );
  return Promise.all(
    found.map(async ({ hash, ...job }) => ({ ...job, path: hash === null ? '' : await service.ctx.blobs.path(hash) })),
  );
}

/** The share of a box that is inked, and whether a colour is in it. */
async function look(path: string, box: { left: number; top: number; width: number; height: number }) {
  const { data } = await sharp(path).extract(box).raw().toBuffer({ resolveWithObject: true });
  let inked = 0;
  const colours = new Map<string, number>();
  for (let at = 0; at < data.length; at += 4) {
    if ((data[at + 3] ?? 0) < 128) continue;
    inked += 1;
    const colour = `${data[at]},${data[at + 1]},${data[at + 2]}`;
    colours.set(colour, (colours.get(colour) ?? 0) + 1);
  }
  const main = [...colours].toSorted(([, a], [, b]) => b - a)[0]?.[0];
  return { inked: inked / (data.length / 4), main };
}

const LINE_BOX = { left: 272, top: 3_000, width: 3_000, height: 700 };
/** The six cells of the demo's collage: three columns of 960 pixels and two rows of 1,170, 60 apart. */
const cell = (index: number) => ({
  left: 272 + (index % 3) * 1_020,
  top: 400 + Math.floor(index / 3) * 1_230,
  width: 960,
  height: 1_170,
});

describe('4.2 inputs: a personalised order', () => {
  afterEach(cancelPlaced);

  test('3.2 personalised: every kind of layer is drawn in its place, and the line becomes print-ready (4.2 layout)', async () => {
    const red = await servePicture(service, '/p/red.png', { widthPx: 960, heightPx: 1_170, colour: '#d01020' });
    const blue = await servePicture(service, '/p/blue.png', { widthPx: 2_000, heightPx: 1_170, colour: '#1020d0' });
    const portrait = await servePicture(service, '/p/tall.png', { widthPx: 1_200, heightPx: 2_400, colour: '#10a040' });
    const order = await place(
      albumTee({
        line: 'Zoë & 日本 👩‍🚀',
        'line#font': 'Pacifico',
        'line#color': '#C06000',
        photos: JSON.stringify([red, blue]),
        portrait,
        motif: 'heart',
      }),
    );
    assert.equal(order.items.lineItems[0]?.artwork_ready, false, '4.1: the line is created before its artwork');
    assert.deepEqual(order.items.lineItems[0]?.print_jobs, [
      { area: 'front', method: 'dtg' },
      { area: 'back', method: 'dtg' },
    ]);
    await readyOrder(order.id);
    const [front, back] = await printJobs(order);
    for (const job of [front, back]) {
      const { format, width, height, density, space, depth } = await sharp(job?.path).metadata();
      assert.deepEqual([format, width, height, density, space, depth], ['png', 3_543, 4_724, 300, 'srgb', 'uchar']);
    }
    assert.deepEqual(await look(front?.path ?? '', cell(0)), { inked: 1, main: '208,16,32' });
    assert.deepEqual(await look(front?.path ?? '', cell(1)), { inked: 1, main: '16,32,208' });
    assert.deepEqual(await look(front?.path ?? '', cell(2)), { inked: 0, main: undefined }, 'a cell without a picture');
    const line = await look(front?.path ?? '', LINE_BOX);
    assert.equal(line.main, '192,96,0');
    assert.ok(line.inked > 0.05 && line.inked < 0.6, String(line.inked));
    assert.equal((await look(front?.path ?? '', { left: 0, top: 3_700, width: 3_543, height: 1_024 })).inked, 0);
    // Covers its 2,400 pixels square, and nothing beside them.
    const inside = await look(back?.path ?? '', { left: 571, top: 500, width: 2_400, height: 2_400 });
    assert.deepEqual(inside, { inked: 1, main: '16,160,64' });
    assert.equal((await look(back?.path ?? '', { left: 0, top: 500, width: 569, height: 2_400 })).inked, 0);
    assert.ok((await look(back?.path ?? '', { left: 1_171, top: 3_100, width: 1_200, height: 1_200 })).inked > 0.2);
  });

  test('4.2 null: layers left out, null and blank text are empty, and an area with nothing on it is neither printed nor billed', async () => {
    const line = { line: 'Only this' };
    const priceOf = (priced: Estimate) => priced.lines[0]?.unit_price;
    const alone = await estimate(albumTee(line));
    assert.deepEqual(alone.lines[0]?.print_jobs, [{ area: 'front', method: 'dtg' }]);
    for (const inputs of [
      { ...line, photos: null, portrait: null, motif: null, 'line#font': null, 'line#color': null },
      { ...line, photos: '[]' },
    ]) {
      assert.deepEqual((await estimate(albumTee(inputs))).lines, alone.lines);
    }
    const both = await estimate(albumTee({ ...line, motif: 'sun' }));
    assert.deepEqual(
      both.lines[0]?.print_jobs.map(({ area }) => area),
      ['front', 'back'],
    );
    assert.ok((priceOf(both) ?? 0) > (priceOf(alone) ?? 0));
  });

  test('print_jobs beside the inputs is ignored; [] without inputs is a deliberately blank garment', async () => {
    const plain = await estimate(albumTee({ line: 'Hello' }));
    const beside = await estimate(albumTee({ line: 'Hello' }, { print_jobs: [{ area: 'nowhere', method: 'magic' }] }));
    assert.deepEqual(beside.lines, plain.lines);
    const { decoration: _none, ...bare } = albumTee({});
    const blank = await place({ ...bare, print_jobs: [] });
    assert.deepEqual(blank.items.lineItems[0]?.print_jobs, []);
    assert.equal(blank.items.lineItems[0]?.artwork_ready, true);
    assert.deepEqual(
      blank.warnings.map(({ code }) => code),
      ['blank_garment'],
    );
  });

  test('text may have the whole length of its layer, and lines of its own', async () => {
    const texts = [
      'x'.repeat(12).concat(' ').concat('y'.repeat(11)),
      'two\r\nlines',
      '  trimmed\t ',
      '👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦',
    ];
    for (const line of texts) assert.equal((await estimate(albumTee({ line }))).lines.length, 1);
  });

  test('a picture with too few pixels for its box is taken, with the warning low_resolution at its input', async () => {
    const small = await servePicture(service, '/p/small.png', { widthPx: 300, heightPx: 300, colour: '#777777' });
    const good = await servePicture(service, '/p/good.png', { widthPx: 2_400, heightPx: 2_400, colour: '#777777' });
    const found = await estimate(
      albumTee({ line: 'Hi', photos: JSON.stringify([good, small]), portrait: small, motif: 'star' }),
    );
    assert.deepEqual(
      found.warnings.map(({ code, path, message }) => [code, path, /at (\d+) dpi/.exec(message)?.[1]]),
      [
        ['low_resolution', 'items[0].decoration.personalisation.inputs.photos[1]', '77'],
        ['low_resolution', 'items[0].decoration.personalisation.inputs.portrait', '38'],
      ],
    );
  });

  test('a CMYK picture is warned of at its input; its box is the product’s, so its background and crop are not', async () => {
    const square = { create: { width: 900, height: 900, channels: 4, background: 'red' } } as const;
    const photo = flat(3_200, 2_400, 'white').composite([{ input: square }]);
    const served = service.stranger;
    served.serve('/p/cmyk.jpg', { body: await photo.toColourspace('cmyk').jpeg().toBuffer() });
    const found = await estimate(albumTee({ line: 'Hi', portrait: served.url('/p/cmyk.jpg') }));
    assert.deepEqual(
      found.warnings.map(({ code, path }) => [code, path]),
      [['colour_converted', 'items[0].decoration.personalisation.inputs.portrait']],
    );
  });

  test('each address is fetched once, whatever layers and lines name it', async () => {
    const path = '/p/shared.png';
    const url = await servePicture(service, path, { widthPx: 1_000, heightPx: 1_000, colour: '#204060' });
    const inputs = { line: 'Twins', photos: JSON.stringify([url]), portrait: url };
    await place(albumTee(inputs), albumTee({ ...inputs, line: 'Other' }));
    assert.equal(service.stranger.hits.filter((hit) => hit.path === path).length, 1);
  });
});

describe('what a personalised piece costs', () => {
  afterEach(cancelPlaced);

  test('it has no setup and is no design of the account; equal pieces share a break, different ones do not', async () => {
    const tee = await embroidered();
    const piece = (text: string | null, changes: Partial<PlaceOrderItem> = {}): PlaceOrderItem => ({
      ...albumTee({ name: text }),
      product_id: tee,
      quantity: 5,
      ...changes,
    });
    const same = await estimate(piece('Ann'), piece('Ann', { variant_sku: 'TEE-ORGANIC-ECR-L' }));
    const different = await estimate(piece('Ann'), piece('Ben', { variant_sku: 'TEE-ORGANIC-ECR-L' }));
    assert.deepEqual([same.setup_total, different.setup_total], [0, 0]);
    assert.ok(same.subtotal < different.subtotal, `${same.subtotal} and ${different.subtotal}`);
    const rightsBefore = await rows(service, 'select 1 from setup_right');
    const order = await place(piece('Ann'));
    assert.equal(order.charged.setup_total, 0);
    assert.deepEqual(await rows(service, 'select 1 from setup_right'), rightsBefore);
    assert.deepEqual(
      (await printJobs(order)).map(({ design }) => design),
      [null],
    );
  });

  test('D56 the estimate is what is charged', async () => {
    const items = [
      albumTee({ line: 'Café', motif: 'star' }, { quantity: 12 }),
      albumTee({ line: 'Other' }, { quantity: 3 }),
    ];
    const before = await balancePence(service, customer);
    const { total } = await estimate(...items);
    const order = await place(...items);
    assert.equal(order.charged.total, total);
    assert.equal(before - (await balancePence(service, customer)), Math.round(total * 100));
  });
});

describe('4.2 the rendering', () => {
  afterEach(cancelPlaced);

  test('equal inputs are drawn once: a second order is ready at once, and its file is the same', async () => {
    const inputs = { line: 'Once only', motif: 'sun' };
    const first = await place(albumTee(inputs));
    await readyOrder(first.id);
    const { body: fetched } = await customer.request<Order>('GET', `/orders/${first.id}`);
    assert.deepEqual(
      fetched.items[0]?.artwork?.areas.map(({ state, source, print, proof_url: proof }) => [
        state,
        source,
        print,
        typeof proof,
      ]),
      [
        ['ready', null, null, 'string'],
        ['ready', null, null, 'string'],
      ],
    );
    const second = await place(albumTee(inputs, { quantity: 3, variant_sku: 'TEE-ORGANIC-BLK-L' }));
    assert.equal(second.items.lineItems[0]?.artwork_ready, true);
    assert.deepEqual(await printJobs(second), await printJobs(first));
    const third = await place(albumTee({ ...inputs, 'line#color': '#20402e' }));
    const [front, back] = await printJobs(third);
    assert.equal(back?.key, (await printJobs(first))[1]?.key, 'the back is the same');
    assert.notEqual(front?.key, (await printJobs(first))[0]?.key);
  });

  test('the same picture at another address is the same print file; another picture is another', async () => {
    const body = await noise(400, 400).png().toBuffer();
    for (const path of ['/p/one.png', '/p/two.png']) service.stranger.serve(path, { body });
    const other = await servePicture(service, '/p/else.png', { widthPx: 400, heightPx: 400, colour: '#998877' });
    const keys: (string | undefined)[] = [];
    for (const portrait of [service.stranger.url('/p/one.png?key=secret'), service.stranger.url('/p/two.png'), other]) {
      keys.push((await printJobs(await place(albumTee({ line: 'Picture', portrait }))))[1]?.key);
    }
    assert.equal(keys[0], keys[1]);
    assert.notEqual(keys[0], keys[2]);
  });

  test('4.1.1 a placed order is a snapshot: a template that is changed before the rendering changes nothing', async () => {
    const product = await albumProduct('Snapshot');
    const order = await place(albumTee({ line: 'שלום, ไทย' }, { product_id: product }));
    await rows(service, "update product set personalisation = null, status = 'archived' where name = 'Snapshot'");
    const like = await place(albumTee({ line: 'שלום, ไทย' }));
    await readyOrder(order.id);
    assert.deepEqual(
      await printJobs(order),
      (await printJobs(like)).map((job) => ({ ...job, state: 'ready' })),
    );
  });

  test('no address of a picture, nor its query, is kept: recipes name pictures by their content (G123)', async () => {
    const found = await rows<{ recipe: string }>(service, 'select recipe::text as recipe from print_file');
    const jobs = await rows<{ payload: string }>(service, 'select payload::text as payload from job');
    const text = JSON.stringify([found, jobs]);
    assert.ok(text.includes('personalised'));
    assert.doesNotMatch(text, /https?:|secret|example\.test/);
  });

  test('another account’s equal inputs make a print file of its own', async () => {
    const other = await service.openCustomer({ balancePence: 100_000 });
    const product = await albumProduct('Theirs', other);
    const body = basket(service, { items: [albumTee({ line: 'Mine and yours' }, { product_id: product })] });
    const theirs = await other.request<CreatedOrder>('POST', '/orders', body);
    assert.equal(theirs.status, 201, theirs.text);
    const mine = await place(albumTee({ line: 'Mine and yours' }));
    assert.notEqual((await printJobs(theirs.body))[0]?.key, (await printJobs(mine))[0]?.key);
  });

  test('the books and the files are in order after all of this', async () => {
    assert.deepEqual(
      (await verify(service.ctx)).checks.flatMap(({ violations }) => violations),
      [],
    );
  });
});

/** A product with the demo's template. */
async function albumProduct(name: string, by: Customer = customer): Promise<string> {
  const [template] = await rows<{ personalisation: NonNullable<Parameters<typeof addProduct>[3]>['personalisation'] }>(
    service,
    "select personalisation from product where name = 'Family album tee'",
  );
  return addProduct(service, by, 'TEE-ORGANIC', { name, personalisation: template?.personalisation ?? null });
}

/** A product whose one text is stitched, which costs a setup for every design of an account. */
async function embroidered(): Promise<string> {
  return addProduct(service, customer, 'TEE-ORGANIC', {
    personalisation: {
      areas: [{ print_area: 'left_sleeve', method: 'embroidery' }],
      layers: [
        {
          id: 'name',
          name: 'Name',
          type: 'text',
          required: true,
          print_area: 'left_sleeve',
          z_order: 1,
          box: { x_px: 0, y_px: 0, width_px: 1_063, height_px: 1_063 },
          length_max: 10,
          align: 'centre',
          size_px: { min: 50, max: 400 },
          font: { default: 'Oswald' },
          color: { default: '#000000' },
        },
      ],
    },
  });
}
