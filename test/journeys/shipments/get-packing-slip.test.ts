import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { OpsOrder } from '../../../src/orders/ops-schema.ts';
import type { CreatedOrder } from '../../../src/orders/schema.ts';
import type { PrintFiles, ScannedLine, ShippedOrder } from '../../../src/shipments/schema.ts';
import {
  linesOf,
  openFloor,
  openShippingShop,
  parcelOf,
  placeOrder,
  type ShippingShop,
  TOTE,
  untilReady,
} from '../../harness/floor.ts';
import { type PdfPage, readBarcodes, readPdf } from '../../harness/pdf.ts';
import { type OperatorClient, startTestService, type TestService } from '../../harness/service.ts';
import { teeItem } from '../../harness/shop.ts';
import { rows } from '../../harness/written.ts';

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
  test('says who gets what, and its barcodes scan as the order and as its lines; no price, and no notes that are for the shop', async () => {
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
      [order.reference, ...linesOf(order)],
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

  test('of a parcel that has left keeps the address that it left for; what leaves after a change goes to the new one', async () => {
    const order = await shop.placeStarted([3]);
    const one = await shop.ship(order, parcelOf(order, [1]));
    const change = { contact_name: 'Grace Hopper', line1: '1 High Street', city: 'York', postcode: 'YO1 7HH' };
    const changed = await shop.operator.request('PATCH', `/orders/${order.id}/address`, change);
    assert.equal(changed.status, 200, changed.text);
    const two = await shop.ship(order, parcelOf(order, [2]));
    const slipOf = async (query: string) => textOf((await paperOf(order, `packing-slip${query}`)).pages);
    const first = await slipOf(`?shipment=${one.body.shipment_id}`);
    assert.ok(first.includes('Ada Byron') && first.includes('LS1 4DY'), first);
    assert.doesNotMatch(first, /Grace|York/);
    for (const later of [await slipOf(`?shipment=${two.body.shipment_id}`), await slipOf('')]) {
      assert.ok(later.includes('Grace Hopper') && later.includes('YO1 7HH'), later);
      assert.doesNotMatch(later, /Ada|LS1/);
    }
  });

  test('N208 a parcel that a node of the version before sends keeps its address as well', async () => {
    const order = await shop.place([1]);
    const [sent] = await rows<{ city: string }>(
      service,
      `insert into shipment (order_id, id, account_id, carrier, tracking_number, shipped_at, updated_at)
       select id, id, account_id, 'DPD', '1', placed_at, placed_at from orders where reference = $1
       returning shipping_address ->> 'city' as city`,
      [order.reference],
    );
    assert.equal(sent?.city, 'Leeds');
    await rows(service, 'delete from shipment where order_id = (select id from orders where reference = $1)', [
      order.reference,
    ]);
  });

  test('the same parcel is the same bytes, whenever it is printed', async () => {
    const order = await shop.place([1]);
    const first = await paperOf(order, 'packing-slip');
    service.shiftMs(86_400_000);
    assert.ok(first.pdf.equals((await paperOf(order, 'packing-slip')).pdf));
  });
});

