import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually, openAccount, openTestContext, type TestContext } from '../../../test/harness/context.ts';
import type { Db } from '../../lib/db.ts';
import { newId, type Uuid } from '../../lib/ids.ts';
import { insertChannel } from '../connected/channel-sql.ts';
import { dropHint, listHints, noteHint, putOffHint } from './hint-sql.ts';
import { findLink, insertShopLink, renewLink } from './link-sql.ts';
import { runSyncs } from './run-syncs.ts';
import { endSync, failSync, hastenNoticed, hastenSync, keepFacts, takeDueLinks } from './sync-sql.ts';

let ctx: TestContext;
before(async () => {
  ctx = await openTestContext({});
});
after(() => ctx.close());

async function linked(): Promise<{ accountId: Uuid; channelId: Uuid }> {
  const { accountId } = await openAccount(ctx);
  const channelId = newId();
  const now = ctx.clock.now();
  await ctx.database.transaction(async (tx) => {
    await insertChannel(tx, { accountId, id: channelId, platform: 'woocommerce', name: 'Shop', address: null, now });
    const sealed = ctx.secrets.seal('{}');
    await insertShopLink(tx, { accountId, channelId, address: 'https://shop.example', sealed, now });
  });
  return { accountId, channelId };
}

const isWaiting = { name: 'test_waits_for_lock', text: 'select 1 as one from pg_locks where not granted' };

test('a hint that is written while a sync ends is a reason for another at once', async () => {
  const of = await linked();
  const now = ctx.clock.now();
  const later = new Date(now.getTime() + 120_000);
  await keepFacts(ctx.database, of, {}, now);
  await endSync(ctx.database, of, { nextAt: later, now });
  assert.deepEqual((await findLink(ctx.database, of.accountId, of.channelId))?.next_sync_at, later);
  const commit = Promise.withResolvers<void>();
  const noted = Promise.withResolvers<void>();
  const hinting = ctx.database.transaction(async (tx: Db) => {
    await noteHint(tx, { ...of, shopOrderId: '7', now }, 10);
    await hastenSync(tx, of.accountId, of.channelId, now);
    noted.resolve();
    await commit.promise;
  });
  await noted.promise;
  const ending = endSync(ctx.database, of, { nextAt: later, now });
  await eventually('the end waits for the hint', async () => (await ctx.database.all(isWaiting, [])).length > 0);
  commit.resolve();
  await Promise.all([hinting, ending]);
  assert.deepEqual((await findLink(ctx.database, of.accountId, of.channelId))?.next_sync_at, now);
});

test('what a shop of a suspended account has said is no reason for another sync until the account is let back', async () => {
  const of = await linked();
  const now = ctx.clock.now();
  const later = new Date(now.getTime() + 120_000);
  await keepFacts(ctx.database, of, {}, now);
  await noteHint(ctx.database, { ...of, shopOrderId: '7', now }, 10);
  const suspend = { name: 'test_suspend', text: 'update account set suspended_at = $2 where id = $1' };
  for (const [suspendedAt, nextAt] of [
    [now, later],
    [null, now],
  ] as const) {
    await ctx.database.all(suspend, [of.accountId, suspendedAt]);
    await endSync(ctx.database, of, { nextAt: later, now });
    assert.deepEqual((await findLink(ctx.database, of.accountId, of.channelId))?.next_sync_at, nextAt);
  }
  // Its webhooks are taken away all the same.
  await ctx.database.all(suspend, [of.accountId, now]);
  const disconnect = {
    name: 'test_disconnect',
    text: `update channel set state = 'disconnected', ended_at = $2 where id = $1`,
  };
  await ctx.database.all(disconnect, [of.channelId, now]);
  await endSync(ctx.database, of, { nextAt: later, now });
  assert.deepEqual((await findLink(ctx.database, of.accountId, of.channelId))?.next_sync_at, now);
});

test('a shop that is connected again while a sync fails with what it had before is synchronised at once', async () => {
  const of = await linked();
  const now = ctx.clock.now();
  const retryAt = new Date(now.getTime() + 3_600_000);
  const used = (await findLink(ctx.database, of.accountId, of.channelId))?.sealed ?? assert.fail();
  await renewLink(ctx.database, { ...of, sealed: ctx.secrets.seal('{"token":"new"}'), now });
  // Taken for a sync that is not made, since the one before still runs.
  await takeDueLinks(ctx.database, { now, limit: 100, kinds: ['shop_sync'] });
  await failSync(ctx.database, of, { retryAt, message: 'It lets us in no more.', kind: 'refused', now, used });
  const link = await findLink(ctx.database, of.accountId, of.channelId);
  assert.deepEqual([link?.next_sync_at, link?.retry_at, link?.fault], [now, null, null]);
  const fresh = link?.sealed ?? assert.fail();
  await failSync(ctx.database, of, { retryAt, message: 'It lets us in no more.', kind: 'refused', now, used: fresh });
  assert.deepEqual((await findLink(ctx.database, of.accountId, of.channelId))?.retry_at, retryAt);
});

