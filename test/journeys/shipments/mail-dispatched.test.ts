import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { linesOf, openShippingShop, parcelOf, type ShippingShop } from '../../harness/floor.ts';
import { openRole, type PortalClient } from '../../harness/portal.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { assertSound, rows } from '../../harness/written.ts';

let service: TestService;
let shop: ShippingShop;
let owner: PortalClient;
before(async () => {
  // Nothing is sent: what is recorded is looked at.
  service = await startTestService({
    role: 'api',
    env: { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'shop@print.example', SELLER_NAME: 'Harbour Press' },
  });
  shop = await openShippingShop(service);
  owner = await openRole(service, 'owner', shop.accountId);
});
after(async () => {
  try {
    await assertSound(service);
  } finally {
    await service.stop();
  }
});

const want = async (person: PortalClient, isWanted: boolean): Promise<void> => {
  const body = { wants: { order_dispatched: isWanted } };
  const path = `/notifications/${person.session.user.id}`;
  assert.equal((await person.request('PATCH', path, { body })).status, 200);
};

const mailed = async (order: { reference: string }): Promise<readonly string[]> => {
  const found = await rows<{ recipient: string }>(
    service,
    "select recipient from mail where kind = 'order_dispatched' and once_key like '%' || $1 || '%' order by id",
    [order.reference],
  );
  return found.map(({ recipient }) => recipient);
};

test('no one gets a mail for each dispatched order until they choose to', async () => {
  const order = await shop.placeStarted([1]);
  assert.equal((await shop.ship(order, parcelOf(order, [1]))).status, 201);
  assert.deepEqual(await mailed(order), []);
});

test('who has chosen to gets one with the last parcel, and none for a parcel that is refused', async () => {
  const orders = await openRole(service, 'orders', shop.accountId);
  const elsewhere = await openRole(service, 'owner');
  for (const person of [orders, elsewhere]) await want(person, true);
  const order = await shop.placeStarted([2]);
  assert.equal((await shop.ship(order, parcelOf(order, [1]))).status, 201);
  assert.deepEqual(await mailed(order), [], 'the last parcel is still to come');
  assert.equal((await shop.ship(order, parcelOf(order, [2]))).status, 422);
  assert.deepEqual(await mailed(order), []);
  const last = () => shop.ship(order, parcelOf(order, [1]), 'the-last-parcel');
  assert.deepEqual([(await last()).status, (await last()).status], [201, 201], 'the same request again');
  assert.deepEqual(await mailed(order), [orders.person.email]);
  await want(orders, false);
});

test('an order whose last open pieces are cancelled is dispatched, too', async () => {
  await want(owner, true);
  const admin = await service.openOperator('admin');
  const order = await shop.placeStarted([2]);
  assert.equal((await shop.ship(order, parcelOf(order, [1]))).status, 201);
  const cancel = { items: [{ line_id: linesOf(order)[0], quantity: 1 }], reason: 'It cannot be made.' };
  assert.equal((await admin.request('POST', `/orders/${order.id}/cancel`, cancel)).status, 200);
  assert.deepEqual(await mailed(order), [owner.person.email]);
  await want(owner, false);
});

test('people of a suspended account get none', async () => {
  await want(owner, true);
  const order = await shop.placeStarted([1]);
  await rows(service, 'update account set suspended_at = now() where id = $1', [shop.accountId]);
  try {
    assert.equal((await shop.ship(order, parcelOf(order, [1]))).status, 201);
    assert.deepEqual(await mailed(order), []);
  } finally {
    await rows(service, 'update account set suspended_at = null where id = $1', [shop.accountId]);
  }
});
