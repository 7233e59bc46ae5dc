import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { CreatedOrder } from '../../src/orders/schema.ts';
import type { PrintFiles, ShippedOrder } from '../../src/shipments/schema.ts';
import { type PdfPage, readBarcodes, readPdf } from '../harness/pdf.ts';
import { type OperatorClient, startTestService, type TestService } from '../harness/service.ts';
import { teeItem } from './fixtures.ts';
import { linesOf, openShippingShop, parcelOf, type ShippingShop, TOTE } from './shipping-floor.ts';
import { openFloor, placeOrder, untilReady } from './shop-floor.ts';

let service: TestService;
let shop: ShippingShop;
let viewer: OperatorClient;
before(async () => {
  service = await startTestService({
    env: { SELLER_NAME: 'Platen Print Ltd', SELLER_ADDRESS: '1 Press Yard, Leeds', SELLER_VAT_NUMBER: 'GB123456789' },
  });
  shop = await openShippingShop(service);
  viewer = await service.openOperator('viewer');
  const receipt = { items: [{ sku: TOTE, quantity: 2_000 }] };
  assert.equal((await shop.operator.request('POST', '/stock/receipts', receipt)).status, 201);
});
after(() => service.stop());

const ABROAD = {
  contact_name: '山田太郎',
  line1: '千代田1-1',
  city: '東京都千代田区',
  postcode: '100-0001',
  country_code: 'JP',
  phone: '+81 3 1234 5678',
};

/** A paper of an order, as an operator who only reads gets it. */
async function paperOf(
  order: { id: string },
  name: string,
): Promise<{ pages: PdfPage[]; pdf: Buffer; type: string | null }> {
  const headers = { authorization: `Bearer ${viewer.token}` };
  const response = await fetch(`${service.url}/ops/v1/orders/${order.id}/${name}`, { headers });
  assert.equal(response.status, 200);
  const pdf = Buffer.from(await response.arrayBuffer());
  return { pages: readPdf(pdf), pdf, type: response.headers.get('content-type') };
}

const textOf = (pages: readonly PdfPage[]): string => pages.flatMap(({ texts }) => texts).join('\n');

describe('the packing slip', () => {
  test('says who gets what, and its barcode scans as the order; no price, and no notes that are for the shop', async () => {
    const order = await shop.placeStarted([5, 3], { notes: 'The buyer haggled.', external_reference: 'SHOP-7' });
    const { pages, type } = await paperOf(order, 'packing-slip');
    assert.equal(type, 'application/pdf');
    assert.equal(pages.length, 1);
    const text = textOf(pages);
    for (const part of [
      'Packing slip',
      'Platen Print Ltd',
      'Ada Byron',
      'LS1 4DY',
      'United Kingdom (GB)',
      'TOTE-COTTON-NAT',
    ]) {
      assert.ok(text.includes(part), `${part} in ${text}`);
    }
    assert.ok(text.includes('SHOP-7'));
    assert.doesNotMatch(text, /haggled|£|GBP|\d\.\d\d\b/);
    assert.deepEqual(
      pages.flatMap(readBarcodes).map(({ text: scanned }) => scanned),
      [order.reference],
    );
  });

  test('of one parcel lists its pieces alone; an unknown parcel and that of another order are 404', async () => {
    const order = await shop.placeStarted([5, 3]);
    const other = await shop.placeStarted([1]);
    const one = await shop.ship(order, parcelOf(order, [2], { carrier: 'DPD', tracking_number: 'DPD-77' }));
    const two = await shop.ship(order, parcelOf(order, [1, 3]));
    const first = textOf((await paperOf(order, `packing-slip?shipment=${one.body.shipment_id}`)).pages).split('\n');
    assert.ok(first.includes('Parcel 1') && first.includes('DPD DPD-77') && first.includes('2'));
    assert.equal(first.filter((text) => text === 'TOTE-COTTON-NAT').length, 1);
    const second = textOf((await paperOf(order, `packing-slip?shipment=${two.body.shipment_id}`)).pages).split('\n');
    assert.ok(second.includes('Parcel 2') && second.includes('1') && second.includes('3'));
    for (const shipment of ['shp_01h455vb4pex5vsknk084sn02q', 'nonsense']) {
      const answer = await viewer.request('GET', `/orders/${order.id}/packing-slip?shipment=${shipment}`);
      assert.deepEqual([answer.status, answer.body.code], [404, 'not_found']);
    }
    const foreign = `/orders/${other.id}/packing-slip?shipment=${one.body.shipment_id}`;
    assert.equal((await viewer.request('GET', foreign)).status, 404);
  });

  test('the same parcel is the same bytes, whenever it is printed', async () => {
    const order = await shop.place([1]);
    const first = await paperOf(order, 'packing-slip');
    service.shiftMs(86_400_000);
    assert.ok(first.pdf.equals((await paperOf(order, 'packing-slip')).pdf));
  });
});