test('a shop that was away is asked soon after its next notice; one that asked for patience, or refuses us, is not', async () => {
  const now = ctx.clock.now();
  const [soon, retryAt] = [new Date(now.getTime() + 30_000), new Date(now.getTime() + 900_000)];
  for (const [kind, nextAt] of [
    ['away', soon],
    ['broken', soon],
    ['busy', retryAt],
    ['refused', retryAt],
  ] as const) {
    const of = await linked();
    const used = (await findLink(ctx.database, of.accountId, of.channelId))?.sealed ?? assert.fail();
    await failSync(ctx.database, of, { retryAt, message: 'It does not answer.', kind, now, used });
    for (const seconds of [0, 5]) {
      await hastenNoticed(ctx.database, of.accountId, of.channelId, new Date(now.getTime() + seconds * 1_000));
    }
    assert.deepEqual((await findLink(ctx.database, of.accountId, of.channelId))?.next_sync_at, nextAt, kind);
  }
  const goesOn = { message: 'Its webhooks fail.', kind: 'broken', since: now } as const;
  for (const fault of [undefined, goesOn]) {
    const well = await linked();
    await keepFacts(ctx.database, well, {}, now);
    await endSync(ctx.database, well, { nextAt: retryAt, now, ...(fault && { fault }) });
    await hastenNoticed(ctx.database, well.accountId, well.channelId, now);
    const { next_sync_at: nextAt } = (await findLink(ctx.database, well.accountId, well.channelId)) ?? assert.fail();
    assert.deepEqual(nextAt, now, fault?.message);
  }
});

test('a shop that is connected again while a sync ends well is set up anew at once', async () => {
  const of = await linked();
  const now = ctx.clock.now();
  await keepFacts(ctx.database, of, {}, now);
  await renewLink(ctx.database, { ...of, sealed: ctx.secrets.seal('{"token":"new"}'), now });
  await endSync(ctx.database, of, { nextAt: new Date(now.getTime() + 120_000), now });
  assert.deepEqual((await findLink(ctx.database, of.accountId, of.channelId))?.next_sync_at, now);
});

test('a shop that is due while its sync is there yet is synchronised once that has ended', async () => {
  const of = await linked();
  const now = ctx.clock.now();
  await runSyncs({ ...ctx, wake: () => {} });
  // The sync has ended, and its job is not deleted yet.
  await keepFacts(ctx.database, of, {}, now);
  await endSync(ctx.database, of, { nextAt: new Date(now.getTime() + 120_000), now });
  await hastenSync(ctx.database, of.accountId, of.channelId, now);
  await runSyncs({ ...ctx, wake: () => {} });
  assert.deepEqual((await findLink(ctx.database, of.accountId, of.channelId))?.next_sync_at, now);
  await ctx.database.all({ name: 'test_end_jobs', text: 'delete from job' }, []);
  await runSyncs({ ...ctx, wake: () => {} });
  assert.notDeepEqual((await findLink(ctx.database, of.accountId, of.channelId))?.next_sync_at, now);
});

test('hints are bounded, and the same order is one', async () => {
  const of = await linked();
  const now = ctx.clock.now();
  for (const shopOrderId of ['1', '1', '2', '3', '4']) await noteHint(ctx.database, { ...of, shopOrderId, now }, 3);
  const hints = await listHints(ctx.database, of, now, 10);
  assert.deepEqual(
    hints.map(({ shop_order_id: id }) => id),
    ['1', '2', '3'],
  );
});

test('an order that its shop does not give out waits for its time, and what the shop says of it comes first', async () => {
  const of = await linked();
  const now = ctx.clock.now();
  const again = new Date(now.getTime() + 60_000);
  const ids = async (at: Date): Promise<string[]> =>
    (await listHints(ctx.database, of, at, 10)).map(({ shop_order_id: id, tries }) => `${id} after ${tries}`);
  await keepFacts(ctx.database, of, {}, now);
  for (const shopOrderId of ['1', '2']) await noteHint(ctx.database, { ...of, shopOrderId, now }, 10);
  const [hint] = await listHints(ctx.database, of, now, 1);
  assert.ok(hint !== undefined);
  await putOffHint(ctx.database, of, hint, { again, tries: 3 });
  assert.deepEqual(await ids(now), ['2 after 0']);
  assert.deepEqual(await ids(again), ['1 after 3', '2 after 0']);
  await dropHint(ctx.database, of.accountId, of.channelId, { shop_order_id: '2', noted_at: now });
  await endSync(ctx.database, of, { nextAt: new Date(now.getTime() + 120_000), now });
  const link = await findLink(ctx.database, of.accountId, of.channelId);
  assert.ok((link?.next_sync_at ?? now) > now, 'one that waits is no reason for a sync at once');
  await noteHint(ctx.database, { ...of, shopOrderId: '1', now }, 10);
  assert.deepEqual(await ids(now), ['1 after 3']);
});
