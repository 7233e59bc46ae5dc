import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { publicId } from '../../../../src/lib/ids.ts';
import type { CreatedOrder } from '../../../../src/orders/schema.ts';
import { runErasures } from '../../../../src/privacy/erase/worker.ts';
import type { ErasureReceipt } from '../../../../src/privacy/ops-schema.ts';
import { type Floor, openFloor, openShippingShop, parcelOf, type ShippingShop } from '../../../harness/floor.ts';
import { startTestService, type TestService } from '../../../harness/service.ts';
import { HOME, servePicture } from '../../../harness/shop.ts';
import { assertSound, balancePence, rows } from '../../../harness/written.ts';
import { createBrand } from '../../brands/brands.ts';
import { huntInDatabase } from '../hunt.ts';

// What happens to an order between the request and the day on which it can be erased.

let service: TestService;
let admin: Floor;
before(async () => {
  service = await startTestService({ role: 'api' });
  admin = await openFloor(service, 'admin');
});
after(async () => {
  await assertSound(service);
  await service.stop();
});

const erase = (shop: ShippingShop, body: object) =>
  admin.post<ErasureReceipt>(`/accounts/${publicId('acct', shop.accountId)}/erase`, body);

const receipt = async ({ id }: ErasureReceipt): Promise<ErasureReceipt> =>
  (await admin.request<ErasureReceipt>('GET', `/erasures/${id}`)).body;

/** Ships all that is left of an order. */
const shipAll = async (shop: ShippingShop, order: CreatedOrder, quantity: number): Promise<void> => {
  const shipped = await shop.ship(order, parcelOf(order, [quantity], { tracking_number: 'RM2' }));
  assert.equal(shipped.status, 201, shipped.text);
};

test('a replacement that is made meanwhile goes with the order that it replaces', async () => {
  const shop = await openShippingShop(service);
  const mark = 'whortleberry';
  const order = await shop.placeStarted([2], { shipping_address: { ...HOME, contact_name: `Ada ${mark}` } });
  const receiptOfRequest = await erase(shop, { order: order.id });
  assert.deepEqual([receiptOfRequest.state, receiptOfRequest.orders_waiting], ['in_progress', 1]);
  const first = await shop.ship(order, parcelOf(order, [1]));
  assert.equal(first.status, 201, first.text);
  const items = [{ line_id: order.items.lineItems[0]?.id, quantity: 1 }];
  const again = await admin.post(`/orders/${order.id}/replacement`, { items, reason: 'lost' }, 201);
  await shipAll(shop, order, 1);
  await runErasures(service.ctx);
  const waiting = await receipt(receiptOfRequest);
  assert.deepEqual([waiting.state, waiting.orders_erased, waiting.waiting_for], ['in_progress', 1, [again.reference]]);
  await admin.post(`/orders/${again.id}/cancel`, { reason: 'not wanted' });
  service.shiftMs(11 * 60_000);
  await runErasures(service.ctx);
  assert.equal((await receipt(receiptOfRequest)).state, 'done');
  assert.deepEqual(await huntInDatabase(service.ctx.database, mark), []);
});