describe('parcels that leave the customs territory', () => {
  let order: CreatedOrder;
  let shipped: ShippedOrder;
  before(async () => {
    order = await shop.placeStarted([4, 2], { shipping_address: ABROAD });
    const answer = await shop.ship(order, parcelOf(order, [3]));
    assert.equal(answer.status, 201, answer.text);
    shipped = answer.body;
  });

  test('are declared at what was charged for their pieces, with tariff code, origin and weight', async () => {
    const { catalogue } = await service.ctx.prices.latest();
    const blank = catalogue.bySku.get('TOTE-COTTON-NAT');
    assert.ok(blank);
    const { entry } = blank.baseProduct;
    const unit = order.items.lineItems[0]?.unit_price ?? Number.NaN;
    const grams = blank.variant.entry.weight_grams * 3;
    const customs = shipped.shipments[0]?.customs;
    assert.ok(customs);
    const { gross_weight_grams: gross, incoterm, ...rest } = customs;
    assert.deepEqual(rest, {
      form: 'CN22',
      currency: 'GBP',
      declared_value: Math.round(unit * 300) / 100,
      net_weight_grams: grams,
      items: [
        {
          line_id: linesOf(order)[0],
          variant_sku: 'TOTE-COTTON-NAT',
          description: entry.title,
          material: entry.material,
          hs_code: entry.hs_code,
          origin_country: entry.origin_country,
          quantity: 3,
          value: Math.round(unit * 300) / 100,
          weight_grams: grams,
        },
      ],
    });
    assert.ok(gross > grams);
    const isDue = order.warnings.some(({ code }) => code === 'duties_on_delivery');
    assert.equal(incoterm, isDue ? 'DAP' : 'DDP');
  });

  test('have a customs form on a page of its own behind the slip, in both scripts', async () => {
    const { pages } = await paperOf(order, `packing-slip?shipment=${shipped.shipment_id}`);
    assert.equal(pages.length, 2);
    const [slip, form] = pages.map((page) => textOf([page]));
    assert.doesNotMatch(slip ?? '', /CN22|\d\.\d\d\b/);
    for (const part of [
      'Customs declaration CN22',
      '山田太郎',
      'Japan (JP)',
      'Platen Print Ltd',
      'GB123456789',
      'Total',
    ]) {
      assert.ok(form?.includes(part), `${part} in ${form}`);
    }
  });

  test('a parcel that makes good for one that was lost is declared at what the first was charged, not at nothing', async () => {
    const lost = await shop.placeStarted([2], { shipping_address: ABROAD });
    const first = await shop.ship(lost, parcelOf(lost, [2]));
    const [line_id = ''] = linesOf(lost);
    const made = await shop.operator.request<ShippedOrder>('POST', `/orders/${lost.id}/replacement`, {
      items: [{ line_id, quantity: 1 }],
      reason: 'lost in the post',
    });
    assert.equal(made.status, 201, made.text);
    const replacement = made.body;
    assert.equal(replacement.total, 0);
    const at = `/orders/${replacement.id}`;
    const [line] = replacement.lines;
    assert.equal((await shop.operator.request('POST', `${at}/promote`)).status, 200);
    assert.equal((await shop.operator.request('POST', `${at}/lines/${line?.id}/start`)).status, 200);
    const items = [{ line_id: line?.id ?? '', quantity: 1 }];
    const again = await shop.ship(replacement, { carrier: 'DPD', tracking_number: 'AGAIN', items });
    assert.equal(again.status, 201, again.text);
    const value = first.body.shipments[0]?.customs?.declared_value ?? Number.NaN;
    assert.equal(again.body.shipments[0]?.customs?.declared_value, value / 2);
  });

  test('what was declared is kept with the parcel, and is not shown to the owner of the order', async () => {
    const seen = (await shop.see(order)).shipments[0]?.customs;
    assert.deepEqual(seen, shipped.shipments[0]?.customs);
    const owners = await shop.request<{ shipments: object[] }>('GET', `/orders/${order.id}`);
    assert.ok(!('customs' in (owners.body.shipments[0] ?? {})));
  });
});

