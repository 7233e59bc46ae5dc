import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { OrderFile } from '../../../src/checkout/order-files/order-file-schema.ts';
import { runOrderFiles } from '../../../src/checkout/order-files/run-order-files.ts';
import { claimFile } from '../../../src/checkout/order-files/work-sql.ts';
import { newId, parseId, publicId, type Uuid } from '../../../src/lib/ids.ts';
import { eraseOrder } from '../../../src/privacy/erase/erase-order.ts';
import type { TestService } from '../../harness/service.ts';
import { balancePence, booksOf, rows } from '../../harness/written.ts';
import { createBrand } from '../brands/brands.ts';
import { confirm, entriesOf, type FileShop, HEADINGS, openFileService, rowOf, takenOn, upload } from './order-files.ts';

let service: TestService;
let openShop: () => Promise<FileShop>;
before(async () => {
  ({ service, openShop } = await openFileService());
});
after(() => service.stop());

const fileOf = (shop: FileShop, numbers: readonly string[]): string =>
  [HEADINGS, ...numbers.map((number) => rowOf(shop, number))].join('\n');

async function resultOf({ person, service: { url } }: FileShop, id: string, which: string): Promise<string> {
  const headers = { cookie: `platen_session=${person.secret}` };
  const answer = await fetch(`${url}/portal/api/v1/order-files/${id}/rows?rows=${which}`, { headers });
  assert.equal(answer.status, 200);
  return answer.text();
}

test('a confirmed plan is placed once, at the sum that was shown; the rest is mended and uploaded again', async () => {
  const shop = await openShop();
  const before = await balancePence(service, shop.customer);
  const content = [fileOf(shop, ['P-1', 'P-2', 'P-3']), rowOf(shop, 'P-4', { quantity: '0' })].join('\n');
  const uploaded = await upload(shop, content);
  const early = await confirm(shop, uploaded);
  assert.equal(early.status, 409, 'not while orders are checked');
  const checked = await takenOn(shop, uploaded);
  assert.deepEqual(
    (await confirm(shop, { ...checked, plan: checked.plan + 1 })).status,
    409,
    'only the plan that was shown',
  );
  const both = await Promise.all([confirm(shop, checked), confirm(shop, checked)]);
  assert.deepEqual(
    both.map(({ status }) => status),
    [200, 200],
  );
  const done = await takenOn(shop, checked);
  assert.deepEqual(
    [done.status, done.counts.placed, done.counts.wrong, done.placed_total],
    ['placed', 3, 1, checked.total],
  );
  assert.equal(before - (await balancePence(service, shop.customer)), Math.round(checked.total * 100));
  const sources = 'select distinct source from orders where account_id = $1';
  assert.deepEqual(await rows(service, sources, [shop.customer.accountId]), [{ source: 'portal' }]);
  const open = await resultOf(shop, done.id, 'open');
  assert.match(open, /^external_reference,.*,Platen status,Platen order,Platen problem\r\nP-4,/);
  assert.match(open, /wrong,,quantity: /);
  assert.match(await resultOf(shop, done.id, 'all'), /P-1,.*placed,PF-/);
  const again = await upload(shop, open.replace(',0,', ',1,'));
  const whole = await upload(shop, content.replace(',0,', ',1,'));
  const rest = await takenOn(shop, again);
  assert.deepEqual([rest.counts.ready, rest.counts.wrong], [1, 0]);
  const all = await takenOn(shop, whole);
  assert.deepEqual([all.counts.existing, all.counts.ready], [3, 1]);
  await confirm(shop, rest);
  await confirm(shop, all);
  await takenOn(shop, rest);
  assert.deepEqual((await takenOn(shop, all)).counts.ready, 0);
  assert.equal((await booksOf(service, shop.customer)).orders, 4, 'four numbers, four orders');
});

test('an order that costs more by now is not placed, and says so; the others are', async () => {
  const shop = await openShop();
  const checked = await takenOn(shop, await upload(shop, fileOf(shop, ['C-1', 'C-2', 'C-3'])));
  const cheaper =
    'update order_file_order set total_pence = total_pence - 1 where external_reference = $1 returning place';
  await rows(service, cheaper, ['C-2']);
  const dearer =
    'update order_file_order set total_pence = total_pence + 1 where external_reference = $1 returning place';
  await rows(service, dearer, ['C-3']);
  await confirm(shop, checked);
  const done = await takenOn(shop, checked);
  assert.deepEqual([done.counts.placed, done.counts.refused], [2, 1]);
  const entries = await entriesOf(shop, done);
  assert.match(entries[1]?.problems[0]?.message ?? '', /The order costs \d+\.\d\d now, not/);
  assert.equal(entries[0]?.total, entries[2]?.total, 'a price that fell is what is charged');
});

