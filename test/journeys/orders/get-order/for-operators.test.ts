import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openTask } from '../../../../src/accounts/open-task.ts';
import { parseId, publicId } from '../../../../src/lib/ids.ts';
import type { Page } from '../../../../src/lib/paging.ts';
import type { OpsOrder } from '../../../../src/orders/ops-schema.ts';
import type { Order } from '../../../../src/orders/schema.ts';
import { rows } from '../../../harness/written.ts';
import { closeOrders, openOrders, placed, service, viewer, waiting } from '../for-operators.ts';

before(openOrders);
after(closeOrders);

async function seen(id: string): Promise<OpsOrder> {
  const { status, body } = await viewer.request<OpsOrder>('GET', `/orders/${id}`);
  assert.equal(status, 200);
  return body;
}

describe('an order as ops sees it', () => {
  test('has all that its owner sees, and its state, account, money, lines and history', async () => {
    const order = await placed(service.customer, { external_reference: 'OPS-1', notes: 'Please fold.' });
    const owners = await service.customer.request<Order>('GET', `/orders/${order.id}`);
    const view = await seen(order.id);
    const [item] = owners.body.items;
    // Its print file may be made between the two reads, and links are signed anew.
    const changing = { mock_url: undefined, thumbnail_url: undefined, artwork_ready: undefined, artwork: undefined };
    assert.deepEqual({ ...view.items[0], ...changing }, { ...item, ...changing });
    assert.deepEqual(
      view.items[0]?.artwork?.areas.map(({ source, print }) => ({ source, print })),
      item?.artwork?.areas.map(({ source, print }) => ({ source, print })),
    );
    assert.equal(view.items[0]?.artwork?.areas.length, 1);
    for (const [name, value] of Object.entries(owners.body)) {
      if (name !== 'items') assert.deepEqual(Reflect.get(view, name), value, name);
    }
    assert.deepEqual(
      [view.state, view.source, view.account.id, view.account.name, view.replaces, view.replaced_by],
      ['placed', 'api', publicId('acct', service.customer.accountId), 'Demo Print Club', null, []],
    );
    const { total } = order.charged;
    assert.deepEqual([view.paid_gbp, view.refunded_gbp, view.refund_owed_gbp, view.due_gbp], [total, 0, 0, 0]);
    assert.equal(view.billing_address.line1, '12 Mill Lane');
    assert.equal(view.shipping_service, order.charged.shipping_service);
    const [line] = view.lines;
    assert.deepEqual(
      [
        line?.id,
        line?.quantity,
        line?.quantity_cancelled,
        line?.quantity_shipped,
        line?.quantity_spoiled,
        line?.status,
      ],
      [order.items.lineItems[0]?.id, 1, 0, 0, 0, 'queued'],
    );
    assert.deepEqual(
      [line?.started_at, line?.allocation, line?.unit_price],
      [null, null, order.charged.lines[0]?.unit_price],
    );
    assert.deepEqual(
      line?.print_jobs.map(({ area, method, quantity_done: done, quantity_spoiled: spoiled }) => [
        area,
        method,
        done,
        spoiled,
      ]),
      [['front', 'dtg', 0, 0]],
    );
    assert.deepEqual(
      view.history.map(({ action, from, to, actor }) => [action, from, to, actor]),
      [['place', null, 'placed', 'customer']],
    );
    assert.deepEqual([view.tasks, view.payment_attempts, view.warnings], [[], [], []]);
  });

  test('of any account, by its id and by its reference in any letter case; an unknown one is 404', async () => {
    for (const name of [waiting.id, waiting.reference, waiting.reference.toLowerCase()]) {
      assert.equal((await seen(name)).id, waiting.id);
    }
    for (const name of [`ord_${'0'.repeat(26)}`, 'PF-22222222', 'POOR-1', waiting.id.toUpperCase(), 'prod_1']) {
      assert.equal((await viewer.request('GET', `/orders/${name}`)).status, 404, name);
    }
  });

  test('says what is still due while it waits for its payment', async () => {
    const view = await seen(waiting.id);
    const { total } = waiting.charged;
    assert.deepEqual([view.state, view.paid_gbp, view.due_gbp], ['awaiting_payment', 0, total]);
    assert.deepEqual(
      view.history.map(({ to }) => to),
      ['awaiting_payment'],
    );
  });

  test('shows its open tasks, and no closed ones', async () => {
    const order = await placed(service.customer);
    const orderId = parseId('ord', order.id) ?? null;
    const { database, clock } = service.ctx;
    const task = { accountId: service.customer.accountId, orderId, kind: 'look', note: 'Look at it.' };
    const id = publicId('task', await openTask(database, task, clock.now()));
    assert.deepEqual(
      (await seen(order.id)).tasks.map(({ id: name, kind, note }) => [name, kind, note]),
      [[id, 'look', 'Look at it.']],
    );
    const production = await service.openOperator('production');
    assert.equal((await production.request('POST', `/tasks/${id}/close`)).status, 200);
    assert.deepEqual((await seen(order.id)).tasks, []);
    const audit = await viewer.request<Page<{ action: string }>>('GET', `/audit?order=${order.id}`);
    assert.deepEqual(
      audit.body.data.map(({ action }) => action),
      ['close_task'],
    );
  });

  test('warns while work goes on that the customer may still stop, and no longer than that', async () => {
    const order = await placed(service.customer);
    const codes = async (): Promise<string[]> => (await seen(order.id)).warnings.map(({ code }) => code);
    assert.deepEqual(await codes(), []);
    await rows(
      service,
      `update orders set changed_by = transaction_number(), state = 'released' where reference = $1`,
      [order.reference],
    );
    assert.deepEqual(await codes(), ['cancellation_window_open']);
    await rows(service, 'update orders set cancellable_until = placed_at where reference = $1', [order.reference]);
    assert.deepEqual(await codes(), []);
    await rows(service, `update orders set changed_by = transaction_number(), state = 'placed' where reference = $1`, [
      order.reference,
    ]);
  });
});