test('an account that gets money back meanwhile keeps its name until it is paid out', async () => {
  const shop = await openShippingShop(service);
  const account = publicId('acct', shop.accountId);
  const order = await shop.place([1]);
  const balance = await balancePence(service, shop);
  const rest = { amount_gbp: balance / 100, reference: 'OUT-1', reason: 'leaves' };
  const proposed = await admin.post<{ id: string; status: string }>(`/accounts/${account}/withdrawals`, rest, 201);
  assert.equal(proposed.status, 'proposed');
  const second = await openFloor(service, 'finance');
  await second.post(`/books/entries/${proposed.id}/approve`, {});
  const first = await erase(shop, { whole_account: true });
  assert.deepEqual([first.state, first.orders_waiting], ['in_progress', 1]);
  await admin.post(`/orders/${order.id}/cancel`, { reason: 'closed' });
  const owed = await balancePence(service, shop);
  assert.ok(owed > 0);
  // What a customer is paid within a day counts together.
  service.shiftMs(25 * 3_600_000);
  await runErasures(service.ctx);
  const names = await rows<{ name: string }>(service, 'select name from account where id = $1', [shop.accountId]);
  assert.notEqual(names[0]?.name, 'erased', 'nothing would say whom to pay');
  const waiting = await receipt(first);
  assert.deepEqual([waiting.state, waiting.orders_erased], ['in_progress', 1]);
  assert.match(waiting.to_settle.join(), /^pay out its balance of £\d+\.\d\d \(/);
  await admin.post(`/accounts/${account}/withdrawals`, { ...rest, amount_gbp: owed / 100, reference: 'OUT-2' }, 201);
  await runErasures(service.ctx);
  const done = await receipt(first);
  assert.deepEqual([done.state, done.to_settle], ['done', []]);
});

test('an erasure that cannot be carried out holds up no other', async () => {
  const shop = await openShippingShop(service);
  const [stuck, next] = [await shop.placeStarted([1]), await shop.placeStarted([1])];
  const receipts = [await erase(shop, { order: stuck.id }), await erase(shop, { order: next.id })] as const;
  await service.ctx.database.script(
    `create function fail() returns trigger language plpgsql as $$ begin raise exception 'out of order'; end $$;
     create trigger fail before update of erased_at on orders for each row
       when (new.reference = '${stuck.reference}' and new.erased_at is not null) execute function fail()`,
  );
  for (const order of [stuck, next]) await shipAll(shop, order, 1);
  service.shiftMs(11 * 60_000);
  await assert.rejects(runErasures(service.ctx), /out of order/);
  assert.deepEqual([(await receipt(receipts[0])).state, (await receipt(receipts[1])).state], ['in_progress', 'done']);
  await service.ctx.database.script('drop trigger fail on orders; drop function fail');
  await runErasures(service.ctx);
  assert.equal((await receipt(receipts[0])).state, 'done');
});

test('an erased order gets no tracking number back by a correction', async () => {
  const shop = await openShippingShop(service);
  const order = await shop.placeStarted([1]);
  await shipAll(shop, order, 1);
  assert.equal((await erase(shop, { order: order.id })).orders_erased, 1);
  const [parcel] = (await shop.see(order)).shipments;
  const path = `/orders/${order.id}/shipments/${parcel?.id}`;
  const answer = await admin.request<{ code: string }>('PATCH', path, { tracking_number: 'LOGANBERRY' });
  assert.deepEqual([answer.status, answer.body.code], [409, 'conflict']);
  assert.deepEqual(await huntInDatabase(service.ctx.database, 'LOGANBERRY'), []);
});

test('what a receiver answered about an erased order is emptied, and what it answered about another is kept', async () => {
  const shop = await openShippingShop(service);
  const mark = 'boysenberry';
  const hook = await shop.request('POST', '/webhooks', {
    url: service.stranger.url('/echo'),
    events: ['order.created'],
  });
  assert.equal(hook.status, 201, hook.text);
  const [gone, kept] = [await shop.placeStarted([1]), await shop.placeStarted([1])];
  await shipAll(shop, gone, 1);
  const answered = () =>
    rows<{ reference: string; response_code: number; error: string }>(
      service,
      `select distinct o.reference, d.response_code, d.error from webhook_delivery d
       join event e on e.account_id = d.account_id and e.id = d.event_id join orders o on o.id = e.order_id
       where d.account_id = $1 and d.answer like '%${mark}%' order by 1`,
      [shop.accountId],
    );
  // As an attempt records a failure.
  await rows(
    service,
    `update webhook_delivery set state = 'retrying', attempts = 1, response_code = 500, error = 'It answered 500.', answer = $2
     where account_id = $1`,
    [shop.accountId, `We know no Ada ${mark}.`],
  );
  assert.equal((await answered()).length, 2);
  assert.equal((await erase(shop, { order: gone.id })).orders_erased, 1);
  assert.deepEqual(
    (await answered()).map(({ reference }) => reference),
    [kept.reference],
  );
  const [left] = await rows<{ count: number }>(
    service,
    `select count(*)::integer as count from webhook_delivery d join event e on e.account_id = d.account_id and e.id = d.event_id
     where d.account_id = $1 and e.order_id = (select id from orders where reference = $2) and d.response_code = 500 and d.error <> ''`,
    [shop.accountId, gone.reference],
  );
  assert.ok((left?.count ?? 0) > 0, 'that it failed, and how, is kept');
});

test('the brand of an order that is being made stays until that is erased; what no order has goes at once, logos with it', async () => {
  const shop = await openShippingShop(service);
  const mark = 'cloudberry';
  const logo = await servePicture(service, '/cloudberry.png', { widthPx: 61, heightPx: 23, colour: '#c0ffee' });
  const used = await createBrand(shop, { name: mark, message: `from ${mark}`, logo_url: logo, is_default: true });
  await createBrand(shop, { name: `${mark} two`, return_lines: [mark] });
  const order = await shop.placeStarted([1]);
  await shop.request('PATCH', `/brands/${used.id}`, { message: `later ${mark}`, logo_url: null });
  const [file] = await rows<{ hash: string }>(
    service,
    "select encode(logo_hash, 'hex') as hash from brand_revision where logo_hash is not null and account_id = $1",
    [shop.accountId],
  );
  const hash = file?.hash ?? assert.fail('no logo');
  const disclosed = await admin.request<{ account: { brands: { revisions: object[] }[] } }>(
    'POST',
    `/accounts/${publicId('acct', shop.accountId)}/export-person`,
    { whole_account: true },
  );
  assert.deepEqual(
    disclosed.body.account.brands.map(({ revisions }) => revisions.length).toSorted((a, b) => a - b),
    [1, 2],
  );

  await payOut(shop);
  const first = await erase(shop, { whole_account: true });
  assert.deepEqual([first.state, first.orders_waiting], ['in_progress', 1]);
  const kept = await rows<{ message: string }>(service, 'select message from brand_revision where account_id = $1', [
    shop.accountId,
  ]);
  assert.deepEqual(
    kept.map(({ message }) => message),
    [`from ${mark}`],
  );
  const slip = await admin.request('GET', `/orders/${order.id}/packing-slip`);
  assert.equal(slip.status, 200);

  await shipAll(shop, order, 1);
  service.shiftMs(11 * 60_000);
  await runErasures(service.ctx);
  assert.equal((await receipt(first)).state, 'done');
  assert.deepEqual(await huntInDatabase(service.ctx.database, mark), []);
  assert.equal(await service.ctx.blobs.has(hash), false);
  const [left] = await rows<object>(
    service,
    `select (select count(*) from brand where account_id = $1)::integer as brands,
       (select count(*) from orders where account_id = $1 and brand is not null)::integer as orders,
       (select default_brand_id from account where id = $1) as preferred`,
    [shop.accountId],
  );
  assert.deepEqual(left, { brands: 0, orders: 0, preferred: null });
});

/** Pays the balance of a shop out, by two operators. */
async function payOut(shop: ShippingShop): Promise<void> {
  const balance = await balancePence(service, shop);
  const path = `/accounts/${publicId('acct', shop.accountId)}/withdrawals`;
  const body = { amount_gbp: balance / 100, reference: `OUT-${shop.accountId}`, reason: 'leaves' };
  const proposed = await admin.post<{ id: string }>(path, body, 201);
  const second = await openFloor(service, 'finance');
  await second.post(`/books/entries/${proposed.id}/approve`, {});
}
