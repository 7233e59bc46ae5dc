import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import sharp from 'sharp';
import type { CreatedOrder, PlaceOrderItem } from '../../../../src/orders/schema.ts';
import { type Floor, linesOf, openFloor, placeOrder, untilReady } from '../../../harness/floor.ts';
import { MM, type PdfPage, readBarcodes, readPdf } from '../../../harness/pdf.ts';
import { noise } from '../../../harness/pictures.ts';
import { startTestService, type TestService } from '../../../harness/service.ts';
import { addProduct, servePicture, teeItem } from '../../../harness/shop.ts';
import { rows } from '../../../harness/written.ts';

let service: TestService;
let floor: Floor;
before(async () => {
  service = await startTestService();
  floor = await openFloor(service);
});
after(() => service.stop());

type Sheet = { pdf: Buffer; pages: PdfPage[]; text: string };

async function sheetOf(order: { id: string }): Promise<Sheet> {
  const viewer = await service.openOperator('viewer');
  const headers = { authorization: `Bearer ${viewer.token}` };
  const response = await fetch(`${service.url}/ops/v1/orders/${order.id}/job-sheet`, { headers });
  assert.equal(response.status, 200);
  const pdf = Buffer.from(await response.arrayBuffer());
  const pages = readPdf(pdf);
  return { pdf, pages, text: pages.flatMap(({ texts }) => texts).join('\n') };
}

type Area = { print_area: string; method: string; artwork_url: string };

const decorated = (areas: Area[], changes: Partial<PlaceOrderItem> = {}): PlaceOrderItem =>
  teeItem(service, { decoration: { areas }, ...changes });

/** The colour in the middle of a picture, of its corner and of its corner's neighbour square. */
async function coloursOf(jpeg: Buffer): Promise<number[][]> {
  const { data, info } = await sharp(jpeg).raw().toBuffer({ resolveWithObject: true });
  const at = (x: number, y: number): number[] => [
    ...data.subarray((y * info.width + x) * 3, (y * info.width + x) * 3 + 3),
  ];
  return [at(Math.floor(info.width / 2), Math.floor(info.height / 2)), at(3, 3), at(11, 3)];
}

const near = (seen: readonly number[] | undefined, wanted: readonly number[]): boolean =>
  wanted.every((value, index) => Math.abs(value - (seen?.[index] ?? Number.NaN)) <= 6);

/** That everything stands inside the margins, and no text begins on a picture or on another text. */
function assertTidy(pages: readonly PdfPage[]): void {
  for (const { placedTexts, pictures } of pages) {
    for (const { x, y, width, height } of pictures) {
      assert.ok(x >= 15 * MM && x + width <= 195 * MM && y >= 15 * MM && y + height <= 277 * MM, `${x} ${y}`);
      for (const { text, ...at } of placedTexts) {
        const isOn = at.x >= x - 1 && at.x < x + width && at.y > y && at.y - at.sizePt < y + height;
        assert.ok(!isOn, `"${text}" on a picture`);
      }
      const others = pictures.filter((other) => other.x !== x || other.y !== y);
      for (const other of others) {
        const isApart =
          other.x >= x + width || x >= other.x + other.width || other.y >= y + height || y >= other.y + other.height;
        assert.ok(isApart, 'a picture on a picture');
      }
    }
    for (const { text, x, y } of placedTexts) {
      assert.ok(x >= 15 * MM - 1 && x < 195 * MM && y > 15 * MM && y < 290 * MM, `"${text}" at ${x}, ${y}`);
    }
    const places = placedTexts.map(({ x, y }) => `${x} ${y}`);
    assert.equal(new Set(places).size, places.length);
  }
}

