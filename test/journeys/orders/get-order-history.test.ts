import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { creditAccount } from '../../../src/billing/credit-account.ts';
import { publicId } from '../../../src/lib/ids.ts';
import { pence } from '../../../src/lib/money.ts';
import type { OrderHistory } from '../../../src/orders/own-history/own-history-schema.ts';
import type { CreatedOrder } from '../../../src/orders/schema.ts';
import { runErasures } from '../../../src/privacy/erase/worker.ts';
import { sweepNow } from '../../../src/privacy/retention/sweep.ts';
import {
  closeWindow,
  count,
  type Floor,
  linesOf,
  openFloor,
  parcelOf,
  placeOrder,
  ship,
  TOTE,
} from '../../harness/floor.ts';
import { openRole, type PortalClient } from '../../harness/portal.ts';
import { type Customer, startTestService, type TestService } from '../../harness/service.ts';
import { addProduct, HOME, openShop } from '../../harness/shop.ts';
import { rows } from '../../harness/written.ts';

let service: TestService;
let floor: Floor;
let customer: Customer;
let reader: PortalClient;
let productId: string;
before(async () => {
  service = await startTestService({ role: 'api' });
  floor = await openFloor(service, 'admin');
  customer = await service.openCustomer({ balancePence: 10_000_000 });
  reader = await openRole(service, 'reader', customer.accountId);
  productId = await addProduct(service, customer, 'TOTE-COTTON');
  await count(floor, TOTE, 1_000);
});
after(() => service.stop());

const DAY_MS = 86_400_000;

async function place(quantities: readonly number[] = [2]): Promise<CreatedOrder> {
  const items = quantities.map((quantity) => ({ product_id: productId, variant_sku: TOTE, quantity, print_jobs: [] }));
  return placeOrder(service, { items }, customer);
}

