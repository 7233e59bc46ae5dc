import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { creditAccount } from '../../../../src/billing/credit-account.ts';
import { publicId } from '../../../../src/lib/ids.ts';
import { pence } from '../../../../src/lib/money.ts';
import type { CreatedOrder } from '../../../../src/orders/schema.ts';
import { settleWaitingOrders } from '../../../../src/payments/settle-waiting.ts';
import { runErasures } from '../../../../src/privacy/erase/worker.ts';
import { lookAtExports } from '../../../../src/privacy/exports/watch-exports.ts';
import type { ErasureReceipt } from '../../../../src/privacy/ops-schema.ts';
import { sweepNow } from '../../../../src/privacy/retention/sweep.ts';
import { eventually } from '../../../harness/context.ts';
import {
  count,
  linesOf,
  openFloor,
  openShippingShop,
  parcelOf,
  type ShippingShop,
  TOTE,
} from '../../../harness/floor.ts';
import { startTestService, type TestService } from '../../../harness/service.ts';
import { addProduct } from '../../../harness/shop.ts';
import { assertSound, rows } from '../../../harness/written.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const PARIS = {
  contact_name: 'Zoé Petit',
  line1: '1 rue de la Paix',
  city: 'Paris',
  postcode: '75002',
  country_code: 'FR',
};

