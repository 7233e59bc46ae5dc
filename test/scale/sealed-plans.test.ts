import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SEALED_STORES } from '../../src/app/secrets/reseal.ts';
import type { Db } from '../../src/lib/db.ts';
import { newId } from '../../src/lib/ids.ts';
import { openTestContext, type TestContext } from '../harness/context.ts';
import { rowsTouched } from '../harness/rows-touched.ts';

// Looking for values of an earlier key costs the same however many the present key seals.

const PRESENT = 20_000;
const EARLIER = 40;
const LIMIT = 100;
/** A batch several times over, with some steps in the index for each key. */
const TOUCHED_MAX = 400;

let ctx: TestContext;
before(async () => {
  ctx = await openTestContext({});
  const key = `case when n <= ${EARLIER} then 'earlier' else 'present' end`;
  await ctx.database.script(`
    insert into account (id, name, created_at) values ('${newId()}', 'A', now());
    insert into webhook_subscription (account_id, id, url, secret_sealed, secret_sealed_with, created_at, updated_at)
    select a.id, uuid_v7(now() - make_interval(secs => n)), 'https://a.example', '', ${key}, now(), now()
    from account a, generate_series(1, ${PRESENT}) as n;
    insert into webhook_next_secret (account_id, subscription_id, secret_sealed, secret_sealed_with, created_at, alone_from)
    select account_id, id, secret_sealed, secret_sealed_with, now(), now() from webhook_subscription;
    insert into oauth_record (key_hash, kind, sealed, sealed_with, created_at, expires_at)
    select decode(md5(n::text), 'hex'), 'session', '', ${key}, now(), now() + make_interval(secs => n)
    from generate_series(1, ${PRESENT}) as n;
    insert into mail (account_id, id, kind, recipient, created_at, useless_at)
    select a.id, uuid_v7(now() - make_interval(secs => n)), 'invitation', 'a@a.example', now(), now()
    from account a, generate_series(1, ${PRESENT}) as n;
    insert into mail_content (account_id, mail_id, sealed, sealed_with)
    select account_id, id, '', case when row_number() over (order by id) <= ${EARLIER} then 'earlier' else 'present' end from mail;
    insert into account_user (account_id, id, email, password_hash, created_at)
    select a.id, uuid_v7(now() - make_interval(secs => n)), n || '@a.example', '', now()
    from account a, generate_series(1, ${PRESENT}) as n;
    insert into second_factor (account_id, user_id, secret_sealed, sealed_with, created_at)
    select account_id, id, '', case when row_number() over (order by id) <= ${EARLIER} then 'earlier' else 'present' end, now()
    from account_user;
    insert into channel (account_id, id, platform, name, state, connected_at)
    select id, '${newId()}', 'signed', 'A', 'active', now() from account;
    insert into channel_secret (account_id, id, channel_id, sealed, sealed_with)
    select c.account_id, uuid_v7(now() - make_interval(secs => n)), c.id, '', ${key}
    from channel c, generate_series(1, ${PRESENT}) as n;
    insert into channel (account_id, id, platform, name, state, connected_at)
    select a.id, uuid_v7(now() - make_interval(secs => n)), 'woocommerce', 'A', 'active', now()
    from account a, generate_series(1, ${PRESENT}) as n;
    insert into channel_link (account_id, channel_id, address, sealed, sealed_with, since, next_sync_at)
    select account_id, id, 'https://a.example', '', case when row_number() over (order by id) <= ${EARLIER} then 'earlier' else 'present' end,
      now(), now()
    from channel where platform = 'woocommerce';
    analyze;
  `);
});
after(() => ctx.close());

for (const store of SEALED_STORES) {
  const holds = async (what: string, ask: (db: Db) => Promise<unknown>): Promise<void> => {
    const count = await rowsTouched(ctx.database, ask);
    assert.ok(count <= TOUCHED_MAX, `${what} touches ${count} rows`);
  };

  test(`${store.kind}: the keys, a batch of an earlier one, and those without one touch few of all values`, async () => {
    await holds('the keys', (db) => store.keys(db));
    await holds('a batch', (db) => store.lock(db, 'earlier', LIMIT));
    await holds('what is sealed anew', async (db) => {
      const rows = await store.lock(db, 'earlier', LIMIT);
      await store.write(
        db,
        rows.map((row) => ({ ...row, keyId: 'earlier' })),
      );
    });
    await holds('those without a key', (db) => store.lock(db, null, LIMIT));
    await holds('another note', (db) => store.note(db, 'earlier', 'unreadable', LIMIT));
  });

  test(`${store.kind}: a count ends at ten thousand for each key`, async () => {
    const counts = await store.count(ctx.database, new Date());
    assert.equal(counts.find(({ key_id: keyId }) => keyId === 'present')?.values, 10_000);
  });
}
