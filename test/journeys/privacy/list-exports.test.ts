import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { issueDueDocuments } from '../../../src/invoices/issue-due.ts';
import type { CreatedOrder } from '../../../src/orders/schema.ts';
import { lookAtExports } from '../../../src/privacy/exports/watch-exports.ts';
import { count, linesOf, openFloor, openShippingShop, parcelOf, type ShippingShop, TOTE } from '../../harness/floor.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { HOME } from '../../harness/shop.ts';
import { rows } from '../../harness/written.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;
const PARIS = {
  contact_name: 'Zoé Petit',
  line1: '1 rue de la Paix',
  city: 'Paris',
  postcode: '75002',
  country_code: 'FR',
};
const JERSEY = {
  contact_name: 'Jo Le Sueur',
  line1: '2 King Street',
  city: 'St Helier',
  postcode: 'JE2 4WD',
  country_code: 'GB',
};
const MAN = {
  contact_name: 'Orry Kelly',
  line1: '3 Strand Street',
  city: 'Douglas',
  postcode: 'IM1 2EN',
  country_code: 'IM',
};

type Listed = {
  data: {
    order_id: string;
    reference: string;
    lacking: string[];
    due_at: string;
    supplied_at: string;
    is_overdue: boolean;
  }[];
  has_more: boolean;
  next_cursor: string | null;
};

describe('exports that lack evidence', () => {
  let service: TestService;
  let shop: ShippingShop;
  before(async () => {
    service = await startTestService();
    shop = await openShippingShop(service);
    await count(await openFloor(service), TOTE, 1_000);
  });
  after(() => service.stop());

  const list = async (query = ''): Promise<Listed> => {
    const answer = await shop.operator.request<Listed>('GET', `/exports${query}`);
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  };
  /** What an order lacks after the worker has looked; undefined when it is not on the list. */
  const lackingOf = async (order: CreatedOrder): Promise<string[] | undefined> => {
    service.shiftMs(2 * MINUTE_MS);
    await lookAtExports(service.ctx);
    return (await list()).data.find(({ order_id: id }) => id === order.id)?.lacking;
  };
  const ship = async (order: CreatedOrder, tracking: object = {}): Promise<void> => {
    await shop.operator.request('POST', `/orders/${order.id}/promote`);
    for (const line of linesOf(order)) await shop.start(order, line);
    assert.equal((await shop.ship(order, parcelOf(order, [1], tracking))).status, 201);
  };

  test('an order to another country is listed from its payment until all of it is there; one that stays is not', async () => {
    const paris = await shop.place([1], { shipping_address: PARIS });
    const home = await shop.place([1], { shipping_address: HOME });
    const man = await shop.place([1], { shipping_address: MAN });
    assert.deepEqual(await lackingOf(paris), ['dispatch', 'invoice']);
    assert.deepEqual([await lackingOf(home), await lackingOf(man)], [undefined, undefined]);
    await ship(paris);
    assert.deepEqual(await lackingOf(paris), ['invoice']);
    service.shiftMs(2 * MINUTE_MS);
    await issueDueDocuments(service.ctx);
    assert.equal(await lackingOf(paris), undefined);
    await lookAtExports(service.ctx);
    assert.equal(await lackingOf(paris), undefined, 'it does not come back');
  });

  test('a parcel without a tracking number, or without a declaration, is named, also to Jersey written as GB', async () => {
    const jersey = await shop.place([1], { shipping_address: JERSEY });
    await ship(jersey);
    service.shiftMs(2 * MINUTE_MS);
    await issueDueDocuments(service.ctx);
    await rows(
      service,
      `update shipment set tracking_number = '', customs = null where order_id = (select id from orders where reference = $1)`,
      [jersey.reference],
    );
    assert.deepEqual(await lackingOf(jersey), ['tracking_number', 'declaration']);
    for (const what of ['tracking_number', 'declaration']) {
      assert.deepEqual(
        (await list(`?lacking=${what}`)).data.map(({ reference }) => reference),
        [jersey.reference],
      );
    }
    assert.deepEqual((await list('?lacking=invoice')).data, []);
    const [shipment] = await rows<{ id: string }>(service, 'select id from shipment order by id desc limit 1');
    assert.ok(shipment);
    await rows(service, `update shipment set tracking_number = 'RM2', customs = '{}' where id = $1`, [shipment.id]);
    assert.equal(await lackingOf(jersey), undefined);
  });

  test('an order that paid no VAT is watched however its postcode is written', async () => {
    for (const postcode of ['GB-JE2 4WD', '\uFF2A\uFF252 4WD', '(je2)4wd', 'G Y1 1AA', 'J-E2 4WD']) {
      const order = await shop.place([1], { shipping_address: { ...JERSEY, postcode } });
      assert.equal(order.charged.vat_amount, 0, postcode);
      assert.deepEqual(await lackingOf(order), ['dispatch', 'invoice'], postcode);
    }
  });

  test('a cancelled order of which nothing was sent is no export', async () => {
    const order = await shop.place([1], { shipping_address: PARIS });
    assert.deepEqual(await lackingOf(order), ['dispatch', 'invoice']);
    const { request } = await service.openOperator();
    assert.equal((await request('POST', `/orders/${order.id}/cancel`, { reason: 'test' })).status, 200);
    assert.equal(await lackingOf(order), undefined);
  });

  test('the evidence is due three months after the payment, and overdue from that moment on', async () => {
    const order = await shop.place([1], { shipping_address: PARIS });
    await lackingOf(order);
    const found = async () =>
      (await list('?lacking=dispatch')).data.find(({ order_id: id }) => id === order.id) ?? assert.fail('not listed');
    const { due_at: dueAt, supplied_at: paidAt } = await found();
    const due = new Date(paidAt);
    due.setUTCMonth(due.getUTCMonth() + 3);
    assert.ok(Math.abs(due.getTime() - new Date(dueAt).getTime()) <= 3 * DAY_MS, 'the last day of a shorter month');
    const left = new Date(dueAt).getTime() - service.ctx.clock.now().getTime();
    service.shiftMs(left - MINUTE_MS);
    assert.equal((await found()).is_overdue, false);
    service.shiftMs(2 * MINUTE_MS);
    assert.equal((await found()).is_overdue, true);
  });

  test('the list has pages, and a wrong parameter is refused by its name', async () => {
    const orders = [
      await shop.place([1], { shipping_address: PARIS }),
      await shop.place([1], { shipping_address: PARIS }),
    ];
    await lackingOf(orders[1] ?? assert.fail());
    const first = await list('?limit=1');
    assert.deepEqual([first.data.length, first.has_more], [1, true]);
    const rest = await list(`?limit=100&cursor=${first.next_cursor}`);
    assert.ok(rest.data.every(({ order_id: id }) => id > (first.data[0]?.order_id ?? '')));
    for (const query of ['?lacking=stamps', '?cursor=acct_1', '?limit=0', '?missing=invoice']) {
      assert.equal((await shop.operator.request('GET', `/exports${query}`)).status, 422, query);
    }
    assert.equal((await shop.request('GET', '/exports')).status, 404);
  });
});
