import { type Db, statement } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';
import { type InboxProblem, type InboxRow, insertInboxRow } from './inbox-sql.ts';

// Orders that their shops do not give out, or not so that they can be read.

const COUNT = statement<{ orders: number }>(
  'channels_count_unreadable',
  `select count(*)::integer as orders from (
     select from channel_order where account_id = $1 and channel_id = $2 and reason = 'unreadable' and state = 'waiting' limit $3
   ) as o`,
);

/** How many orders of a channel cannot be read, counted up to a bound. */
export async function countUnreadable(tx: Db, accountId: Uuid, channelId: Uuid, max: number): Promise<number> {
  return (await tx.one(COUNT, [accountId, channelId, max]))?.orders ?? 0;
}

const RENEW = statement<never>(
  'channels_renew_unreadable',
  `update channel_order set state = 'waiting', reason = 'unreadable', problems = $3 where account_id = $1 and id = $2`,
);

/** Says what is wrong with an order that cannot be read, under its lock. */
export async function renewUnreadable(
  tx: Db,
  row: Pick<InboxRow, 'account_id' | 'id'>,
  problems: readonly InboxProblem[],
): Promise<void> {
  await tx.all(RENEW, [row.account_id, row.id, JSON.stringify(problems)]);
}

/** Writes an order of which no more is known than its id. */
export async function insertUnreadable(
  tx: Db,
  order: Parameters<typeof insertInboxRow>[1],
  problems: readonly InboxProblem[],
): Promise<void> {
  await insertInboxRow(tx, order);
  await renewUnreadable(tx, { account_id: order.accountId, id: order.id }, problems);
}

const OLDEST = statement<{ since: Date | null }>(
  'channels_oldest_unreadable',
  `select received_at as since from channel_order where reason = 'unreadable' and state = 'waiting'
   order by received_at, id limit 1`,
);

/** Since when an order that its shop does not give out, of any shop, waits for its people. */
export async function findOldestUnreadable(db: Db): Promise<Date | undefined> {
  return (await db.one(OLDEST, []))?.since ?? undefined;
}
