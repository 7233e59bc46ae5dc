import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { sampleFigures } from '../../../src/app/sample-figures.ts';
import type { OpsChannel } from '../../../src/channels/channel-ops-schema.ts';
import { publicId } from '../../../src/lib/ids.ts';
import { eventually, eventuallyLater } from '../../harness/context.ts';
import { count, type Floor, openFloor } from '../../harness/floor.ts';
import type { Handler } from '../../harness/stranger.ts';
import { assertSound, rows } from '../../harness/written.ts';
import { closeShops, openShops, service } from './shops.ts';
import { publish, published, untilState } from './woo-products.ts';
import { channelOfLinked, type LinkedShop, linkShop } from './woo-shops.ts';

// What a shop refuses stands with operators, by its age: the shop is well, and goes on with its orders.

const WRITES = /^(POST|PUT) \/products/;
const HOUR_MS = 3_601_000;

const refuse: Handler = (_hit, response) =>
  void response.writeHead(400, { 'content-type': 'application/json' }).end('{"code":"no"}');

let floor: Floor;
before(async () => {
  await openShops();
  floor = await openFloor(service, 'production');
});
after(closeShops);
afterEach(() => assertSound(service));

/** The shops in trouble, and how many products each refuses. */
async function toMend(query = ''): Promise<(readonly [id: string, refused: number | undefined])[]> {
  const { status, body, text } = await floor.request<{ data: OpsChannel[] }>('GET', `/channels?needs=mending${query}`);
  assert.equal(status, 200, text);
  return body.data.map(({ id, link }) => [id, link?.refused_products]);
}

async function failingSeconds(): Promise<number> {
  await sampleFigures(service.ctx, []);
  const text = await (await fetch(`${service.url}/metrics`)).text();
  return Number(/^platen_shop_products_failing_seconds (\S+)$/m.exec(text)?.[1]);
}

const tries = ({ woo }: LinkedShop): number => woo.asked.filter((one) => WRITES.test(one)).length;

async function untilRefused(shop: LinkedShop): Promise<void> {
  const isRefused = async () => (await channelOfLinked(shop)).link?.refused_products === 1;
  await eventuallyLater(service, 'it is refused', isRefused, 121_000);
}

test('a shop that refuses a product is found by operators, with its age, tried again or not, until it takes it', async () => {
  const [shop, well] = [await linkShop(), await linkShop()];
  await published(well);
  assert.deepEqual([await toMend(), await failingSeconds()], [[], 0]);
  shop.woo.fail({ times: 999, only: WRITES, how: refuse });
  await publish(shop);
  await untilRefused(shop);
  assert.equal((await channelOfLinked(shop)).link?.fault, null, 'the shop itself is well');
  const mine = `&account=${publicId('acct', shop.customer.accountId)}`;
  for (const query of ['', mine]) assert.deepEqual(await toMend(query), [[shop.channelId, 1]], query);
  assert.deepEqual(await toMend(`&account=${publicId('acct', well.customer.accountId)}`), []);

  const isGivenUp = async () => (await rows(service, 'select from channel_product where failed_at is not null')).length;
  await eventuallyLater(service, 'it is not tried again', isGivenUp, 121_000);
  service.shiftMs(HOUR_MS);
  assert.ok((await failingSeconds()) > 3_600);
  assert.deepEqual(await toMend(), [[shop.channelId, 1]]);

  // Suspended, nothing of it is published and no person can mend it.
  await rows(service, 'update account set suspended_at = now() where id = $1', [shop.customer.accountId]);
  assert.equal(await failingSeconds(), 0);
  await rows(service, 'update account set suspended_at = null where id = $1', [shop.customer.accountId]);

  shop.woo.mend();
  assert.equal(
    (await floor.request('POST', `/channels/${shop.channelId}/products/${shop.productId}/retry`)).status,
    200,
  );
  await untilState(shop, 'published');
  assert.deepEqual([await toMend(), await failingSeconds()], [[], 0]);
});

test('a product that is in the shop and fails is as old as its first refusal, though it is tried each hour', async () => {
  const shop = await linkShop();
  await published(shop);
  shop.woo.fail({ times: 999, only: WRITES, how: refuse });
  await count(floor, shop.sku, 0);
  await untilRefused(shop);
  const isGivenUp = async () => (await rows(service, 'select from channel_product where failed_at is not null')).length;
  await eventuallyLater(service, 'it is not tried for now', isGivenUp, 121_000);
  const [before, age] = [tries(shop), await failingSeconds()];
  service.shiftMs(HOUR_MS);
  await eventually('it is tried again', () => tries(shop) > before);
  await eventually('it is refused again', isGivenUp);
  assert.ok((await failingSeconds()) > age + 3_600);
  assert.equal(
    (await shop.owner.request('DELETE', `/channels/${shop.channelId}/products/${shop.productId}`)).status,
    204,
  );
  await count(floor, shop.sku, 1_000);
  assert.deepEqual([await toMend(), await failingSeconds()], [[], 0], 'its people do not sell it there any more');
});

test('a page of shops in trouble is as long as asked for, and goes on, whatever each is in trouble by', async () => {
  const shops = [await linkShop(), await linkShop(), await linkShop()];
  const [refusing, faulty, both] = shops as [LinkedShop, LinkedShop, LinkedShop];
  for (const shop of [refusing, both]) {
    shop.woo.fail({ times: 999, only: WRITES, how: refuse });
    await publish(shop);
    await untilRefused(shop);
  }
  const fault =
    "update channel_link set fault = 'It is away.', fault_kind = 'away', fault_since = now() where account_id = $1";
  for (const { customer } of [faulty, both]) await rows(service, fault, [customer.accountId]);
  const seen: string[] = [];
  let cursor: string | null = '';
  for (let page = 0; cursor !== null && page < 5; page += 1) {
    const at: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const { body } = await floor.request<{ data: OpsChannel[]; next_cursor: string | null }>(
      'GET',
      `/channels?needs=mending&limit=1${at}`,
    );
    seen.push(...body.data.map(({ id }) => id));
    cursor = body.next_cursor;
  }
  assert.deepEqual(seen, shops.map(({ channelId }) => channelId).toReversed());
});