test('a worker that died after it had placed orders, and one that lost its lease, place none twice', async () => {
  const shop = await openShop();
  const checked = await takenOn(shop, await upload(shop, fileOf(shop, ['K-1', 'K-2'])));
  await confirm(shop, checked);
  // As after a kill between the orders and the record of them: the lease stands, and the orders are there.
  const [first] = await rows<{ body: object }>(
    service,
    'select body from order_file_order where external_reference = $1',
    ['K-1'],
  );
  const begun = 'update order_file_order set begun_at = $2 where external_reference = $1 returning place';
  await rows(service, begun, ['K-1', service.ctx.clock.now()]);
  assert.equal((await shop.customer.request('POST', '/orders', first?.body)).status, 201);
  await rows(service, "update orders set source = 'portal' where external_reference = $1 returning id", ['K-1']);
  const leased =
    "update order_file set lease_token = id, leased_until = now() + interval '1 minute' where name = $1 and state = 'placing' returning id";
  await rows(service, leased, ['orders.csv']);
  assert.equal((await takenOn(shop, checked)).counts.placed, 0, 'another worker has it');
  service.shiftMs(120_000);
  const done = await takenOn(shop, checked);
  assert.deepEqual([done.status, done.counts.placed, done.placed_total], ['placed', 2, checked.total]);
  assert.equal((await booksOf(service, shop.customer)).orders, 2);
});

test('a number that another order has taken meanwhile is not placed, and names that order', async () => {
  const shop = await openShop();
  const checked = await takenOn(shop, await upload(shop, fileOf(shop, ['T-1'])));
  const [row] = await rows<{ body: { items: object[] } }>(
    service,
    'select body from order_file_order where external_reference = $1',
    ['T-1'],
  );
  const other = { ...row?.body, items: row?.body.items.map((item) => ({ ...item, quantity: 5 })) };
  assert.equal((await shop.customer.request('POST', '/orders', other)).status, 201);
  await confirm(shop, checked);
  const done = await takenOn(shop, checked);
  assert.deepEqual([done.counts.placed, done.counts.existing], [0, 1]);
  const [entry] = await entriesOf(shop, done);
  assert.match(entry?.problems[0]?.message ?? '', /quantity/);
  assert.match(entry?.order?.reference ?? '', /^PF-/);
});

test('an order that is there by now was not placed by this file, however like it is; one that was cancelled is said to be', async () => {
  const shop = await openShop();
  const checked = await takenOn(shop, await upload(shop, fileOf(shop, ['N-1', 'N-2', 'N-3'])));
  const bodies = await rows<{ body: object }>(
    service,
    `select body from order_file_order where external_reference = any($1) order by place`,
    [['N-1', 'N-2']],
  );
  for (const { body } of bodies) assert.equal((await shop.customer.request('POST', '/orders', body)).status, 201);
  const cancel = "update orders set state = 'cancelled' where external_reference = $1 returning id";
  await rows(service, cancel, ['N-2']);
  await confirm(shop, checked);
  const done = await takenOn(shop, checked);
  assert.deepEqual([done.counts.placed, done.counts.existing, done.unpaid_count], [1, 2, 0]);
  const again = await takenOn(shop, await upload(shop, fileOf(shop, ['N-1', 'N-2', 'N-3'])));
  for (const file of [done, again]) {
    const entries = await entriesOf(shop, file);
    assert.deepEqual(
      entries.slice(0, 2).map(({ status, problems }) => [status, problems.length]),
      [
        ['existing', 0],
        ['existing', 1],
      ],
    );
    assert.match(entries[1]?.problems[0]?.message ?? '', /^Order PF-\S+ was cancelled/);
  }
});

test('orders that the balance does not cover are placed, and said to be unpaid', async () => {
  const shop = await openShop();
  const checked = await takenOn(shop, await upload(shop, fileOf(shop, ['U-1'])));
  const poor = 'update account_balance set balance_pence = 1 where account_id = $1 returning account_id';
  await rows(service, poor, [shop.customer.accountId]);
  await confirm(shop, checked);
  const done = await takenOn(shop, checked);
  assert.deepEqual([done.counts.placed, done.unpaid_count], [1, 1]);
  assert.match((await entriesOf(shop, done))[0]?.warnings[0] ?? '', /not paid yet/);
});

test('of an account one file is taken on at a time, however many workers look; another account does not wait', async () => {
  const [one, other] = [await openShop(), await openShop()];
  for (const [shop, name] of [
    [one, 'F'],
    [one, 'G'],
    [one, 'H'],
    [other, 'I'],
  ] as const) {
    await upload(shop, fileOf(shop, [`${name}-1`]));
  }
  const now = service.ctx.clock.now();
  const claim = (busy: readonly Uuid[] = []) =>
    claimFile(service.ctx.database, { token: newId(), now, until: new Date(now.getTime() + 60_000), busy });
  const ids = [one.customer.accountId, other.customer.accountId];
  assert.equal((await claim(ids)) === undefined, true, 'not of those that a worker is busy with');
  const claimed = await Promise.all([claim(), claim(), claim(), claim()]);
  // A worker that finds the first file locked may find no other: it looks again.
  const rest = [await claim(), await claim()];
  const accounts = [...claimed, ...rest].flatMap((file) => (file === undefined ? [] : [file.account_id]));
  assert.deepEqual(accounts.toSorted(), ids.toSorted());
  const release = 'update order_file set leased_until = null where account_id = any($1) returning id';
  await rows(service, release, [ids]);
  while ((await runOrderFiles(service.ctx)) > 0);
});

