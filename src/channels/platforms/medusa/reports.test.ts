import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Members } from '../members.ts';
import type { OrderReport, ReportedParcel, Shop } from '../port.ts';
import { reportToMedusa } from './reports.ts';

const PARCEL: ReportedParcel = {
  id: 'shp_1',
  ...{ carrier: 'Royal Mail', number: 'RM1', url: null },
  items: [{ shopItemId: 'ordli_1', title: 'Fern tee', quantity: 3 }],
};

function reportWith(changes: Partial<OrderReport>): OrderReport {
  return {
    ...{ shopOrderId: 'order_1', orderedAt: new Date('2026-11-02T10:00:00Z'), reference: 'ORD-1' },
    ...{ parcels: [], isCancelled: false, cancelled: [], everCancelled: [], isRefunded: false },
    ...{ isComplete: false, isAllOurs: true, news: new Set<string>() },
    ...changes,
  };
}

type Write = { readonly path: string; readonly body: Members };

/** A shop of one order, of which it has sent some pieces itself, and what was written to it. */
function shopOf(detail: { quantity: number; fulfilled_quantity: number; shipped_quantity: number }) {
  const order: Members & { metadata: Members; fulfillments: Members[]; items: Members[] } = {
    ...{ id: 'order_1', status: 'pending', metadata: {}, fulfillments: [], shipping_methods: [] },
    items: [{ id: 'ordli_1', quantity: detail.quantity, detail }],
  };
  const writes: Write[] = [];
  const call: Shop['call'] = async (method, path, body = {}) => {
    if (method === 'POST') {
      writes.push({ path: path.replace(/\?.*$/, ''), body });
      if (/\/fulfillments\?/.test(path)) {
        const made = { id: 'ful_1', shipped_at: null, canceled_at: null, labels: [], metadata: body.metadata };
        order.fulfillments.push(made);
      } else if (!path.includes('/shipments')) {
        Object.assign(order.metadata, body.metadata);
      }
    }
    return { status: 200, headers: new Headers(), json: { order } };
  };
  const shop: Shop = {
    call,
    ...{ credentials: {}, facts: {}, noticeUrl: '', noticeSecret: '', since: new Date('2026-11-01T00:00:00Z') },
  };
  return { shop, order, writes };
}

test('of a parcel of which the shop has sent pieces itself, just the others are fulfilled and shipped', async () => {
  const detail = { quantity: 3, fulfilled_quantity: 2, shipped_quantity: 2 };
  const { shop, writes } = shopOf(detail);
  await reportToMedusa(shop, reportWith({ parcels: [PARCEL], news: new Set([PARCEL.id]) }));
  assert.deepEqual(
    writes.map(({ path, body }) => [path, body.items]),
    [
      ['/admin/orders/order_1/fulfillments', [{ id: 'ordli_1', quantity: 1 }]],
      ['/admin/orders/order_1/fulfillments/ful_1/shipments', [{ id: 'ordli_1', quantity: 1 }]],
    ],
  );
});

test('a second cancelled piece is told, though the first was taken out in the shop; what was told is not told again', async () => {
  const { shop, order, writes } = shopOf({ quantity: 3, fulfilled_quantity: 0, shipped_quantity: 0 });
  const tell = async (cancelled: number): Promise<void> => {
    const pieces = [{ shopItemId: 'ordli_1', title: 'Fern tee', cancelled, made: 3 - cancelled }];
    await reportToMedusa(shop, reportWith({ cancelled: pieces, everCancelled: pieces }));
  };
  await tell(1);
  const first = 'The print shop has cancelled 1 × Fern tee of its order ORD-1: not to be sent. Refund your buyer.';
  assert.deepEqual(order.metadata, { platen_cancelled_pieces: first });
  Object.assign(order.items[0]?.detail ?? {}, { quantity: 2 });
  await tell(2);
  const second = first.replace('ORD-1', 'ORD-1 (2 in all)');
  assert.deepEqual(order.metadata, { platen_cancelled_pieces: second });
  await tell(2);
  assert.equal(writes.length, 2);
});
