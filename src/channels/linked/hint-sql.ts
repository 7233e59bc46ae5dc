import { type Db, statement } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';

// What linked shops have said of their orders unasked, and which of their orders they have not given out.

/** Of a channel. Beyond these the list of changed orders finds what changed. */
export const HINTS_MAX = 10_000;

const NOTE_HINT = statement<{ noted: boolean }>(
  'channels_note_hint',
  `insert into channel_hint (account_id, channel_id, shop_order_id, noted_at)
   select $1, $2, $3, $4
   where (select count(*) from (select from channel_hint where account_id = $1 and channel_id = $2 limit $5) as h) < $5
   on conflict (account_id, channel_id, shop_order_id) do update set
     noted_at = case when $6 then excluded.noted_at else channel_hint.noted_at end,
     again_at = case when $6 then null else channel_hint.again_at end
   returning true as noted`,
);

/**
 * Notes that an order of a shop is to be read; returns whether there was room.
 * Beyond so many that is left to the list of changed orders. What is no news, as the shop has only withheld the order
 * once more, brings none forward that was put off.
 */
export async function noteHint(
  tx: Db,
  hint: { accountId: Uuid; channelId: Uuid; shopOrderId: string; now: Date; isNews?: boolean },
  max: number,
): Promise<boolean> {
  const { accountId, channelId, shopOrderId, now, isNews = true } = hint;
  return (await tx.one(NOTE_HINT, [accountId, channelId, shopOrderId, now, max, isNews])) !== undefined;
}

/** An order that is to be read, and how often the shop has not given it out. */
export type Hint = { shop_order_id: string; noted_at: Date; tries: number };

const HINTS = statement<Hint>(
  'channels_hints',
  `select shop_order_id, noted_at, tries from channel_hint where account_id = $1 and channel_id = $2
     and (again_at is null or again_at <= $4)
   order by shop_order_id limit $3`,
);

/** Orders of a shop that are to be read now, a bounded number. */
export async function listHints(
  db: Db,
  of: { accountId: Uuid; channelId: Uuid },
  now: Date,
  limit: number,
): Promise<Hint[]> {
  return db.all(HINTS, [of.accountId, of.channelId, limit, now]);
}

const PUT_OFF_HINT = statement<never>(
  'channels_put_off_hint',
  `update channel_hint set again_at = $4, tries = $5
   where account_id = $1 and channel_id = $2 and shop_order_id = $3 and noted_at = $6`,
);

/** Has an order read later that its shop did not give out; what it says of it meanwhile comes first. */
export async function putOffHint(
  db: Db,
  of: { accountId: Uuid; channelId: Uuid },
  hint: Hint,
  at: { again: Date; tries: number },
): Promise<void> {
  await db.all(PUT_OFF_HINT, [of.accountId, of.channelId, hint.shop_order_id, at.again, at.tries, hint.noted_at]);
}

const DROP_HINT = statement<never>(
  'channels_drop_hint',
  'delete from channel_hint where account_id = $1 and channel_id = $2 and shop_order_id = $3 and noted_at = $4',
);

/** Drops a hint once its order was read; one that came again meanwhile stays. */
export async function dropHint(
  db: Db,
  accountId: Uuid,
  channelId: Uuid,
  hint: Pick<Hint, 'shop_order_id' | 'noted_at'>,
): Promise<void> {
  await db.all(DROP_HINT, [accountId, channelId, hint.shop_order_id, hint.noted_at]);
}