describe('what orders hold of people ends 2,200 days after they ended', () => {
  let service: TestService;
  let shop: ShippingShop;
  before(async () => {
    service = await startTestService();
    shop = await openShippingShop(service);
    await count(await openFloor(service), TOTE, 1_000);
  });
  after(() => service.stop());

  /** How many rows of orders, parcels, invoices and search have a word of the recipient. */
  const traces = async (): Promise<number> =>
    (
      await rows(
        service,
        `select id from orders where shipping_address::text || billing_address::text like '%Petit%'
         union all select id from shipment where shipping_address::text || coalesce(customs::text, '') like '%Petit%'
         union all select order_id from invoice where document::text like '%Petit%'
         union all select order_id from order_search where term = 'PETIT'`,
      )
    ).length;

  test('just before all is there; just after the recipient is gone, and the evidence of the export stays', async () => {
    const order = await shop.place([1], { shipping_address: PARIS, notes: 'for Zoé Petit' });
    await shop.operator.request('POST', `/orders/${order.id}/promote`);
    for (const line of linesOf(order)) await shop.start(order, line);
    assert.equal((await shop.ship(order, parcelOf(order, [1], { tracking_number: 'RM4711' }))).status, 201);
    // The order, its parcel, and the search once its worker has seen the order; the invoice names the account alone.
    await eventually('the order can be found', async () => (await traces()) === 3);
    service.shiftMs(2 * HOUR_MS);
    assert.equal((await shop.request('GET', `/orders/${order.id}/invoice`)).status, 200);
    await lookAtExports(service.ctx);
    assert.deepEqual(await rows(service, 'select from export_watch'), []);
    service.shiftMs(2_200 * DAY_MS - 3 * HOUR_MS);
    await sweepNow(service.ctx);
    assert.equal(await traces(), 3, 'just before');
    service.shiftMs(2 * HOUR_MS);
    assert.equal((await sweepNow(service.ctx)).get('addresses'), 1);
    assert.equal(await traces(), 0, 'just after');
    const [left] = await rows<{ country: string; tracking: string; has_customs: boolean; numbers: number }>(
      service,
      `select o.shipping_address ->> 'country_code' as country, s.tracking_number as tracking, s.customs is not null as has_customs,
         (select count(*) from invoice i where i.order_id = o.id) as numbers
       from orders o join shipment s on s.order_id = o.id where o.reference = $1`,
      [order.reference],
    );
    assert.deepEqual(left, { country: 'FR', tracking: 'RM4711', has_customs: true, numbers: 1 });
    assert.equal((await sweepNow(service.ctx)).get('addresses'), 0, 'once');
    await lookAtExports(service.ctx);
    assert.deepEqual(await rows(service, 'select from export_watch'), [], 'it is not asked for again');
    await assertSound(service);
  });

  test('an order in work and one with an open task keep theirs', async () => {
    const held = await shop.place([1], { shipping_address: PARIS });
    const tasked = await shop.place([1], { shipping_address: PARIS });
    const { request } = await service.openOperator();
    assert.equal((await request('POST', `/orders/${tasked.id}/cancel`, { reason: 'test' })).status, 200);
    await rows(
      service,
      `insert into ops_task (id, account_id, order_id, kind, note, opened_at)
       select gen_random_uuid(), account_id, id, 'test', 'look at it', $2 from orders where reference = $1`,
      [tasked.reference, service.ctx.clock.now()],
    );
    service.shiftMs(3_000 * DAY_MS);
    assert.equal((await sweepNow(service.ctx)).get('addresses'), 0);
    await rows(service, 'update ops_task set closed_at = $1', [service.ctx.clock.now()]);
    assert.equal((await sweepNow(service.ctx)).get('addresses'), 1);
    const left = await rows<{ reference: string }>(
      service,
      `select reference from orders where shipping_address::text like '%Petit%'`,
    );
    assert.deepEqual(left, [{ reference: held.reference }]);
    await assertSound(service);
  });

  test('an order that is never paid loses its address after 90 days, waits on, and can be cancelled but not paid', async () => {
    const poor = await service.openCustomer({ balancePence: 0 });
    const answer = await poor.request<CreatedOrder>('POST', '/orders', {
      items: [
        { product_id: await addProduct(service, poor, 'TOTE-COTTON'), variant_sku: TOTE, quantity: 1, print_jobs: [] },
      ],
      shipping_address: { ...PARIS, contact_name: 'Max Unpaid' },
      notes: 'for Max Unpaid',
    });
    assert.deepEqual([answer.status, answer.body.payment_status], [201, 'failed'], answer.text);
    const { request } = await service.openOperator();
    // A request to erase waits for it, as long as it may still be paid.
    const erase = async () =>
      request<ErasureReceipt>('POST', `/accounts/${publicId('acct', poor.accountId)}/erase`, {
        order: answer.body.reference,
      });
    assert.deepEqual((await erase()).body.waiting_for, [answer.body.reference]);
    const found = async (): Promise<readonly { state: string; text: string }[]> =>
      rows(
        service,
        'select state, shipping_address::text || billing_address::text || notes as text from orders where reference = $1',
        [answer.body.reference],
      );
    service.shiftMs(90 * DAY_MS - HOUR_MS);
    await sweepNow(service.ctx);
    assert.match((await found())[0]?.text ?? '', /Max Unpaid/, 'just before');
    service.shiftMs(2 * HOUR_MS);
    assert.equal((await sweepNow(service.ctx)).get('addresses'), 1);
    const [left] = await found();
    assert.equal(left?.state, 'awaiting_payment');
    assert.doesNotMatch(left?.text ?? '', /Max|Paris|75002/);
    await runErasures(service.ctx);
    assert.equal((await erase()).body.state, 'done', 'the request that waited for it is done');

    await creditAccount(service.ctx, { accountId: poor.accountId, amountPence: pence(1_000_000), reference: '' });
    // However far back a top-up pays.
    const ctx = { ...service.ctx, config: { ...service.ctx.config, autoSettleHours: 24 * 365 } };
    assert.equal(await settleWaitingOrders(ctx, poor.accountId), 0);
    for (const way of ['settle', 'retry-payment']) {
      const refused = await request<{ detail: string }>('POST', `/orders/${answer.body.id}/${way}`, {});
      assert.equal(refused.status, 409, refused.text);
      assert.match(
        refused.body.detail,
        /address of PF-\w+ was erased .* Cancel the order, and have the customer place a new one/,
      );
    }
    assert.equal((await request('POST', `/orders/${answer.body.id}/cancel`, { reason: 'never paid' })).status, 200);
    await assertSound(service);
  });
});