test('an erasure of an order clears each file of its account that has its number, the one it was wrong in as well', async () => {
  const shop = await openShop();
  const wrong = [HEADINGS, rowOf(shop, 'E-1', { quantity: 'two' }), rowOf(shop, 'E-2')].join('\n');
  const first = await takenOn(shop, await upload(shop, wrong));
  const waiting = await upload(shop, fileOf(shop, ['E-1']));
  const other = await takenOn(shop, await upload(shop, fileOf(shop, ['E-3'])));
  const mended = await takenOn(shop, await upload(shop, fileOf(shop, ['E-1'])));
  await confirm(shop, mended);
  await takenOn(shop, mended);
  const [entry] = await entriesOf(shop, mended);
  const cancelled = await shop.customer.request('POST', `/orders/${entry?.order?.id ?? ''}/cancel`, {});
  assert.equal(cancelled.status, 200, cancelled.text);
  const orderId = parseId('ord', entry?.order?.id ?? '');
  assert.ok(orderId !== undefined);
  const { accountId } = shop.customer;
  assert.equal(await eraseOrder(service.ctx, { accountId, orderId }, newId(), async () => {}), true);
  const held = `select f.id, f.name, f.content, f.headings, f.content_hash from order_file f where f.account_id = $1 and f.content <> ''`;
  assert.deepEqual(
    (await rows<{ id: Uuid }>(service, held, [accountId])).map(({ id }) => publicId('file', id)),
    [other.id],
  );
  const entries = `select state from order_file_order where account_id = $1 and external_reference = 'E-1'
    and (body is not null or problems <> '[]' or state in ('waiting', 'ready'))`;
  assert.deepEqual(await rows(service, entries, [accountId]), []);
  for (const { id } of [first, waiting]) {
    const file = await shop.person.request<OrderFile>('GET', `/order-files/${id}`);
    assert.deepEqual([file.body.name, file.body.headings], ['', []]);
  }
});

test('accounts take turns, and a suspended one waits', async () => {
  const [one, other] = [await openShop(), await openShop()];
  const files = [];
  for (const [shop, name] of [
    [one, 'W'],
    [one, 'X'],
    [other, 'Y'],
  ] as const) {
    files.push(await upload(shop, fileOf(shop, [`${name}-1`])));
  }
  const suspend = 'update account set suspended_at = $2 where id = $1 returning id';
  await rows(service, suspend, [one.customer.accountId, service.ctx.clock.now()]);
  const [, , third] = files;
  assert.equal((await takenOn(other, third ?? { id: '' })).status, 'ready');
  const states = 'select state from order_file where account_id = $1';
  assert.deepEqual(await rows(service, states, [one.customer.accountId]), [
    { state: 'checking' },
    { state: 'checking' },
  ]);
});

test('a column names the brand of each order; an empty cell is the default, and an unknown or archived name is told', async () => {
  const shop = await openShop();
  const { customer } = shop;
  const fern = await createBrand(customer, { name: 'Fern & Fable', is_default: true });
  const tide = await createBrand(customer, { name: 'Tide' });
  const old = await createBrand(customer, { name: 'Old' });
  await customer.request('DELETE', `/brands/${old.id}`);
  const { id: foreign } = await createBrand((await openShop()).customer, { name: 'Foreign' });
  const cells = ['tide', '', tide.id, 'Foreign', 'old', foreign];
  const content = [
    `${HEADINGS},Brand`,
    ...cells.map((cell, index) => `${rowOf(shop, `B-${index}`)},${cell}`),
    `${rowOf(shop, 'B-1')},Tide`,
    `${rowOf(shop, 'B-0')},Fern & Fable`,
  ].join('\n');
  const checked = await takenOn(shop, await upload(shop, content));
  assert.deepEqual(
    (await entriesOf(shop, checked)).map(({ status, problems }) => [status, problems.map(({ column }) => column)]),
    [
      ['wrong', ['Brand']],
      ['ready', []],
      ['ready', []],
      ['wrong', ['Brand']],
      ['wrong', ['Brand']],
      ['wrong', ['Brand']],
    ],
    'an order has one brand, which may stand in one of its rows',
  );
  await confirm(shop, checked);
  await takenOn(shop, checked);
  const placed = await rows<{ name: string }>(
    service,
    "select brand ->> 'name' as name from orders where account_id = $1 order by external_reference",
    [customer.accountId],
  );
  assert.deepEqual(
    placed.map(({ name }) => name),
    ['Tide', 'Tide'],
  );
  const plain = [HEADINGS, rowOf(shop, 'B-9')].join('\n');
  const byDefault = await takenOn(shop, await upload(shop, plain));
  await confirm(shop, byDefault);
  await takenOn(shop, byDefault);
  const [last] = await rows<{ id: string }>(
    service,
    "select brand ->> 'name' as id from orders where account_id = $1 and external_reference like '%B-9'",
    [customer.accountId],
  );
  assert.equal(last?.id, fern.name);
});
