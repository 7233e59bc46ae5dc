import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { publicId } from '../../../src/lib/ids.ts';
import { runErasures } from '../../../src/privacy/erase/worker.ts';
import { eventually, eventuallyLater } from '../../harness/context.ts';
import { count, type Floor, openFloor } from '../../harness/floor.ts';
import { create, teeBody } from '../../harness/products.ts';
import type { Handler } from '../../harness/stranger.ts';
import { assertSound, rows } from '../../harness/written.ts';
import { huntInDatabase } from '../privacy/hunt.ts';
import { closeShops, openShops, service } from './shops.ts';
import { only, productsIn, publish, published, stockIn, untilState } from './woo-products.ts';
import { channelOfLinked, type LinkedShop, linkShop, passTime } from './woo-shops.ts';

// What becomes of products in shops when their account is suspended or erased, or the shop refuses them.

const SKU = 'TEE-CLASSIC-WHT-M';
const WRITES = /^(POST|PUT|DELETE) \/products/;

const VARIATIONS = /^(POST|PUT) \/products\/\d+\/variations/;
const HOUR_MS = 3_601_000;

const refuse: Handler = (_hit, response) =>
  void response.writeHead(400, { 'content-type': 'application/json' }).end('{"code":"no"}');

const triesOf = ({ woo }: LinkedShop): number => woo.asked.filter((one) => VARIATIONS.test(one)).length;

async function failedAt({ customer }: LinkedShop): Promise<Date | null> {
  const text = 'select failed_at from channel_product where account_id = $1';
  const [row] = await rows<{ failed_at: Date | null }>(service, text, [customer.accountId]);
  return row?.failed_at ?? null;
}

let floor: Floor;
before(async () => {
  await openShops();
  floor = await openFloor(service, 'admin');
});
after(closeShops);
afterEach(async () => {
  await count(floor, SKU, 1_000_000);
  await assertSound(service);
});

const tee = async (shop: LinkedShop, name = 'Fern tee'): Promise<string> =>
  (await create(shop.customer, await teeBody(service, { name, variant_skus: [SKU] }))).id;

const account = ({ customer }: LinkedShop): string => `/accounts/${publicId('acct', customer.accountId)}`;

/** Has shops look for what has changed until something holds. */
async function untilLooked(what: string, holds: () => boolean | Promise<boolean>, ms = 121_000): Promise<void> {
  await eventuallyLater(service, what, holds, ms);
}

/** Waits until a shop was synchronised so often again. */
async function syncs({ customer }: LinkedShop, times: number): Promise<void> {
  const isOver = async (): Promise<boolean> => {
    const [link] = await rows<{ is_over: boolean }>(
      service,
      `select next_sync_at > $2 and not exists (select from job j where j.kind = 'shop_sync' and j.account_id = l.account_id)
         as is_over
       from channel_link l where account_id = $1`,
      [customer.accountId, service.ctx.clock.now()],
    );
    return link?.is_over === true;
  };
  for (let sync = 0; sync < times; sync += 1) {
    passTime();
    await eventually('it was synchronised', isOver);
  }
}

/** Has a shop synchronised, one sync after the other, until a product of it has failed. */
async function untilFailed(shop: LinkedShop): Promise<void> {
  for (let sync = 0; sync < 20 && (await failedAt(shop)) === null; sync += 1) await syncs(shop, 1);
  assert.notEqual(await failedAt(shop), null, 'it has failed');
}

test('an account that is erased has nothing of its products in shops any more, and the shops are not written to', async () => {
  const shop = await linkShop(0);
  const id = await tee(shop);
  await publish(shop, id);
  await untilState(shop, 'published', id);
  const ids = [only(shop).id, ...only(shop).variations.map((one) => one.id)];
  assert.ok((await huntInDatabase(service.ctx.database, shop.woo.address)).length > 0);
  const { status, text } = await floor.request('POST', `${account(shop)}/erase`, { whole_account: true });
  assert.equal(status, 200, text);
  await runErasures(service.ctx);
  const left = await rows(
    service,
    `select 'product' as what from channel_product where account_id = $1
     union all select 'item' from channel_item where account_id = $1
     union all select 'link' from channel_link where account_id = $1
     union all select 'hint' from channel_hint where account_id = $1
     union all select 'invitation' from channel_invitation where account_id = $1`,
    [shop.customer.accountId],
  );
  assert.deepEqual(left, []);
  assert.deepEqual(await huntInDatabase(service.ctx.database, shop.woo.address), []);
  assert.ok(ids.length > 1);
  const asked = shop.woo.asked.length;
  const other = await linkShop();
  await published(other);
  await count(floor, SKU, 0);
  await syncs(other, 2);
  assert.deepEqual(shop.woo.asked.slice(asked), []);
});

test('an account that is erased while a product is written to its shop keeps nothing of that', async () => {
  const shop = await linkShop(0);
  const id = await tee(shop);
  let go: (() => void) | undefined;
  const wait: Handler = async (_hit, response) => {
    await new Promise<void>((resolve) => {
      go = resolve;
    });
    response.socket?.destroy();
  };
  shop.woo.fail({ times: 1, only: /^POST \/products$/, how: wait });
  await publish(shop, id);
  await eventually('it is being written', () => go !== undefined);
  const { status, text } = await floor.request('POST', `${account(shop)}/erase`, { whole_account: true });
  assert.equal(status, 200, text);
  await runErasures(service.ctx);
  go?.();
  await eventually(
    'the sync is over',
    async () =>
      (await rows(service, "select from job where kind = 'shop_sync' and account_id = $1", [shop.customer.accountId]))
        .length === 0,
  );
  assert.deepEqual(await huntInDatabase(service.ctx.database, shop.woo.address), []);
  assert.deepEqual(
    await rows(service, 'select from channel_product where account_id = $1', [shop.customer.accountId]),
    [],
  );
});