describe('file names', () => {
  test('a paper is saved under the name of its order and its kind, a print file under those of its order, line and area', async () => {
    const order = await placeOrder(service, { items: [teeItem(service)] });
    const floor = await openFloor(service);
    await untilReady(floor, order.id);
    await floor.post(`/orders/${order.id}/promote`);
    const [line = ''] = linesOf(order);
    await floor.post(`/orders/${order.id}/lines/${line}/start`);
    const sent = await shop.ship(order, parcelOf(order, [1]));
    assert.equal(sent.status, 201, sent.text);
    const nameOf = async (url: string): Promise<string | null> => {
      const response = await fetch(url, { headers: { authorization: `Bearer ${viewer.token}` } });
      assert.equal(response.status, 200, url);
      await response.arrayBuffer();
      return response.headers.get('content-disposition');
    };
    const papers = `${service.url}/ops/v1/orders/${order.id}`;
    const inline = (name: string) => `inline; filename="${name}"`;
    assert.equal(await nameOf(`${papers}/job-sheet`), inline(`${order.reference}-job-sheet.pdf`));
    assert.equal(await nameOf(`${papers}/packing-slip`), inline(`${order.reference}-packing-slip.pdf`));
    const ofParcel = `${papers}/packing-slip?shipment=${sent.body.shipment_id}`;
    assert.equal(await nameOf(ofParcel), inline(`${order.reference}-packing-slip-1.pdf`));
    const { body } = await viewer.request<PrintFiles>('GET', `/orders/${order.id}/print-files`);
    const url = (body.data[0]?.file_url ?? '').replace(/^https?:\/\/[^/]+/, service.url);
    assert.equal(await nameOf(url), inline(`${order.reference}_${line}_front.png`));
    for (const forged of [
      url.replace('_front.png', '_back.png'),
      url.replace(/name=[^&]*&/, ''),
      url.replace('name=', 'name=a&name='),
      url.replace('name=', 'name=%22%0d%0a'),
    ]) {
      assert.equal((await fetch(forged)).status, 404, forged);
    }
  });

  test('an invoice and a credit note are saved under their numbers', async () => {
    const order = await shop.place([2]);
    const [line_id = ''] = linesOf(order);
    const some = { reason: 'short', lines: [{ line_id, quantity: 1 }] };
    assert.equal((await shop.operator.request('POST', `/orders/${order.id}/cancel`, some)).status, 200);
    const at = `/orders/${order.id}`;
    const invoice = await shop.request<{ number: string }>('GET', `${at}/invoice`);
    const notes = await shop.request<{ data: { id: string; number: string }[] }>('GET', `${at}/credit-notes`);
    const [note] = notes.body.data;
    assert.ok(note);
    for (const [path, number] of [
      [`${at}/invoice`, invoice.body.number],
      [`${at}/credit-notes/${note.id}`, note.number],
    ] as const) {
      const headers = { authorization: `Bearer ${shop.token}`, accept: 'application/pdf' };
      const response = await fetch(`${service.url}/api/v1${path}`, { headers });
      await response.arrayBuffer();
      assert.equal(response.headers.get('content-type'), 'application/pdf');
      assert.match(number, /^[A-Z]+-\d+$/);
      assert.equal(response.headers.get('content-disposition'), `inline; filename="${number}.pdf"`);
    }
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

  test('the customs form of a parcel names the recipient that it left for, whoever the order goes to now', async () => {
    const changed = await shop.operator.request('PATCH', `/orders/${order.id}/address`, { contact_name: '佐藤花子' });
    assert.equal(changed.status, 200, changed.text);
    const ofParcel = textOf((await paperOf(order, `packing-slip?shipment=${shipped.shipment_id}`)).pages);
    assert.ok(ofParcel.includes('山田太郎') && !ofParcel.includes('佐藤花子'), ofParcel);
    const [slip, form] = (await paperOf(order, 'packing-slip')).pages.map((page) => textOf([page]));
    assert.ok(slip?.includes('佐藤花子') && form?.includes('山田太郎') && !form.includes('佐藤花子'), form);
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

describe('scanned barcodes', () => {
  /** What was scanned, as a hand scanner would, off a paper of an order. */
  const scan = async (order: { id: string }, paper: string): Promise<readonly string[]> =>
    (await paperOf(order, paper)).pages.flatMap(readBarcodes).map(({ text }) => text);
  const follow = (line: string) => viewer.request<ScannedLine>('GET', `/lines/${line}`);
  const actionsOf = async (line: string) =>
    (await follow(line)).body.next_actions.map(({ action, quantity }) => [action, quantity]);

  test('a line of the job sheet leads to its order and to what is next: it is promoted, started and shipped by what was scanned', async () => {
    const order = await shop.place([3, 2]);
    const [reference, , second = ''] = await scan(order, 'job-sheet');
    assert.equal(reference, order.reference);
    const found = await follow(second);
    assert.equal(found.status, 200, found.text);
    const { next_actions: actions, line, ...rest } = found.body;
    assert.deepEqual(rest, { order_id: order.id, reference: order.reference, state: 'placed', hold: null });
    assert.deepEqual([line.id, line.quantity, line.variant_sku], [second, 2, TOTE]);
    const promote = `POST /orders/${order.reference}/promote`;
    assert.deepEqual(actions, [{ action: 'promote', request: promote, quantity: null, area: null, method: null }]);
    const run = async (name: string, body?: object) => {
      const next = (await follow(second)).body.next_actions.find(({ action }) => action === name);
      const [method = '', path = ''] = next?.request.split(' ') ?? [];
      assert.equal(method, 'POST');
      const answer = await shop.operator.request<OpsOrder>('POST', path, body);
      assert.ok(answer.status < 300, answer.text);
      return answer.body;
    };
    await run('promote');
    assert.deepEqual(await actionsOf(second), [['start', 2]]);
    const started = await run('start');
    assert.deepEqual(
      started.lines.map(({ started_at }) => started_at !== null),
      [false, true],
    );
    assert.deepEqual(await actionsOf(second), [
      ['spoil', 2],
      ['ship', 2],
    ]);
    const [, ...onSlip] = await scan(order, 'packing-slip');
    assert.equal(onSlip[1], second, 'the same line has the same barcode on the packing slip');
    await run('ship', { carrier: 'DPD', tracking_number: '1', items: [{ line_id: onSlip[1], quantity: 2 }] });
    assert.deepEqual(await actionsOf(second), []);
    assert.deepEqual(await actionsOf(linesOf(order)[0] ?? ''), [['start', 3]]);
  });

  test('a printed line is finished job by job; one on hold is to be resumed, and one whose artwork is not ready waits', async () => {
    const order = await placeOrder(service, { items: [teeItem(service, { quantity: 3 })] });
    const floor = await openFloor(service);
    await untilReady(floor, order.id);
    await floor.post(`/orders/${order.id}/promote`);
    const [line = ''] = linesOf(order);
    const at = `/orders/${order.id}/lines/${line}`;
    await floor.post(`/orders/${order.id}/hold`, { reason: 'wrong blanks' });
    const held = await follow(line);
    assert.equal(held.body.hold?.reason, 'wrong blanks');
    assert.deepEqual(await actionsOf(line), [['resume', null]]);
    await floor.post(`/orders/${order.id}/resume`);
    const file =
      'where key = (select j.print_file_key from print_job j join orders o on o.id = j.order_id where o.reference = $1)';
    const of = [order.reference];
    const [made] = await rows<{ output_hash: Buffer }>(service, `select output_hash from print_file ${file}`, of);
    await rows(service, `update print_file set state = 'pending', output_hash = null ${file}`, of);
    assert.deepEqual(await actionsOf(line), []);
    await rows(service, `update print_file set state = 'failed' ${file}`, of);
    assert.deepEqual(await actionsOf(line), [['retry_print_files', null]]);
    const again = [...of, made?.output_hash ?? null];
    await rows(service, `update print_file set state = 'ready', output_hash = $2 ${file}`, again);
    await floor.post(`${at}/start`);
    await floor.post(`${at}/finish`, { quantity: 1 });
    const [finish] = (await follow(line)).body.next_actions;
    assert.deepEqual(finish, {
      action: 'finish',
      request: `POST /orders/${order.reference}/lines/${line}/finish`,
      quantity: 2,
      area: 'front',
      method: 'dtg',
    });
    await floor.post(`${at}/finish`, { quantity: 2, area: 'front', method: 'dtg' });
    assert.deepEqual(await actionsOf(line), [
      ['spoil', 3],
      ['ship', 3],
    ]);
  });

  test('an order is read and found by a scanned line too; nothing is done to it by that, and an unknown line is 404', async () => {
    const order = await shop.place([1]);
    const [line = ''] = linesOf(order);
    const read = await viewer.request<OpsOrder>('GET', `/orders/${line}`);
    assert.deepEqual([read.status, read.body.id], [200, order.id]);
    const list = await viewer.request<{ data: OpsOrder[] }>('GET', `/orders?reference=${line}`);
    assert.deepEqual(
      list.body.data.map(({ id }) => id),
      [order.id],
    );
    const cancel = await shop.operator.request('POST', `/orders/${line}/cancel`, { reason: 'scanned by mistake' });
    assert.deepEqual([cancel.status, cancel.body.code], [404, 'not_found']);
    assert.equal((await shop.see(order)).state, 'placed');
    const owners = await shop.request('GET', `/orders/${line}`);
    assert.equal(owners.status, 404, 'the API of customers has no such name');
    for (const unknown of ['line_01h455vb4pex5vsknk084sn02q', 'line_nonsense', order.id, order.reference]) {
      const answer = await viewer.request('GET', `/lines/${unknown}`);
      assert.deepEqual([answer.status, answer.body.code], [404, 'not_found'], unknown);
    }
    const none = await viewer.request<{ data: OpsOrder[] }>('GET', '/orders?reference=line_01h455vb4pex5vsknk084sn02q');
    assert.deepEqual(none.body.data, []);
    assert.equal((await viewer.request('GET', '/orders/line_01h455vb4pex5vsknk084sn02q')).status, 404);
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