describe('the job sheet', () => {
  test('has a card for each line that is to be made, whose barcode scans back to it, and the notes for the shop', async () => {
    const order = await shop.place([7, 2, 1], { notes: 'Fold twice.\n二つ折り' });
    const lines = linesOf(order);
    const hold = await shop.operator.request('POST', `/orders/${order.id}/hold`, { reason: 'wrong blanks' });
    assert.equal(hold.status, 200, hold.text);
    const cancelled = await shop.operator.request('POST', `/orders/${order.id}/cancel`, {
      reason: 'changed mind',
      lines: [
        { line_id: lines[0], quantity: 3 },
        { line_id: lines[1], quantity: 2 },
      ],
    });
    assert.equal(cancelled.status, 200, cancelled.text);
    const { pages } = await paperOf(order, 'job-sheet');
    const scanned = pages.flatMap(readBarcodes).map(({ text }) => text);
    assert.deepEqual(scanned, [order.reference, lines[0], lines[2]]);
    const text = textOf(pages);
    for (const part of [
      'Make 4',
      '7 ordered, 3 cancelled',
      'Make 1',
      'Fold twice.',
      '二つ折り',
      'wrong blanks',
      'Blank',
    ]) {
      assert.ok(text.includes(part), `${part} in ${text}`);
    }
  });

  test('an order of 1,000 lines is printed whole, a barcode for each, while others are served', async () => {
    const order = await shop.place(Array.from({ length: 1_000 }, () => 1));
    const started = performance.now();
    let longest = 0;
    const printing = { done: false };
    const watching = (async () => {
      while (!printing.done) {
        const at = performance.now();
        assert.equal((await fetch(`${service.url}/healthz`)).status, 200);
        longest = Math.max(longest, performance.now() - at);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    })();
    const { pages } = await paperOf(order, 'job-sheet');
    printing.done = true;
    await watching;
    const tookMs = performance.now() - started;
    assert.ok(longest < tookMs / 2, `${longest} of ${tookMs} ms for a look at the health`);
    const scanned = pages.flatMap(readBarcodes).map(({ text }) => text);
    assert.deepEqual(scanned.slice(1), linesOf(order));
  });
});

describe('print files', () => {
  test('of each line and print job, with a signed address once they are made', async () => {
    const order = await placeOrder(service, { items: [teeItem(service, { quantity: 3 })] });
    const floor = await openFloor(service);
    await untilReady(floor, order.id);
    const list = await viewer.request<PrintFiles>('GET', `/orders/${order.id}/print-files`);
    assert.equal(list.status, 200, list.text);
    const [file] = list.body.data;
    assert.ok(file?.file_url);
    const { catalogue } = await service.ctx.prices.latest();
    const area = catalogue.bySku.get('TEE-CLASSIC-WHT-M')?.baseProduct.areas.get('front');
    const { file_url: url, ...rest } = file;
    assert.deepEqual(rest, {
      line_id: linesOf(order)[0],
      print_area: 'front',
      method: 'dtg',
      station: null,
      state: 'ready',
      width_px: area?.width_px,
      height_px: area?.height_px,
      dpi: area?.dpi,
      quantity: 3,
    });
    const download = await fetch(url.replace(/^https?:\/\/[^/]+/, service.url));
    assert.equal(download.status, 200);
    assert.equal(download.headers.get('content-type'), 'image/png');
    const promoted = await floor.post(`/orders/${order.id}/promote`);
    const after = await viewer.request<PrintFiles>('GET', `/orders/${order.id}/print-files`);
    assert.equal(after.body.data[0]?.station, promoted.lines[0]?.print_jobs[0]?.station);
    assert.notEqual(after.body.data[0]?.station, null);
    const sheet = textOf((await paperOf(order, 'job-sheet')).pages);
    assert.ok(sheet.includes(area?.title ?? 'no area'), sheet);
  });

  test('a blank order has none; an unknown one is 404, for every paper', async () => {
    const order = await shop.place([1]);
    assert.deepEqual((await viewer.request<PrintFiles>('GET', `/orders/${order.id}/print-files`)).body, { data: [] });
    for (const name of ['print-files', 'packing-slip', 'job-sheet']) {
      const answer = await viewer.request('GET', `/orders/ord_01h455vb4pex5vsknk084sn02q/${name}`);
      assert.deepEqual([answer.status, answer.body.code], [404, 'not_found'], name);
    }
  });
});