test('products of a suspended account are not written to its shop, and go on once it is let back', async () => {
  const shop = await linkShop();
  const id = await tee(shop);
  await publish(shop, id);
  await untilState(shop, 'published', id);
  const late = await tee(shop, 'Late tee');
  const product = only(shop);
  await floor.post(`${account(shop)}/suspend`, { reason: 'a chargeback' });
  const asked = shop.woo.asked.length;
  await rows(
    service,
    `insert into channel_product (account_id, channel_id, product_id, requested_at, due_at)
     select account_id, channel_id, (select id from product where account_id = $1 and name = 'Late tee'), now(), '2020-01-01'
     from channel_product where account_id = $1`,
    [shop.customer.accountId],
  );
  await count(floor, SKU, 0);
  await syncs(shop, 3);
  assert.deepEqual(
    shop.woo.asked.slice(asked).filter((one) => one.includes('/products')),
    [],
  );
  assert.equal(stockIn(product)[`${id}/${SKU}`], 'instock');
  await floor.post(`${account(shop)}/resume`, { reason: 'settled' });
  await untilLooked('it is out of stock', () => stockIn(product)[`${id}/${SKU}`] === 'outofstock');
  await untilLooked('the other is there', () => shop.woo.products.size === 2);
  const [there] = [...shop.woo.products.values()].filter(({ sku }) => sku === late);
  assert.equal(there?.status, 'draft');
});

test('an account that is suspended in the middle of a sync has no more products written by it', async () => {
  const shop = await linkShop();
  const names = ['One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven'];
  const ids: string[] = [];
  for (const name of names) ids.push(await tee(shop, name));
  let go: (() => void) | undefined;
  const wait: Handler = async (_hit, response) => {
    await new Promise<void>((resolve) => {
      go = resolve;
    });
    response.writeHead(400, { 'content-type': 'application/json' }).end('{"code":"no"}');
  };
  shop.woo.fail({ times: 1, only: /^POST \/products$/, how: wait });
  for (const id of ids) await publish(shop, id);
  await eventually('the first is being written', () => go !== undefined);
  await floor.post(`${account(shop)}/suspend`, { reason: 'a chargeback' });
  const asked = shop.woo.asked.length;
  go?.();
  await syncs(shop, 2);
  assert.deepEqual(
    shop.woo.asked.slice(asked).filter((one) => WRITES.test(one)),
    [],
  );
});

test('a product that the shop refused for a while shows the stock of now once it takes it, without a person', async () => {
  const shop = await linkShop();
  const id = await tee(shop);
  await publish(shop, id);
  await untilState(shop, 'published', id);
  const product = only(shop);
  shop.woo.fail({
    times: 999,
    only: VARIATIONS,
    how: refuse,
  });
  await count(floor, SKU, 0);
  await untilFailed(shop);
  const tries = triesOf(shop);
  assert.equal((await channelOfLinked(shop)).link?.fault, null, 'the shop itself is well');
  // It goes on refusing: it is tried now and then, not all the time.
  await syncs(shop, 3);
  assert.equal(triesOf(shop), tries);
  service.shiftMs(HOUR_MS);
  await eventually('it is tried once more', () => triesOf(shop) === tries + 1);
  await eventually('it has failed again', async () => (await failedAt(shop)) !== null);
  await syncs(shop, 2);
  assert.equal(triesOf(shop), tries + 1);
  const [view] = await productsIn(shop);
  assert.deepEqual([view?.state, /refuses/.test(view?.problem ?? '')], ['failed', true]);
  shop.woo.mend();
  service.shiftMs(HOUR_MS);
  await eventually('it is out of stock', () => stockIn(product)[`${id}/${SKU}`] === 'outofstock');
  await untilState(shop, 'published', id);
  await count(floor, SKU, 5);
  await untilLooked('it is in stock', () => stockIn(product)[`${id}/${SKU}`] === 'instock');
});

test('a product that never came into the shop waits for a person', async () => {
  const shop = await linkShop();
  const id = await tee(shop);
  shop.woo.fail({ times: 999, only: /^POST \/products$/, how: refuse });
  await publish(shop, id);
  await untilFailed(shop);
  const asked = shop.woo.asked.filter((one) => WRITES.test(one)).length;
  service.shiftMs(HOUR_MS);
  await syncs(shop, 2);
  assert.equal(shop.woo.asked.filter((one) => WRITES.test(one)).length, asked);
});

test('a product that failed is written with the stock of now when a person has it tried again', async () => {
  const shop = await linkShop();
  const id = await tee(shop);
  await publish(shop, id);
  await untilState(shop, 'published', id);
  const product = only(shop);
  await rows(
    service,
    "update channel_product set failed_at = now(), problem = 'The shop refuses it.', due_at = null where account_id = $1",
    [shop.customer.accountId],
  );
  await count(floor, SKU, 0);
  await publish(shop, id);
  await untilState(shop, 'published', id);
  assert.equal(stockIn(product)[`${id}/${SKU}`], 'outofstock');
});
