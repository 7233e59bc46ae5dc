import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { newId } from '../../../src/lib/ids.ts';
import { silentLog } from '../../../src/lib/log.ts';
import type { OpsOrder } from '../../../src/orders/ops-schema.ts';
import type { Order } from '../../../src/orders/schema.ts';
import { setPaymentMethod } from '../../../src/payments/method.ts';
import type { Cancellation } from '../../../src/refunds/schema.ts';
import { eventually } from '../../harness/context.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/database.ts';
import { type Call, type FakeProvider, type Fault, startProvider } from '../../harness/provider.ts';
import { type OperatorClient, startTestService, type TestService } from '../../harness/service.ts';
import { newReference, openShop, type Shop } from '../../harness/shop.ts';
import { assertSound, balancePence, rows } from '../../harness/written.ts';

// The payment provider's keys are taken away while charges are under way: a service that had them, and one that has
// not, on the same database.

let provider: FakeProvider;
let database: TestDatabase;
let service: TestService;
let without: TestService;
let finance: OperatorClient;
let withKeys: OperatorClient;
const warnings: { fields: object; message: string }[] = [];
before(async () => {
  provider = await startProvider();
  database = await createTestDatabase();
  service = await startTestService({ role: 'api', env: provider.env, database });
  const left = await leftOpen('confirm', '500');
  const warn = (fields: object, message: string): void => {
    if ('attempts' in fields) warnings.push({ fields, message });
  };
  without = await startTestService({ database, log: { ...silentLog, warn } });
  finance = await without.openOperator('finance');
  withKeys = await service.openOperator('finance');
  await eventually('the service says what it leaves', async () => warnings.length > 0);
  assert.deepEqual(warnings[0]?.fields, { attempts: 1, orders: [left.order.reference] });
  await finance.request('POST', left.path, { outcome: 'failed', reason: 'Looked up with the provider.' });
});
afterEach(() => assertSound(service));
after(async () => {
  await without.stop();
  await service.stop();
  await provider.close();
  await database.drop();
});

type Left = { readonly shop: Shop; readonly order: OpsOrder; readonly path: string };

/** An order of a customer with 400 pence and a card, whose charge was left without an end. */
async function leftOpen(call: Call, fault: Fault): Promise<Left> {
  const { totalPence } = await openShop(service, 0);
  const shop = { ...(await openShop(service, 0, 400)), totalPence };
  const reference = `pm_${newReference().replaceAll(/[^a-z0-9]/g, '')}`;
  await setPaymentMethod(service.ctx, { accountId: shop.customer.accountId, kind: 'card', reference });
  provider.fail(call, fault);
  const placed = await shop.order();
  assert.equal(placed.body.payment_status, 'processing', placed.text);
  const operator = await service.openOperator('finance');
  const order = (await operator.request<OpsOrder>('GET', `/orders/${placed.body.id}`)).body;
  return { shop, order, path: `/orders/${order.id}/payment-attempts/${order.payment_attempts[0]?.id}/resolve` };
}

const resolve = (left: Left, outcome: string, by = finance, key: string = newId()) =>
  by.request<OpsOrder & { code?: string; detail?: string }>(
    'POST',
    left.path,
    { outcome, reason: 'Looked up with the provider.' },
    { 'idempotency-key': key },
  );

/** A customer's request to the service that has no keys. */
async function ask<Body>(shop: Shop, method: string, path: string): Promise<{ status: number; body: Body }> {
  const headers = { authorization: `Bearer ${shop.customer.token}` };
  const response = await fetch(`${without.url}/api/v1${path}`, { method, headers });
  return { status: response.status, body: (await response.json()) as Body };
}

const eventsOf = (left: Left) =>
  rows<{ event: string; data: Record<string, unknown> }>(
    service,
    'select e.event, e.data from event e join orders o on o.id = e.order_id where o.reference = $1 order by e.sequence',
    [left.order.reference],
  );

test('a service without keys says at its start how many payments are left, and of which orders', () => {
  assert.match(warnings[0]?.message ?? '', /^STRIPE_SECRET_KEY is not set, and payments are under way/);
});

test('a cancel of such an order is 502 and says what to do; ended as failed by hand, the order waits on and can be cancelled', async () => {
  const left = await leftOpen('confirm', '500');
  const refused = await ask<{ code: string; detail: string }>(left.shop, 'POST', `/orders/${left.order.id}/cancel`);
  assert.deepEqual([refused.status, refused.body.code], [502, 'refund_failed']);
  assert.match(refused.body.detail, /contact support\.$/);
  const byOps = await finance.request('POST', `/orders/${left.order.id}/cancel`, { reason: 'They asked.' });
  assert.deepEqual([byOps.status, byOps.body.code], [502, 'refund_failed']);
  assert.ok(byOps.body.detail.includes(left.path), byOps.body.detail);

  const ended = await resolve(left, 'failed');
  assert.equal(ended.status, 200, ended.text);
  assert.deepEqual([ended.body.payment_status, ended.body.payment_attempts[0]?.state], ['failed', 'failed']);
  const move = ended.body.history.at(-1);
  assert.deepEqual(
    [move?.action, move?.actor, move?.reason],
    ['payment_failed', `operator ${finance.email}`, 'Looked up with the provider.'],
  );
  const [told] = await eventsOf(left);
  assert.equal(told?.event, 'order.payment_failed');
  assert.equal(told?.data.reason, 'The payment did not take place.', 'what the operator wrote stays in the shop');
  const cancelled = await ask<Cancellation>(left.shop, 'POST', `/orders/${left.order.id}/cancel`);
  assert.deepEqual([cancelled.status, cancelled.body.refunded_gbp], [200, 4]);
  assert.equal(await balancePence(service, left.shop.customer), 400);
});

