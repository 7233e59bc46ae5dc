import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { listFaultyChannels } from '../../src/channels/connected/ops-channel-sql.ts';
import { findFailingLongest } from '../../src/channels/products/channel-product-sql.ts';
import { FIRST_ID, LAST_ID, type Uuid } from '../../src/lib/ids.ts';
import { rowsTouched } from '../harness/rows-touched.ts';
import { startTestService, type TestService } from '../harness/service.ts';

// A shop that refuses all of its thousand products is one shop in trouble, found as fast as one that refuses one: the
// rows that a statement touches are counted.

const SHOPS = 20;
const PRODUCTS = 1_000;
/** The shops with the steps from one to the next, and far fewer than the products. */
const PAGE_TOUCHED_MAX = (SHOPS * PRODUCTS) / 10;

let service: TestService;
before(async () => {
  service = await startTestService();
  const { accountId } = service.customer;
  await service.ctx.database.script(`
    insert into channel (account_id, id, platform, name, state, connected_at)
      select '${accountId}', uuid_v7(now() - make_interval(mins => n)), 'woocommerce', 'Shop', 'active', now()
      from generate_series(1, ${SHOPS * 2}) as n;
    insert into channel_link (account_id, channel_id, address, sealed, sealed_with, since, next_sync_at)
      select account_id, id, 'https://' || id || '.test', '', '', now(), 'infinity' from channel;
    insert into product (id, account_id, base_product_id, name, status, created_at, updated_at)
      select uuid_v7(now() - make_interval(secs => n)), p.account_id, p.base_product_id, p.name, p.status, now(), now()
      from (select * from product where account_id = '${accountId}' limit 1) as p, generate_series(1, ${PRODUCTS}) as n;
    insert into channel_product (account_id, channel_id, product_id, requested_at, failing_since, failed_at, problem)
      select c.account_id, c.id, p.id, now(), f.at, f.at, 'No.'
      from (select *, row_number() over (order by id) <= ${SHOPS} as refuses from channel) as c
        join product p on p.account_id = c.account_id
        cross join lateral (select case when c.refuses then now() end as at) as f;
    analyze;
  `);
});
after(() => service.stop());

test('shops that refuse products are found without a walk over the products', async () => {
  const { database } = service.ctx;
  const page = { before: LAST_ID as Uuid, limit: SHOPS + 1 };
  assert.equal((await listFaultyChannels(database, page)).length, SHOPS);
  const shops = await rowsTouched(database, (db) => listFaultyChannels(db, page));
  assert.ok(shops <= PAGE_TOUCHED_MAX, `${shops} rows`);
  assert.deepEqual(await listFaultyChannels(database, { ...page, before: FIRST_ID as Uuid }), []);
});

test('since when the product that fails longest does is one look', async () => {
  const { database } = service.ctx;
  assert.ok((await findFailingLongest(database)) instanceof Date);
  const touched = await rowsTouched(database, (db) => findFailingLongest(db));
  assert.ok(touched <= 10, `${touched} rows`);
});
