import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { PrintFiles } from '../../../src/shipments/schema.ts';
import { linesOf, openFloor, parcelOf, placeOrder, untilReady } from '../../harness/floor.ts';
import { teeItem } from '../../harness/shop.ts';
import { closePapers, openPapers, service, shop, viewer } from './papers.ts';

before(openPapers);
after(closePapers);

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
    const some = { reason: 'short', items: [{ line_id, quantity: 1 }] };
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