describe('the pictures of a job sheet', () => {
  test('each print job shows what is printed, on a chequered ground where nothing is, beside area, method, station, size and pieces', async () => {
    const red = await servePicture(service, '/red.png', { widthPx: 900, heightPx: 600, colour: '#c02040' });
    const white = await servePicture(service, '/white.png', { widthPx: 900, heightPx: 600, colour: '#ffffff' });
    const order = await placeOrder(service, {
      items: [
        decorated(
          [
            { print_area: 'front', method: 'dtg', artwork_url: red },
            { print_area: 'left_sleeve', method: 'dtf', artwork_url: white },
          ],
          { quantity: 7 },
        ),
      ],
    });
    await untilReady(floor, order.id);
    await floor.post(`/orders/${order.id}/promote`);
    const { pages, text } = await sheetOf(order);
    const pictures = pages.flatMap((page) => page.pictures);
    const [front, sleeve] = await Promise.all(pictures.map(({ jpeg }) => coloursOf(jpeg)));
    assert.equal(pictures.length, 2);
    assert.ok(near(front?.[0], [192, 32, 64]), JSON.stringify(front));
    assert.ok(near(sleeve?.[0], [255, 255, 255]), JSON.stringify(sleeve));
    for (const seen of [front, sleeve]) {
      assert.ok(near(seen?.[1], [236, 236, 236]) && near(seen?.[2], [205, 205, 205]), JSON.stringify(seen));
    }
    const { catalogue } = await service.ctx.prices.latest();
    const { baseProduct, variant } = catalogue.bySku.get('TEE-CLASSIC-WHT-M') ?? assert.fail();
    const shelf = `${baseProduct.entry.title}, ${variant.entry.colour}, ${variant.entry.size}`;
    const area = baseProduct.areas.get('front') ?? assert.fail();
    for (const part of [
      shelf,
      area.title,
      `${area.width_mm} × ${area.height_mm} mm`,
      'Station dtg',
      '7 to print',
      '7 pieces in 1 line',
      'Make 7',
    ]) {
      assert.ok(text.includes(part), `${part} in ${text}`);
    }
    assertTidy(pages);
  });

  test('what lies on the shelf stands first and large, with its SKU; what the customer calls it is a label below', async () => {
    const order = await placeOrder(service, {
      items: [teeItem(service, { colour: 'Midnight', size: 'XXL', name: 'Gig' })],
    });
    const { pages } = await sheetOf(order);
    const { catalogue } = await service.ctx.prices.latest();
    const { baseProduct, variant } = catalogue.bySku.get('TEE-CLASSIC-WHT-M') ?? assert.fail();
    const shelf = `${baseProduct.entry.title}, ${variant.entry.colour}, ${variant.entry.size}`;
    const placed = pages.flatMap(({ placedTexts }) => placedTexts);
    const wanted = [shelf, 'TEE-CLASSIC-WHT-M', "Customer's label: Gig, Midnight, XXL"];
    const found = wanted.map((wantedText) => placed.find(({ text }) => text === wantedText) ?? assert.fail(wantedText));
    assert.deepEqual(
      found.map(({ sizePt }) => sizePt),
      [11, 11, 9],
    );
    const heights = found.map(({ y }) => y);
    assert.deepEqual(
      heights,
      heights.toSorted((a, b) => a - b),
    );
  });

  test('are bounded: some 24 mm on paper and 192 pixels, whatever the artwork; what is shown often stands in the file once', async () => {
    const body = await noise(3_000, 4_000).png().toBuffer();
    service.stranger.serve('/noise.png', { body, headers: { 'content-type': 'image/png' } });
    const areas = [{ print_area: 'front', method: 'dtg', artwork_url: service.stranger.url('/noise.png') }];
    const order = await placeOrder(service, { items: [decorated(areas), decorated(areas), decorated(areas)] });
    await untilReady(floor, order.id);
    const { pdf, pages } = await sheetOf(order);
    const pictures = pages.flatMap((page) => page.pictures);
    assert.equal(pictures.length, 3);
    for (const { jpeg, width, height } of pictures) {
      const { width: widthPx, height: heightPx } = await sharp(jpeg).metadata();
      assert.deepEqual([widthPx, heightPx], [144, 192]);
      assert.ok(Math.abs(height / MM - 24) < 0.01 && Math.abs(width / MM - 18) < 0.01, `${width} by ${height}`);
      assert.ok(jpeg.length < 96 * 1024);
    }
    assert.equal(pdf.toString('latin1').split('/Subtype /Image').length - 1, 1);
  });

  test('a print job whose file is not ready, or could not be made, says so in place of its picture', async () => {
    const order = await placeOrder(service);
    await untilReady(floor, order.id);
    const key = `(select j.print_file_key from print_job j join orders o on o.id = j.order_id where o.reference = $1)`;
    const set = (state: string) =>
      rows(
        service,
        `update print_file set state = '${state}', output_hash = null, preview_hash = null where key = ${key}`,
        [order.reference],
      );
    const [before] = await rows<{ output: string; preview: string }>(
      service,
      `select encode(output_hash, 'hex') as output, encode(preview_hash, 'hex') as preview from print_file where key = ${key}`,
      [order.reference],
    );
    for (const [state, words] of [
      ['pending', 'The file is not'],
      ['failed', 'The file could'],
    ] as const) {
      await set(state);
      const { pages, text } = await sheetOf(order);
      assert.deepEqual(
        pages.flatMap(({ pictures }) => pictures),
        [],
      );
      assert.ok(text.includes(words), text);
    }
    await rows(
      service,
      `update print_file set state = 'ready', output_hash = decode($2, 'hex'), preview_hash = decode($3, 'hex') where key = ${key}`,
      [order.reference, before?.output ?? '', before?.preview ?? ''],
    );
  });

  test('a print file from before there were pictures gets its picture with the first sheet, and keeps it', async () => {
    const order = await placeOrder(service);
    await untilReady(floor, order.id);
    const previews = () =>
      rows<{ hash: string | null }>(
        service,
        `select encode(f.preview_hash, 'hex') as hash from print_file f join print_job j on j.print_file_key = f.key
         join orders o on o.id = j.order_id where o.reference = $1`,
        [order.reference],
      );
    const made = await previews();
    assert.ok(made[0]?.hash);
    await rows(
      service,
      `update print_file set preview_hash = null where key in (
         select j.print_file_key from print_job j join orders o on o.id = j.order_id where o.reference = $1)`,
      [order.reference],
    );
    const first = await sheetOf(order);
    assert.equal(first.pages.flatMap(({ pictures }) => pictures).length, 1);
    assert.deepEqual(await previews(), made);
    assert.ok(first.pdf.equals((await sheetOf(order)).pdf), 'the same sheet is the same bytes');
  });

  test('a picture that cannot be had keeps no sheet back', async () => {
    const url = await servePicture(service, '/lost.png', { widthPx: 800, heightPx: 800, colour: '#224466' });
    const order = await placeOrder(service, {
      items: [decorated([{ print_area: 'front', method: 'dtg', artwork_url: url }])],
    });
    await untilReady(floor, order.id);
    const [file] = await rows<{ output: string; preview: string }>(
      service,
      `select encode(f.output_hash, 'hex') as output, encode(f.preview_hash, 'hex') as preview from print_file f
       join print_job j on j.print_file_key = f.key join orders o on o.id = j.order_id where o.reference = $1`,
      [order.reference],
    );
    await service.ctx.blobs.remove(file?.preview ?? '');
    assert.ok((await sheetOf(order)).text.includes('it has no picture'));
    await service.ctx.blobs.remove(file?.output ?? '');
    await rows(service, "update print_file set preview_hash = null where preview_hash = decode($1, 'hex')", [
      file?.preview ?? '',
    ]);
    assert.ok((await sheetOf(order)).text.includes('it has no picture'));
  });
});