async function historyOf(order: { reference: string }, by = reader): Promise<OrderHistory> {
  const answer = await by.request<OrderHistory>('GET', `/orders/${order.reference}/history`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

/** What happened, the first first. */
const stepsOf = async (order: { reference: string }, by = reader): Promise<string[]> =>
  (await historyOf(order, by)).data.map((move) => `${move.kind} by ${move.by}`).toReversed();

/** What only the shop may read: it stands in each note of this test. */
const INNER = 'inner matter of the shop';

test('each step from placing to dispatch is there after 31 days, when the events of it are not; nothing of the shop’s own', async () => {
  const order = await place([2, 1]);
  const of = `/orders/${order.reference}`;
  const [first = ''] = linesOf(order);
  await floor.post(`${of}/hold`, { reason: 'The street has no number.' });
  const address = await customer.request('PATCH', `${of}/address`, { line1: '14 Mill Lane' });
  assert.equal(address.status, 200, address.text);
  await floor.post(`${of}/resume`);
  await floor.post(`${of}/promote`);
  await floor.post(`${of}/lines/${first}/start`);
  await floor.post(`${of}/lines/${first}/pause`, { reason: 'The ink has run out.' });
  await floor.post(`${of}/lines/${first}/resume`);
  await floor.post(`${of}/lines/${first}/spoil`, { quantity: 1, reason: INNER });
  await floor.post(`${of}/cancel`, { reason: INNER, items: [{ line_id: linesOf(order)[1], quantity: 1 }] });
  const sent = await ship(floor, order.id, parcelOf(order, [2]).items);
  const tracking = await floor.request('PATCH', `${of}/shipments/${sent.shipments[0]?.id}`, {
    tracking_number: 'NEW-1',
  });
  assert.equal(tracking.status, 200, tracking.text);
  await floor.post(`${of}/refunds`, { amount_gbp: 1, reason: INNER });
  await floor.post(`${of}/replacement`, { items: [{ line_id: first, quantity: 1 }], reason: INNER }, 201);
  const steps = [
    'placed by customer',
    'held by shop',
    'address_changed by customer',
    'resumed by shop',
    'confirmed by shop',
    'in_production by shop',
    'line_held by shop',
    'line_resumed by shop',
    'pieces_cancelled by shop',
    'dispatched by shop',
    'tracking_corrected by shop',
    'remade by shop',
  ];
  assert.deepEqual(await stepsOf(order), steps);
  service.shiftMs(31 * DAY_MS);
  await sweepNow(service.ctx);
  // The session has ended, too.
  reader = await openRole(service, 'reader', customer.accountId);
  const events = await customer.request<{ data: object[] }>('GET', `/events?order=${order.reference}`);
  assert.deepEqual(events.body.data, [], 'the log has ended');
  const { data, is_whole: isWhole } = await historyOf(order);
  assert.deepEqual([await stepsOf(order), isWhole], [steps, true]);
  assert.deepEqual(
    data.filter(({ reason }) => reason !== '').map(({ kind, reason, line_id: line }) => [kind, reason, line]),
    [
      ['line_held', 'The ink has run out.', first],
      ['held', 'The street has no number.', null],
    ],
  );
  const text = JSON.stringify(data);
  for (const secret of [INNER, floor.email, 'operator', 'Mill Lane']) assert.ok(!text.includes(secret), secret);
  assert.deepEqual(
    data.map(({ at }) => at),
    data
      .map(({ at }) => at)
      .toSorted()
      .toReversed(),
  );
});

test('a waiting order that is paid later, and requests to cancel with their answers', async () => {
  const poor = await openShop(service, 0);
  const order = (await poor.order()).body;
  const owner = await openRole(service, 'owner', poor.customer.accountId);
  assert.deepEqual(await stepsOf(order, owner), ['placed by customer']);
  await creditAccount(service.ctx, {
    accountId: poor.customer.accountId,
    amountPence: pence(poor.totalPence),
    reference: 'top-up of the waiting order',
  });
  const finance = await openFloor(service, 'finance');
  const settled = await finance.request('POST', `/orders/${order.id}/settle`, undefined, {
    'idempotency-key': 'settle',
  });
  assert.ok([200, 409].includes(settled.status), settled.text);
  assert.equal((await stepsOf(order, owner)).at(-1)?.split(' ')[0], 'paid');

  const asked = await place();
  await closeWindow(service, asked);
  const request = (method: string, body?: object) =>
    customer.request(method, `/orders/${asked.id}/cancellation-request`, body);
  assert.equal((await request('POST', { reason: 'takes_too_long', text: 'By Friday.' })).status, 201);
  assert.ok((await request('DELETE')).status < 300);
  assert.equal((await request('POST', { reason: 'other', text: 'By Saturday, then.' })).status, 201);
  const tasks = await floor.request<{ data: { id: string; order: { id: string } }[] }>(
    'GET',
    '/cancellation-requests?limit=100',
  );
  const open = tasks.body.data.find((one) => one.order.id === asked.id);
  await floor.post(`/cancellation-requests/${open?.id}/refuse`, { message: 'It is packed.' });
  assert.deepEqual(await stepsOf(asked), [
    'placed by customer',
    'cancel_asked by customer',
    'cancel_withdrawn by customer',
    'cancel_asked by customer',
    'cancel_refused by shop',
  ]);
  await floor.post(`/orders/${asked.id}/cancel`, { reason: INNER });
  assert.equal((await stepsOf(asked)).at(-1), 'cancelled by shop');
  assert.ok(!JSON.stringify(await historyOf(asked)).includes(INNER));
});

test('a cancel of its own, and what an erasure leaves', async () => {
  const order = await place();
  await floor.post(`/orders/${order.reference}/hold`, { reason: 'Ada Byron has no street number.' });
  assert.equal((await customer.request('POST', `/orders/${order.id}/cancel`)).status, 200);
  const steps = ['placed by customer', 'held by shop', 'cancelled by customer'];
  assert.deepEqual(await stepsOf(order), steps);
  const erased = await floor.request('POST', `/accounts/${publicId('acct', customer.accountId)}/erase`, {
    order: order.reference,
    reason: 'Asked.',
  });
  assert.equal(erased.status, 200, erased.text);
  await runErasures(service.ctx);
  assert.deepEqual(await stepsOf(order), steps);
  assert.ok(!JSON.stringify(await historyOf(order)).includes('Ada'));
});

test('a long history is cut to its latest steps, and says so', async () => {
  const order = await place();
  await rows(
    service,
    `insert into order_history (account_id, order_id, id, action, from_state, to_state, actor, reason, created_at)
     select h.account_id, h.order_id, gen_random_uuid(), 'change_address', 'placed', 'placed', 'customer', '', h.created_at
     from order_history h join orders o on o.id = h.order_id, generate_series(1, 250) where o.reference = $1`,
    [order.reference],
  );
  const { data, is_whole: isWhole } = await historyOf(order);
  assert.deepEqual([data.length, isWhole], [200, false]);
});

test('another account’s order and an unknown one are the same 404', async () => {
  const order = await placeOrder(service, { shipping_address: HOME });
  const theirs = await reader.request('GET', `/orders/${order.reference}/history`);
  const byId = await reader.request('GET', `/orders/${order.id}/history`);
  const unknown = await reader.request('GET', '/orders/PF-22222222/history');
  assert.deepEqual([theirs.status, byId.status, unknown.status], [404, 404, 404]);
  const anonymous = ({ text }: { text: string }): string => text.replace(/req_\w+/g, '');
  assert.deepEqual([anonymous(theirs), anonymous(byId)], [anonymous(unknown), anonymous(unknown)]);
});
