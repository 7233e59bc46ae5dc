import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import type { ChannelProduct } from '../../../src/channels/product-schema.ts';
import { parseId } from '../../../src/lib/ids.ts';
import { addProduct } from '../../harness/shop.ts';
import { assertSound } from '../../harness/written.ts';
import { closeShops, openShops, service } from './shops.ts';
import { publish } from './woo-products.ts';
import { linkShop } from './woo-shops.ts';

before(() => openShops());
after(closeShops);
afterEach(() => assertSound(service));

test('a shop has at most a thousand products, which are listed in pages', async () => {
  const shop = await linkShop();
  const { accountId } = shop.customer;
  const channel = parseId('chan', shop.channelId);
  // As if the shop had deleted them: none of them is due.
  await service.ctx.database.script(`
    with copies as (
      insert into product (account_id, id, base_product_id, name, status, created_at, updated_at)
      select account_id, gen_random_uuid(), base_product_id, 'Copy ' || n, status, created_at, updated_at
      from product, generate_series(1, 999) as n where account_id = '${accountId}' returning id
    )
    insert into channel_product (account_id, channel_id, product_id, requested_at, gone_at)
    select '${accountId}', '${channel}', id, now(), now() from copies`);
  assert.equal((await publish(shop)).status, 202, 'the thousandth');
  const more = await addProduct(service, shop.customer, 'TEE-CLASSIC');
  const refused = await publish(shop, more);
  assert.equal(refused.status, 409);
  assert.match(refused.text, /at most 1,000 products/);
  assert.equal((await publish(shop)).status, 202, 'one that is there is published again');
  const seen: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const path = `/channels/${shop.channelId}/products?limit=100${query}`;
    type Page = { data: ChannelProduct[]; next_cursor: string | null };
    const { body }: { body: Page } = await shop.owner.request<Page>('GET', path);
    seen.push(...body.data.map(({ product_id: id }) => id));
    cursor = body.next_cursor;
  }
  assert.deepEqual([seen.length, new Set(seen).size], [1_000, 1_000]);
});

test('the variants that are not published are listed with the reason, and no others', async () => {
  const shop = await linkShop();
  const { body: product } = await shop.customer.request<{ variants: { id: string; blank_variant_sku: string }[] }>(
    'GET',
    `/products/${shop.productId}`,
  );
  const more = await addProduct(service, shop.customer, 'TEE-ORGANIC');
  await publish(shop);
  await publish(shop, more);
  const leftOut = async (): Promise<Record<string, ChannelProduct['left_out']>> => {
    const path = `/channels/${shop.channelId}/products`;
    const { body } = await shop.owner.request<{ data: ChannelProduct[] }>('GET', path);
    return Object.fromEntries(body.data.map(({ product_id: id, left_out: out }) => [id, out]));
  };
  assert.deepEqual(await leftOut(), { [shop.productId]: [], [more]: [] });
  const [off, gone] = product.variants.slice(-2).map(({ blank_variant_sku: sku }) => sku);
  assert.ok(off !== undefined && gone !== undefined && off !== gone);
  const { database } = service.ctx;
  const set = async (text: string, sku: string) => database.all<never>({ name: '', text }, [sku]);
  await set('update product_variant set active = false where sku = $1', off);
  await set('update blank_variant set active = false where sku = $1', gone);
  assert.deepEqual(await leftOut(), {
    [shop.productId]: [
      { variant_sku: off, reason: 'switched_off' },
      { variant_sku: gone, reason: 'not_made' },
    ],
    [more]: [],
  });
});
