import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Members } from '../members.ts';
import type { OrderReport, Shop } from '../port.ts';
import { reportToWoo } from './reports.ts';

/** A report of so many cancelled pieces of three. */
function reportOf(cancelled: number, isRefunded = false): OrderReport {
  const pieces = [{ shopItemId: '7', title: 'Fern tee', cancelled, made: 3 - cancelled }];
  return {
    ...{ shopOrderId: '1', orderedAt: new Date('2026-11-02T10:00:00Z'), reference: 'PF-1', parcels: [] },
    ...{ isCancelled: false, cancelled: pieces, everCancelled: pieces, isRefunded },
    ...{ isComplete: false, isAllOurs: true, news: new Set<string>() },
  };
}

/** A shop of one order of three pieces, with its notes; its people may refund some. */
function shopOfOrder(notes: string[] = []) {
  const order = { id: 1, status: 'processing', line_items: [{ id: 7, quantity: 3 }], refunds: [] as Members[] };
  const refunds: Members[] = [];
  const answers: Readonly<Record<string, () => unknown>> = {
    '/orders/1': () => order,
    '/orders/1/refunds': () => refunds,
    '/orders/1/notes': () => notes.map((note) => ({ note })),
  };
  const call: Shop['call'] = async (method, path, body = {}) => {
    const route = path.replace('/wp-json/wc/v3', '').replace(/\?.*$/, '');
    const answer = answers[route];
    if (method === 'POST' && route === '/orders/1/notes') notes.push(String(body.note));
    return answer === undefined ? undefined : { status: 200, headers: new Headers(), json: answer() };
  };
  const shop: Shop = {
    call,
    facts: { fulfilments: false },
    ...{ credentials: {}, noticeUrl: '', noticeSecret: '', since: new Date('2026-11-01T00:00:00Z') },
  };
  const refund = (quantity: number): void => {
    const id = refunds.length + 1;
    order.refunds.push({ id });
    const line = { quantity: -quantity, meta_data: [{ key: '_refunded_item_id', value: '7' }] };
    refunds.push({ id, line_items: [line] });
  };
  return { shop, notes, refund };
}

test('a second cancelled piece is told, though the first was refunded in the shop and the note would be the same', async () => {
  const { shop, notes, refund } = shopOfOrder();
  await reportToWoo(shop, reportOf(1));
  refund(1);
  await reportToWoo(shop, reportOf(2));
  assert.deepEqual(notes, [
    'The print shop has cancelled 1 × Fern tee of its order PF-1: not to be sent. Refund your buyer.',
    'The print shop has cancelled 1 × Fern tee of its order PF-1 (2 in all): not to be sent. Refund your buyer.',
  ]);
});

test('what was told is not told again where nothing more is cancelled, whatever was refunded since', async () => {
  const { shop, notes, refund } = shopOfOrder();
  await reportToWoo(shop, reportOf(2));
  refund(1);
  await reportToWoo(shop, reportOf(2));
  await reportToWoo(shop, reportOf(2, true));
  assert.deepEqual(notes, [
    'The print shop has cancelled 2 × Fern tee of its order PF-1: not to be sent. Refund your buyer.',
  ]);
  await reportToWoo(shop, reportOf(3));
  await reportToWoo(shop, reportOf(3));
  refund(1);
  await reportToWoo(shop, reportOf(3));
  assert.equal(notes[1]?.includes('2 × Fern tee of its order PF-1 (3 in all)'), true);
  assert.equal(notes.length, 2);
});

test('a parcel that the shop has as it is now is written no more, and only another number is mailed to its buyer', async () => {
  const { shop: bare } = shopOfOrder();
  const written: string[] = [];
  let fulfilments: Members[] = [];
  const call: Shop['call'] = async (method, path, body = {}) => {
    if (!path.includes('/fulfillments')) return bare.call(method, path, body);
    if (method !== 'GET') {
      fulfilments = [{ ...body, id: 5 }];
      written.push(`${method} ${String(body.notify_customer)}`);
    }
    return { status: 200, headers: new Headers(), json: fulfilments };
  };
  const parcel = { id: 'shp_1', carrier: 'Royal Mail', number: 'RM1', url: null, items: [] };
  const tell = (changes: object = {}) =>
    reportToWoo(
      { ...bare, call, facts: {} },
      { ...reportOf(0), cancelled: [], parcels: [{ ...parcel, ...changes }], news: new Set([parcel.id]) },
    );
  await tell();
  await tell();
  assert.deepEqual(written, ['POST true']);
  await tell({ number: 'RM2' });
  await tell({ number: 'RM2' });
  assert.deepEqual(written.splice(0), ['POST true', 'PUT true']);
  await tell({ number: 'RM2', url: 'https://track.example/RM2' });
  await tell({ number: 'RM2', url: 'https://track.example/RM2' });
  assert.deepEqual(written, ['PUT false']);
});