test('long names, many print jobs and cards over pages: nothing overlaps, every line has its barcode, and no card is cut', async () => {
  const url = await servePicture(service, '/long.png', { widthPx: 700, heightPx: 700, colour: '#308050' });
  const name = 'A commemorative summer festival staff tee shirt, 東京 and Ελληνικά, '.repeat(4).slice(0, 200);
  const product_id = await addProduct(service, service.customer, 'TEE-CLASSIC', { name });
  const { catalogue } = await service.ctx.prices.latest();
  const { baseProduct } = catalogue.bySku.get('TEE-CLASSIC-WHT-M') ?? assert.fail();
  const areas = [...baseProduct.areas.values()].map((area) => ({
    print_area: area.print_area,
    method: area.methods.includes('dtf') ? 'dtf' : (area.methods[0] ?? ''),
    artwork_url: url,
  }));
  assert.ok(areas.length >= 3);
  const items = Array.from({ length: 8 }, (_, index) =>
    decorated(areas.slice(0, 1 + (index % areas.length)), { product_id, colour: 'Sehr dunkles Blau'.repeat(3) }),
  );
  const order: CreatedOrder = await placeOrder(service, { items });
  await untilReady(floor, order.id);
  const { pages } = await sheetOf(order);
  assert.ok(pages.length > 1);
  assertTidy(pages);
  const scanned = pages.flatMap(readBarcodes).map(({ text }) => text);
  assert.deepEqual(scanned, [order.reference, ...linesOf(order)]);
  const jobs = items.map((_, index) => 1 + (index % areas.length)).reduce((sum, count) => sum + count, 0);
  assert.equal(pages.flatMap(({ pictures }) => pictures).length, jobs);
  // A card is whole on its page: a frame for each line, and as many lines' barcodes on a page as frames.
  for (const [index, page] of pages.entries()) {
    const frames = page.boxes.filter(({ width }) => Math.abs(width - 180 * MM) < 0.1).length;
    assert.equal(frames, readBarcodes(page).length - (index === 0 ? 1 : 0));
  }
});
