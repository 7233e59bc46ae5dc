import { type Db, statement } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';

// What linked shops have said of their orders unasked.

const NOTE_HINT = statement<{ noted: boolean }>(
  'channels_note_hint',
  `insert into channel_hint (account_id, channel_id, shop_order_id, noted_at)
   select $1, $2, $3, $4
   where (select count(*) from (select from channel_hint where account_id = $1 and channel_id = $2 limit $5) as h) < $5
   on conflict (account_id, channel_id, shop_order_id) do update set noted_at = excluded.noted_at
   returning true as noted`,
);

/**
 * Notes that an order of a shop has changed.
 * Beyond so many that is left to the list of changed orders.
 */
export async function noteHint(
  tx: Db,
  hint: { accountId: Uuid; channelId: Uuid; shopOrderId: string; now: Date },
  max: number,
): Promise<void> {
  const { accountId, channelId, shopOrderId, now } = hint;
  await tx.all(NOTE_HINT, [accountId, channelId, shopOrderId, now, max]);
}

export type Hint = { shop_order_id: string; noted_at: Date };

const HINTS = statement<Hint>(
  'channels_hints',
  `select shop_order_id, noted_at from channel_hint where account_id = $1 and channel_id = $2
   order by shop_order_id limit $3`,
);

/** Orders of a shop that are to be read, a bounded number. */
export async function listHints(db: Db, accountId: Uuid, channelId: Uuid, limit: number): Promise<Hint[]> {
  return db.all(HINTS, [accountId, channelId, limit]);
}

const DROP_HINT = statement<never>(
  'channels_drop_hint',
  'delete from channel_hint where account_id = $1 and channel_id = $2 and shop_order_id = $3 and noted_at = $4',
);

/** Drops a hint once its order was read; one that came again meanwhile stays. */
export async function dropHint(db: Db, accountId: Uuid, channelId: Uuid, hint: Hint): Promise<void> {
  await db.all(DROP_HINT, [accountId, channelId, hint.shop_order_id, hint.noted_at]);
}
