import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { listAllInboxRows, listInboxRows } from '../../src/channels/inbox/inbox-list-sql.ts';
import type { Db } from '../../src/lib/db.ts';
import { newId, type Uuid } from '../../src/lib/ids.ts';
import { rowsTouched as rowsTouchedIn } from '../harness/rows-touched.ts';
import { startTestService, type TestService } from '../harness/service.ts';

// Almost all orders of shops are placed and have no reason. What a few of them have, long ago, is found without a walk
// over the others: the rows that a statement touches are counted.

/** The newest; those with a reason came before all of them. */
const OTHERS = 20_000;
const LISTED = 30;
/** A page with the channel, the order and the report of each. */
const PAGE_TOUCHED_MAX = LISTED * 10;

let service: TestService;
const channelId = newId();
before(async () => {
  service = await startTestService();
  const { accountId } = service.customer;
  await service.ctx.database.script(`
    insert into channel (account_id, id, platform, name, state, connected_at)
      values ('${accountId}', '${channelId}', 'signed', 'Shop', 'active', now());
    insert into channel_order (account_id, id, channel_id, shop_order_id, shop_number, changed_at, state, reason, content,
      digest, items, ordered_at, received_at, ended_at)
    select '${accountId}', uuid_v7(at), '${channelId}', n::text, '#' || n, at,
      case when n > ${LISTED} then 'ignored' else 'waiting' end, case when n > ${LISTED} then 'test' else 'on_hold' end,
      case when n > ${LISTED} then null else '{"items": [], "shipping_address": {}}'::jsonb end,
      '', '[]', at, at, case when n > ${LISTED} then at end
    from (select n, now() - make_interval(mins => ${OTHERS + LISTED} - n) as at from generate_series(1, ${OTHERS + LISTED}) as n) as o;
    -- As placed ones are, which need an order each to be written.
    update channel_order set reason = '' where state = 'ignored';
    analyze;
  `);
});
after(() => service.stop());

async function touched(list: (db: Db) => Promise<{ reason: string }[]>): Promise<number> {
  const { database } = service.ctx;
  const rows = await list(database);
  assert.deepEqual([rows.length, new Set(rows.map(({ reason }) => reason))], [LISTED, new Set(['on_hold'])]);
  return rowsTouchedIn(database, list);
}

test('orders of shops with a reason are found without a walk over those that have none', async () => {
  const { accountId } = service.customer;
  const page = { before: undefined as Uuid | undefined, limit: LISTED, reason: 'on_hold' } as const;
  const counts = {
    'of an account': await touched((db) => listInboxRows(db, accountId, { ...page, channelId: undefined })),
    'of a shop': await touched((db) => listInboxRows(db, accountId, { ...page, channelId })),
    'of all accounts': await touched((db) => listAllInboxRows(db, page)),
  };
  for (const [what, count] of Object.entries(counts)) assert.ok(count <= PAGE_TOUCHED_MAX, `${what}: ${count} rows`);
});
