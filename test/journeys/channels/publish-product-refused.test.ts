import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import type { ChannelProduct } from '../../../src/channels/product-schema.ts';
import { newId, parseId, publicId } from '../../../src/lib/ids.ts';
import { eventually } from '../../harness/context.ts';
import { openRole } from '../../harness/portal.ts';
import { addProduct } from '../../harness/shop.ts';
import { assertSound, rows } from '../../harness/written.ts';
import { closeShops, connectShop, openShops, service } from './shops.ts';
import { publish, published } from './woo-products.ts';
import { linkShop } from './woo-shops.ts';

before(() => openShops());
after(closeShops);
afterEach(() => assertSound(service));

test('a product is published by owners and managers of the account, in its own shops and from its own products', async () => {
  const shop = await linkShop();
  const other = await linkShop();
  const path = `/channels/${shop.channelId}/products`;
  const body = { product_id: shop.productId };
  for (const role of ['orders', 'reader'] as const) {
    const person = await openRole(service, role, shop.customer.accountId);
    assert.equal((await person.request('POST', path, { body })).status, 403, role);
    assert.equal((await person.request('DELETE', `${path}/${shop.productId}`)).status, 403, role);
    assert.equal((await person.request('GET', path)).status, 200, role);
  }
  const manager = await openRole(service, 'manager', shop.customer.accountId);
  assert.equal((await manager.request('POST', path, { body })).status, 202);
  assert.equal((await other.owner.request('POST', path, { body })).status, 404);
  assert.equal((await other.owner.request('GET', path)).status, 404);
  assert.equal((await other.owner.request('DELETE', `${path}/${shop.productId}`)).status, 404);
  for (const product of [other.productId, publicId('prod', newId()), 'prod_x', 'x']) {
    const { status, body: refused } = await publish(shop, product);
    assert.deepEqual(
      [status, refused.errors?.[0]?.path, refused.errors?.[0]?.code],
      [422, 'product_id', 'unknown_product'],
    );
  }
  const archived = await addProduct(service, shop.customer, 'TEE-CLASSIC');
  assert.equal((await shop.customer.request('DELETE', `/products/${archived}`)).status, 204);
  assert.equal((await publish(shop, archived)).status, 422);
  assert.equal((await shop.owner.request('DELETE', `${path}/${archived}`)).status, 204, 'there is nothing to stop');
});

test('a shop that takes no products or is disconnected is refused in words', async () => {
  const signed = await connectShop();
  const body = { product_id: signed.productId };
  const answer = await signed.owner.request<{ detail?: string }>('POST', `/channels/${signed.channelId}/products`, {
    body,
  });
  assert.equal(answer.status, 409);
  assert.match(answer.text, /sends its orders itself/);
  const shop = await linkShop();
  await published(shop);
  assert.equal((await shop.owner.request('POST', `/channels/${shop.channelId}/disconnect`)).status, 200);
  const refused = await publish(shop);
  assert.equal(refused.status, 409);
  assert.match(refused.text, /This shop is disconnected/);
  await eventually('its products are forgotten here', async () => {
    const left = await rows(service, 'select from channel_product where account_id = $1', [shop.customer.accountId]);
    return left.length === 0;
  });
  assert.equal(shop.woo.products.size, 1, 'in the shop they stay');
});

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
