import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { OpsOrder } from '../../../src/orders/ops-schema.ts';
import type { Cancellation } from '../../../src/refunds/schema.ts';
import { count, type Floor, openFloor, placeOrder, ship, untilReady } from '../../harness/floor.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { problemsOf, TEE_WHITE_M, teeItem } from '../../harness/shop.ts';
import { assertSound, balancePence, eventsOf, levelOf, rows } from '../../harness/written.ts';

let service: TestService;
let floor: Floor;
before(async () => {
  service = await startTestService();
  floor = await openFloor(service);
  await count(floor, TEE_WHITE_M, 1_000);
});
after(async () => {
  try {
    await assertSound(service);
  } finally {
    await service.stop();
  }
});

/** An order of some lines, each started, and so many pieces of the first shipped. */
async function shipped(quantity: number, pieces: number): Promise<OpsOrder> {
  const order = await placeOrder(service, {
    items: [teeItem(service, { quantity })],
    metadata: { shop: '7' },
    notes: 'gift',
  });
  await floor.post(`/orders/${order.id}/promote`);
  const ready = await untilReady(floor, order.id);
  const line = ready.lines[0]?.id;
  await floor.post(`/orders/${order.id}/lines/${line}/start`);
  return ship(floor, order.id, [{ line_id: line, quantity: pieces }]);
}

const lineOf = (order: OpsOrder): string => order.lines[0]?.id ?? assert.fail('no line');
const replace = (order: OpsOrder, quantity: number, headers: Record<string, string> = {}) =>
  floor.request(
    'POST',
    `/orders/${order.id}/replacement`,
    { items: [{ line_id: lineOf(order), quantity }], reason: 'lost in the post' },
    headers,
  );

test('shipped pieces are made again: a linked order at a total of 0, same address and artwork, no charge, no posting, no setup', async () => {
  const order = await shipped(3, 3);
  const balance = await balancePence(service, service.customer);
  const before = await rows(
    service,
    'select (select count(*) from posting) as postings, (select count(*) from setup_reliance) as setups',
  );
  const answer = await replace(order, 2);
  assert.equal(answer.status, 201, answer.text);
  const made = answer.body;
  assert.deepEqual(
    [made.source, made.state, made.total, made.paid_gbp, made.due_gbp, made.payment_status, made.replaces?.id],
    ['replacement', 'placed', 0, 0, 0, 'paid', order.id],
  );
  assert.deepEqual([made.shipping_address, made.metadata, made.notes], [order.shipping_address, { shop: '7' }, 'gift']);
  assert.deepEqual(
    made.lines.map(({ variant_sku, quantity, unit_price, artwork_ready, print_jobs }) => [
      variant_sku,
      quantity,
      unit_price,
      artwork_ready,
      print_jobs.map(({ area, method }) => [area, method]),
    ]),
    [[TEE_WHITE_M, 2, 0, true, [['front', 'dtg']]]],
  );
  assert.equal(await balancePence(service, service.customer), balance);
  assert.deepEqual(
    await rows(
      service,
      'select (select count(*) from posting) as postings, (select count(*) from setup_reliance) as setups',
    ),
    before,
  );
  const after = await floor.request('GET', `/orders/${order.id}`);
  assert.deepEqual(after.body.replaced_by, [{ id: made.id, reference: made.reference }]);
  const { action, reason } = after.body.history.at(-1) ?? assert.fail('no history');
  assert.deepEqual([action, reason], ['replace', `${made.reference}: lost in the post`]);
  const [event] = await rows<{ data: object }>(
    service,
    'select e.data from event e join orders o on o.id = e.order_id where o.reference = $1',
    [made.reference],
  );
  assert.deepEqual(event?.data, {
    order_id: made.id,
    reference: made.reference,
    external_reference: '',
    status: 'confirmed',
    total: 0,
    currency: 'GBP',
    item_count: 1,
  });
});

