import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { creditAccount } from '../../src/billing/credit-account.ts';
import { pence } from '../../src/lib/money.ts';
import type { OpsOrder } from '../../src/orders/ops-schema.ts';
import type { CreatedOrder, Order } from '../../src/orders/schema.ts';
import { settleWaitingOrders } from '../../src/payments/settle-waiting.ts';
import { eventually } from '../harness/context.ts';
import { openSecondConnection, type SecondConnection } from '../harness/second-connection.ts';
import { type Customer, type OperatorClient, startTestService, type TestService } from '../harness/service.ts';
import { addProduct, HOME, TEE_WHITE_M } from '../harness/shop.ts';

// What clients at once have shown: whoever waits for an order knows an older time than those who were there before.

let service: TestService;
let second: SecondConnection;
let operator: OperatorClient;
before(async () => {
  service = await startTestService();
  second = await openSecondConnection(service.database);
  operator = await service.openOperator();
});
after(async () => {
  await second.close();
  await service.stop();
});

async function place(customer: Customer): Promise<CreatedOrder> {
  const items = [
    { product_id: await addProduct(service, customer, 'TEE-CLASSIC'), variant_sku: TEE_WHITE_M, quantity: 1 },
  ];
  const placed = await customer.request<CreatedOrder>('POST', '/orders', { items, shipping_address: HOME });
  assert.equal(placed.status, 201, placed.text);
  return placed.body;
}

async function ops(path: string, body?: object, key = randomUUID()): Promise<OpsOrder> {
  const answer = await operator.request<OpsOrder>('POST', path, body, { 'idempotency-key': key });
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

/** An order's history is told in the order in which things happened, each later than the one before. */
async function assertInOrder(id: string, actions: readonly string[]): Promise<void> {
  const { body } = await operator.request<OpsOrder>('GET', `/orders/${id}`);
  const { history } = body;
  assert.deepEqual(
    history.map(({ action }) => action),
    actions,
  );
  const times = history.map(({ at }) => at);
  assert.deepEqual(times, [...new Set(times)].toSorted(), 'each move is later than the one before');
  assert.equal(body.updated_at, times.at(-1));
}

test('3.1 an operator who had to wait for another is seen as later: the history reads in its order, and whoever asks for what has changed since finds it', async () => {
  const { customer } = service;
  const { id } = await place(customer);
  const key = randomUUID();
  await second.query('begin');
  await second.query(
    `insert into operator_action (id, operator_id, action, detail, idempotency_key, request_hash, created_at)
     values ($1, $2, 'wait', '{}', $3, '', now())`,
    [randomUUID(), operator.id, key],
  );
  // The hold is on its way, and waits for its key; the promotion comes later and is done first.
  const holding = ops(`/orders/${id}/hold`, { reason: 'The address.' }, key);
  await second.untilWaiting(1);
  const promoted = await ops(`/orders/${id}/promote`);
  await second.query('rollback');
  assert.equal((await holding).state, 'on_hold');
  await assertInOrder(id, ['place', 'promote', 'hold']);
  const since = encodeURIComponent(promoted.updated_at);
  await eventually('the hold is among what has changed since', async () => {
    const { body } = await customer.request<{ data: Order[] }>('GET', `/orders?updated_since=${since}`);
    return body.data.find((order) => order.id === id)?.hold !== null;
  });
});

test('3.1 a top-up that had to wait for an order pays it later than what was done to it meanwhile', async () => {
  const customer = await service.openCustomer();
  const { id } = await place(customer);
  const { accountId } = customer;
  await creditAccount(service.ctx, { accountId, amountPence: pence(100_000), reference: '' });
  await second.query('begin');
  await second.query('select 1 from orders where account_id = $1 for update', [accountId]);
  const settling = settleWaitingOrders(service.ctx, accountId);
  await second.untilWaiting(1);
  // Somebody changes the order at a time that the top-up does not know of.
  await second.query("update orders set updated_at = updated_at + interval '1 minute' where account_id = $1", [
    accountId,
  ]);
  await second.query(
    `insert into order_history (order_id, id, account_id, action, from_state, to_state, actor, created_at)
     select id, gen_random_uuid(), account_id, 'change_address', state, state, 'system', updated_at from orders
     where account_id = $1`,
    [accountId],
  );
  await second.query('commit');
  assert.equal(await settling, 1);
  await assertInOrder(id, ['place', 'change_address', 'settle']);
});