test('ended as succeeded by hand, the order is paid and announced once, in the audit log with who and why', async () => {
  const left = await leftOpen('confirm', '500 after');
  const ended = await resolve(left, 'succeeded', finance, 'end-1');
  assert.deepEqual([ended.status, ended.body.payment_status, ended.body.state], [200, 'paid', 'placed'], ended.text);
  assert.equal((await resolve(left, 'succeeded', finance, 'end-1')).status, 200, 'a repeat of the same does nothing');
  const again = await resolve(left, 'failed', finance);
  assert.deepEqual([again.status, again.body.code], [409, 'conflict']);
  assert.deepEqual(
    (await eventsOf(left)).map(({ event }) => event),
    ['order.created'],
  );
  const log = await finance.request<{ data: { action: string; operator: string; detail: object }[] }>(
    'GET',
    `/audit?order=${left.order.id}`,
  );
  assert.deepEqual(
    log.body.data.map(({ action, operator, detail }) => ({ action, operator, detail })),
    [
      {
        action: 'resolve_payment',
        operator: finance.email,
        detail: {
          attempt_id: left.order.payment_attempts[0]?.id,
          outcome: 'succeeded',
          reason: 'Looked up with the provider.',
        },
      },
    ],
  );
  const view = (await ask<Order>(left.shop, 'GET', `/orders/${left.order.id}`)).body;
  assert.deepEqual(
    view.charges.map(({ method }) => method),
    ['balance', 'card'],
  );
});

test('an attempt that was never begun with the provider has taken no money: it cannot have succeeded', async () => {
  const left = await leftOpen('create', '500');
  const refused = await resolve(left, 'succeeded');
  assert.deepEqual([refused.status, refused.body.code], [409, 'conflict']);
  assert.match(refused.body.detail ?? '', /it can only have failed/);
  assert.equal((await resolve(left, 'failed')).body.payment_status, 'failed');
});

test('money that was taken although the attempt was ended as failed is found by the next callback, and pays the order', async () => {
  const left = await leftOpen('confirm', '500 after');
  await resolve(left, 'failed');
  const intent = provider.intents.at(-1);
  const { body, headers } = provider.callback('payment_intent.succeeded', { id: intent?.id });
  assert.equal((await fetch(`${service.url}/hooks/stripe`, { method: 'POST', headers, body })).status, 200);
  assert.equal((await ask<Order>(left.shop, 'GET', `/orders/${left.order.id}`)).body.payment_status, 'paid');
});

test('where the provider can be asked its word counts, and not that of the operator', async () => {
  const left = await leftOpen('confirm', '500 after');
  const refused = await resolve(left, 'failed', withKeys);
  assert.deepEqual([refused.status, refused.body.code], [409, 'conflict'], refused.text);
  assert.equal((await ask<Order>(left.shop, 'GET', `/orders/${left.order.id}`)).body.payment_status, 'paid');
});

test('by two operators at once it is ended once; production may not, and an attempt of another order is not found', async () => {
  const [left, other] = [await leftOpen('confirm', '500'), await leftOpen('confirm', '500')];
  const production = await without.openOperator('production');
  assert.equal((await resolve(left, 'failed', production)).status, 403);
  for (const path of [
    `/orders/${left.order.id}/payment-attempts/${other.order.payment_attempts[0]?.id}/resolve`,
    `/orders/${left.order.id}/payment-attempts/pay_01h455vb4pex5vsknk084sn02q/resolve`,
    `/orders/${left.order.id}/payment-attempts/nonsense/resolve`,
    `/orders/ord_01h455vb4pex5vsknk084sn02q/payment-attempts/${left.order.payment_attempts[0]?.id}/resolve`,
  ]) {
    const refused = await finance.request('POST', path, { outcome: 'failed', reason: 'Not this one.' });
    assert.deepEqual([refused.status, refused.body.code], [404, 'not_found'], path);
  }
  for (const body of [{ outcome: 'failed' }, { outcome: 'perhaps', reason: 'x' }, { outcome: 'failed', reason: ' ' }]) {
    assert.equal((await finance.request('POST', left.path, body)).status, 422);
  }
  const answers = await Promise.all(['failed', 'succeeded', 'failed'].map((outcome) => resolve(left, outcome)));
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [200, 409, 409],
  );
  assert.equal((await eventsOf(left)).length, 1);
  assert.equal((await resolve(other, 'failed')).status, 200);
});
