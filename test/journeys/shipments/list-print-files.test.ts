import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { PrintFiles } from '../../../src/shipments/schema.ts';
import { linesOf, openFloor, placeOrder, untilReady } from '../../harness/floor.ts';
import { teeItem } from '../../harness/shop.ts';
import { closePapers, openPapers, paperOf, service, shop, textOf, viewer } from './papers.ts';

before(openPapers);
after(closePapers);

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
