import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { replaceArtwork } from '../../../../src/checkout/new-artwork/replace-artwork.ts';
import { type Caller, SCOPES } from '../../../../src/lib/caller.ts';
import type { CreatedOrder } from '../../../../src/orders/schema.ts';
import { dyingAt } from '../../../harness/dying.ts';
import { addProduct, basket } from '../../../harness/shop.ts';
import { assertSound, balancePence, rows } from '../../../harness/written.ts';
import { openReplacing, printsOf, type ReplaceShop } from './replacing.ts';

let at: ReplaceShop;
before(async () => {
  at = await openReplacing();
});
after(async () => {
  try {
    await at.workers.working();
    await assertSound(at.service);
  } finally {
    await at.service.stop();
  }
});

test('of two pictures at once one is taken, and its file is made once', async () => {
  for (let round = 0; round < 3; round += 1) {
    const order = await at.failed();
    const urls = [await at.picture(), await at.picture()];
    const answers = await Promise.all(urls.map((url) => at.replace(order, { print_area: 'front', url })));
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, 409],
    );
    const same = await at.picture();
    await at.workers.failing();
    const twice = await Promise.all([same, same].map((url) => at.replace(order, { print_area: 'front', url })));
    assert.deepEqual(
      twice.map(({ status }) => status),
      [200, 200],
    );
    assert.deepEqual(await printsOf(at.service, order), [
      { area: 'front', state: 'pending', jobs: 1, needs: 1, is_same: false },
    ]);
  }
});

test('against a cancel either the new file is dropped with the order, or the replacement is refused', async () => {
  for (let round = 0; round < 4; round += 1) {
    const order = await at.failed();
    const url = await at.picture();
    const [answer, cancel] = await Promise.all([
      at.replace(order, { print_area: 'front', url }),
      at.service.customer.request('POST', `/orders/${order.id}/cancel`),
    ]);
    assert.equal(cancel.status, 200, cancel.text);
    assert.ok([200, 409].includes(answer.status), answer.text);
    const needs = 'select 1 from print_file_need n join orders o on o.id = n.order_id where o.reference = $1';
    assert.deepEqual(await rows(at.service, needs, [order.reference]), []);
    assert.deepEqual(await at.workers.tasksOf(at.floor, order), []);
  }
});

test('against a start that a retry has made possible exactly one wins: the line prints what it was started with', async () => {
  for (let round = 0; round < 3; round += 1) {
    const order = await at.failed();
    const line = order.items.lineItems[0]?.id;
    await at.floor.post(`/orders/${order.id}/promote`);
    await at.floor.post(`/orders/${order.id}/print-files/retry`);
    const url = await at.picture();
    // The file fails again, is retried and made, and the line starts while the new artwork is under way.
    await at.workers.failing();
    const making = (async () => {
      await at.floor.request('POST', `/orders/${order.id}/print-files/retry`);
      await at.workers.working();
      return at.floor.request('POST', `/orders/${order.id}/lines/${line}/start`);
    })();
    const [answer, started] = await Promise.all([at.replace(order, { print_area: 'front', url }), making]);
    const [area] = await at.areas(order);
    if (answer.status === 200) assert.equal(area?.source?.width, 1_200);
    else assert.deepEqual([answer.status, started.status], [409, 200], answer.text);
    await at.workers.working();
    assert.equal((await at.areas(order))[0]?.state, 'ready');
  }
});

test('a process that dies at any statement of it leaves the line as it was; the retry makes one file by one job', async () => {
  let survived = false;
  const { accountId } = at.service.customer;
  const caller: Caller = { accountId, limitedAs: 'a test', scopes: new Set(SCOPES) };
  for (let statement = 1; !survived; statement += 1) {
    assert.ok(statement < 60, 'it ends');
    const order = await at.failed();
    const line = order.items.lineItems[0]?.id ?? '';
    const url = await at.picture();
    const { database, hasDied } = dyingAt(at.service.ctx.database, statement);
    const body = { print_area: 'front', url };
    const request = { idOrReference: order.id, line, body, signal: AbortSignal.timeout(60_000) };
    await replaceArtwork({ ...at.service.ctx, database }, caller, request).catch(() => undefined);
    survived = !hasDied();
    if (!survived) {
      const [area] = await at.areas(order);
      assert.deepEqual([area?.failure, area?.replaced_at], ['The disk is full.', null], `statement ${statement}`);
      assert.equal((await at.workers.tasksOf(at.floor, order)).length, 1);
    }
    assert.equal((await at.replace(order, body)).status, 200);
    assert.deepEqual(await printsOf(at.service, order), [
      { area: 'front', state: 'pending', jobs: 1, needs: 1, is_same: false },
    ]);
    assert.deepEqual(await at.workers.tasksOf(at.floor, order), []);
  }
});

test('the setup that was paid stays that of the order: none is charged anew, and a cancel gives it back whole', async () => {
  const customer = await at.service.openCustomer({ balancePence: 1_000_000 });
  const product_id = await addProduct(at.service, customer, 'TEE-CLASSIC');
  const place = async (artwork_url: string): Promise<CreatedOrder> => {
    const areas = [{ print_area: 'left_sleeve', method: 'embroidery', artwork_url }];
    const item = { product_id, variant_sku: 'TEE-CLASSIC-WHT-M', quantity: 1, decoration: { areas } };
    const answer = await customer.request<CreatedOrder>('POST', '/orders', { ...basket(at.service), items: [item] });
    assert.equal(answer.status, 201, answer.text);
    return answer.body;
  };
  const before = await balancePence(at.service, customer);
  const order = await place(await at.picture());
  assert.ok(order.charged.setup_total > 0);
  await at.workers.failing();
  const paid = await balancePence(at.service, customer);
  const url = await at.picture();
  const answer = await at.replace(
    order,
    { print_area: 'left_sleeve', url },
    { line: order.items.lineItems[0]?.id ?? '', by: customer },
  );
  assert.equal(answer.status, 200, answer.text);
  assert.equal(await balancePence(at.service, customer), paid);
  await at.workers.working();
  const next = await place(url);
  assert.equal(next.charged.setup_total, order.charged.setup_total, 'the new design has no paid setup of its own');
  const cancelled = await customer.request<{ refunded_gbp: number }>('POST', `/orders/${order.id}/cancel`);
  assert.equal(cancelled.body.refunded_gbp, order.charged.total);
  assert.equal((await customer.request('POST', `/orders/${next.id}/cancel`)).status, 200);
  assert.equal(await balancePence(at.service, customer), before);
});