test('a replacement is worked as any other order, up to its parcel', async () => {
  const { body: made } = await replace(await shipped(2, 2), 2);
  const before = await levelOf(service, TEE_WHITE_M);
  await floor.post(`/orders/${made.id}/promote`);
  await floor.post(`/orders/${made.id}/lines/${lineOf(made)}/start`);
  assert.deepEqual(await levelOf(service, TEE_WHITE_M), { ...before, on_hand: before.on_hand - 2 });
  const sent = await ship(floor, made.id, [{ line_id: lineOf(made), quantity: 2 }]);
  assert.equal(sent.state, 'dispatched');
  assert.deepEqual(await eventsOf(service, made), [
    'order.created',
    'order.in_production',
    'order.shipment_created',
    'order.dispatched',
  ]);
  assert.equal((await replace(sent, 1)).status, 201, 'and is made again itself when it is lost too');
});

test('its owner may cancel it within the window: nothing is given back, and the pieces may be made again', async () => {
  const order = await shipped(1, 1);
  const { body: made } = await replace(order, 1);
  const balance = await balancePence(service, service.customer);
  const answer = await service.customer.request<Cancellation>('POST', `/orders/${made.id}/cancel`);
  assert.deepEqual([answer.status, answer.body.refunded_gbp], [200, 0]);
  assert.equal(await balancePence(service, service.customer), balance);
  assert.equal((await replace(order, 1)).status, 201);
});

test('no more pieces are made again than were shipped, over all replacements, also when two come at once', async () => {
  const order = await shipped(5, 3);
  const over = await replace(order, 4);
  assert.deepEqual([over.status, problemsOf(over as never)], [422, ['items[0].quantity out_of_bounds']]);
  const answers = await Promise.all([replace(order, 2), replace(order, 2), replace(order, 2)]);
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [201, 422, 422],
  );
  assert.equal((await replace(order, 1)).status, 201);
  assert.equal((await replace(order, 1)).status, 422);
});

test('the same request twice under one Idempotency-Key makes one replacement, and both answers show it', async () => {
  const order = await shipped(4, 4);
  const key = { 'idempotency-key': `lost ${order.id}`.replaceAll(' ', '-') };
  const answers = await Promise.all([replace(order, 1, key), replace(order, 1, key)]);
  assert.deepEqual(
    answers.map(({ status }) => status),
    [201, 201],
  );
  assert.equal(answers[0]?.body.id, answers[1]?.body.id);
  assert.equal((await replace(order, 2, key)).status, 409);
  assert.equal((await floor.request('GET', `/orders/${order.id}`)).body.replaced_by.length, 1);
});

test('a line of another order, one named twice, or nothing at all is refused, and nothing is made', async () => {
  const [order, other] = [await shipped(2, 1), await shipped(1, 1)];
  const orders = await rows(service, 'select count(*) as count from orders');
  const send = (items: unknown, reason: unknown = 'lost') =>
    floor.request('POST', `/orders/${order.id}/replacement`, { items, reason });
  const line_id = lineOf(order);
  const unknown = await send([{ line_id: lineOf(other), quantity: 1 }]);
  assert.deepEqual([unknown.status, problemsOf(unknown as never)], [422, ['items[0].line_id unknown_line']]);
  const twice = await send([
    { line_id, quantity: 1 },
    { line_id, quantity: 1 },
  ]);
  assert.deepEqual([twice.status, problemsOf(twice as never)], [422, ['items[1].line_id duplicate']]);
  for (const wrong of [[], [{ line_id }], [{ line_id, quantity: 0 }], [{ line_id: 'nothing', quantity: 1 }]]) {
    assert.equal((await send(wrong)).status, 422);
  }
  assert.equal((await send([{ line_id, quantity: 1 }], '')).status, 422);
  assert.equal(
    (await floor.request('POST', '/orders/PF-22222222/replacement', { items: [{ line_id, quantity: 1 }], reason: 'x' }))
      .status,
    404,
  );
  assert.deepEqual(await rows(service, 'select count(*) as count from orders'), orders);
});
