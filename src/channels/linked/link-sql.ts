import { type Db, statement } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';
import { sealedColumn } from '../../lib/sealing/sealed-sql.ts';
import type { Sealed } from '../../lib/secrets.ts';
import type { ChannelState } from '../connected/channel-sql.ts';
import type { Facts, LinkedPlatform, ListPlace } from '../platforms/port.ts';
import type { FaultKind } from '../platforms/shop-call.ts';

// How shops of platforms are reached, and what is known of each.

export type ShopLink = {
  account_id: Uuid;
  channel_id: Uuid;
  platform: LinkedPlatform;
  state: ChannelState;
  is_suspended: boolean;
  address: string;
  sealed: Buffer;
  sealed_with: string | null;
  since: Date;
  facts: Facts;
  place: ListPlace;
  synced_at: Date | null;
  set_up_at: Date | null;
  next_sync_at: Date;
  failures: number;
  retry_at: Date | null;
  fault: string | null;
  fault_kind: FaultKind | null;
  fault_since: Date | null;
  unreadable: number;
  last_unreadable: string | null;
  /** Where the look for products that have changed here goes on; null at its beginning. */
  products_after: Uuid | null;
  /** When the last look was at its end. */
  products_at: Date | null;
};

const FIND = statement<ShopLink>(
  'channels_link',
  `select l.*, c.platform, c.state, a.suspended_at is not null as is_suspended
   from channel_link l
     join channel c on c.account_id = l.account_id and c.id = l.channel_id
     join account a on a.id = l.account_id
   where l.account_id = $1 and l.channel_id = $2`,
);

/** How the shop of a channel is reached; undefined for one that sends its orders itself. */
export async function findLink(db: Db, accountId: Uuid, channelId: Uuid): Promise<ShopLink | undefined> {
  return db.one(FIND, [accountId, channelId]);
}

export type LinkHealth = Pick<
  ShopLink,
  'channel_id' | 'address' | 'synced_at' | 'fault' | 'fault_since' | 'retry_at' | 'unreadable' | 'last_unreadable'
> & { unreported: number };

const HEALTH = statement<LinkHealth>(
  'channels_link_health',
  `select channel_id, address, synced_at, fault, fault_since, retry_at, unreadable, last_unreadable,
     (select count(*)::integer from (
        select from channel_report r where r.account_id = l.account_id and r.channel_id = l.channel_id and r.due_at is not null
        limit 1000) as due) as unreported
   from channel_link l where account_id = $1 order by channel_id limit 100`,
);

/** How the linked shops of an account do. */
export async function listLinkHealth(db: Db, accountId: Uuid): Promise<LinkHealth[]> {
  return db.all(HEALTH, [accountId]);
}

const INSERT = statement<never>(
  'channels_insert_link',
  `insert into channel_link (account_id, channel_id, address, sealed, sealed_with, since, next_sync_at)
   values ($1, $2, $3, $4, $5, date_trunc('second', $6::timestamptz), $6)`,
);

/**
 * Links a channel that was just written with its shop, which is synchronised at once.
 * Shops have the times of their orders in seconds, so that it counts as linked from the second on.
 */
export async function insertShopLink(
  tx: Db,
  link: { accountId: Uuid; channelId: Uuid; address: string; sealed: Sealed; now: Date },
): Promise<void> {
  const { accountId, channelId, address, sealed, now } = link;
  await tx.all(INSERT, [accountId, channelId, address, sealed.bytes, sealed.keyId, now]);
}

const RENEW = statement<{ channel_id: Uuid }>(
  'channels_renew_link',
  `update channel_link set sealed = $3, sealed_with = $4, next_sync_at = $5, retry_at = null, failures = 0, set_up_at = null
   where account_id = $1 and channel_id = $2 returning channel_id`,
);

/** Takes other credentials of a linked shop, which is synchronised at once; whether it is linked. */
export async function renewLink(
  tx: Db,
  link: { accountId: Uuid; channelId: Uuid; sealed: Sealed; now: Date },
): Promise<boolean> {
  const { accountId, channelId, sealed, now } = link;
  return (await tx.one(RENEW, [accountId, channelId, sealed.bytes, sealed.keyId, now])) !== undefined;
}

const LOCK_SEALED = statement<Pick<ShopLink, 'sealed' | 'sealed_with'>>(
  'channels_lock_credentials',
  'select sealed, sealed_with from channel_link where account_id = $1 and channel_id = $2 for no key update',
);

/** Locks a link, for the renewal of its credentials; hints can still be noted. */
export async function lockCredentials(
  tx: Db,
  accountId: Uuid,
  channelId: Uuid,
): Promise<Pick<ShopLink, 'sealed' | 'sealed_with'> | undefined> {
  return tx.one(LOCK_SEALED, [accountId, channelId]);
}

export type ChannelAt = Pick<ShopLink, 'account_id' | 'channel_id' | 'state'>;

const AT_ADDRESS = statement<ChannelAt>(
  'channels_at_address',
  `select account_id, id as channel_id, state from channel where address = $1 and platform = $2 order by id limit 1000`,
);

/** The channels of all accounts that are or were linked with the shop of a platform at an address. */
export async function listChannelsAt(db: Db, address: string, platform: LinkedPlatform): Promise<ChannelAt[]> {
  return db.all(AT_ADDRESS, [address, platform]);
}

const FORGET_ADDRESS = statement<never>(
  'channels_forget_address',
  'update channel set address = null where account_id = $1 and id = $2',
);

/** Forgets where the shop of a channel was. */
export async function forgetAddress(tx: Db, accountId: Uuid, channelId: Uuid): Promise<void> {
  await tx.all(FORGET_ADDRESS, [accountId, channelId]);
}

const LOCK_ADDRESS = statement<never>(
  'channels_lock_address',
  "select pg_advisory_xact_lock(hashtextextended('channel_link ' || $1, 0))",
);

/** Has other links of the shop at an address wait until the end of the transaction. */
export async function lockAddress(tx: Db, address: string): Promise<void> {
  await tx.all(LOCK_ADDRESS, [address]);
}

const RESEAL = statement<never>(
  'channels_keep_credentials',
  'update channel_link set sealed = $3, sealed_with = $4 where account_id = $1 and channel_id = $2',
);

/** Keeps credentials that a shop has renewed. */
export async function keepCredentials(tx: Db, accountId: Uuid, channelId: Uuid, sealed: Sealed): Promise<void> {
  await tx.all(RESEAL, [accountId, channelId, sealed.bytes, sealed.keyId]);
}

const DELETE_REPORTS = statement<{ deleted: number }>(
  'channels_delete_reports',
  `with gone as (
     delete from channel_report where account_id = $1 and shop_order_id = any(array(
       select shop_order_id from channel_report where account_id = $1 and channel_id = $2 limit $3)) returning 1)
   select count(*)::integer as deleted from gone`,
);

/** Forgets a bounded number of reports to a shop; returns how many. */
export async function deleteReports(db: Db, accountId: Uuid, channelId: Uuid, limit: number): Promise<number> {
  return (await db.one(DELETE_REPORTS, [accountId, channelId, limit]))?.deleted ?? 0;
}

const DELETE = statement<never>(
  'channels_delete_link',
  'delete from channel_link where account_id = $1 and channel_id = $2',
);

/** Forgets how a shop is reached. Its reports must be gone before: they may be many. */
export async function deleteLink(tx: Db, accountId: Uuid, channelId: Uuid): Promise<void> {
  await tx.all(DELETE, [accountId, channelId]);
}

// Syncs ---------------------------------------------------------------------------------------------------------------

/** A sync must have ended by then, or another is made. */
const SYNC_AGAIN_SECONDS = 600;

// One whose sync waits or runs stays due: it may have ended all but in name, and would not see why it is due again.
const TAKE_DUE = statement<Pick<ShopLink, 'account_id' | 'channel_id'>>(
  'channels_take_due_links',
  `update channel_link l set next_sync_at = $1::timestamptz + make_interval(secs => ${SYNC_AGAIN_SECONDS})
   from (select account_id, channel_id from channel_link n where next_sync_at <= $1
           and not exists (select from job j where j.kind = $3 and j.key = n.channel_id::text and j.failed_at is null)
         order by next_sync_at, channel_id limit $2 for update skip locked) as d
   where l.account_id = d.account_id and l.channel_id = d.channel_id returning l.account_id, l.channel_id`,
);

/**
 * Takes shops whose time for a sync has come, a bounded number.
 * Without those for which a job of the kind is there.
 */
export async function takeDueLinks(
  tx: Db,
  of: { now: Date; limit: number; kind: string },
): Promise<Pick<ShopLink, 'account_id' | 'channel_id'>[]> {
  return tx.all(TAKE_DUE, [of.now, of.limit, of.kind]);
}

const HASTEN = statement<never>(
  'channels_hasten_sync',
  `update channel_link set next_sync_at = greatest($3::timestamptz, retry_at)
   where account_id = $1 and channel_id = $2 and next_sync_at > greatest($3::timestamptz, retry_at)`,
);

/** Has a shop synchronised at once, or once it is not left alone any more. */
export async function hastenSync(tx: Db, accountId: Uuid, channelId: Uuid, now: Date): Promise<void> {
  await tx.all(HASTEN, [accountId, channelId, now]);
}

// Each step finds the next channel in the index of reports that are due.
const HASTEN_REPORTS = statement<{ channel_id: Uuid }>(
  'channels_hasten_reports',
  `with recursive due(channel_id) as (
     (select channel_id from channel_report where due_at is not null order by channel_id limit 1)
     union all
     select (select r.channel_id from channel_report r where r.due_at is not null and r.channel_id > due.channel_id
             order by r.channel_id limit 1)
     from due where due.channel_id is not null
   )
   update channel_link l set next_sync_at = greatest($1::timestamptz, l.retry_at)
   from due where l.channel_id = due.channel_id and l.next_sync_at > greatest($1::timestamptz, l.retry_at)
     and exists (select from channel_report r where r.channel_id = l.channel_id and r.due_at <= $1)
   returning l.channel_id`,
);

/** Has the shops synchronised to which a report is due. */
export async function hastenReports(tx: Db, now: Date): Promise<void> {
  await tx.all(HASTEN_REPORTS, [now]);
}

const KEEP_PLACE = statement<never>(
  'channels_keep_place',
  `update channel_link set place = $3, synced_at = coalesce($4, synced_at) where account_id = $1 and channel_id = $2`,
);

/** Notes how far the changed orders of a shop were read, and that this is all of them if it is. */
export async function keepPlace(
  db: Db,
  of: { accountId: Uuid; channelId: Uuid },
  place: ListPlace,
  syncedAt: Date | null,
): Promise<void> {
  await db.all(KEEP_PLACE, [of.accountId, of.channelId, JSON.stringify(place), syncedAt]);
}

const NOTE_UNREADABLE = statement<never>(
  'channels_note_unreadable',
  `update channel_link set unreadable = unreadable + $3, last_unreadable = $4 where account_id = $1 and channel_id = $2`,
);

/** Counts orders that could not be read, with what was wrong with the last. */
export async function noteUnreadable(
  db: Db,
  of: { accountId: Uuid; channelId: Uuid },
  orders: number,
  last: string,
): Promise<void> {
  await db.all(NOTE_UNREADABLE, [of.accountId, of.channelId, orders, last]);
}

const KEEP_SINCE = statement<never>(
  'channels_keep_since',
  'update channel_link set since = $3 where account_id = $1 and channel_id = $2',
);

/** Notes when a shop was connected by its own clock. */
export async function keepSince(db: Db, of: { accountId: Uuid; channelId: Uuid }, since: Date): Promise<void> {
  await db.all(KEEP_SINCE, [of.accountId, of.channelId, since]);
}

const KEEP_FACTS = statement<never>(
  'channels_keep_facts',
  `update channel_link set facts = facts || $3::jsonb, set_up_at = coalesce($4, set_up_at)
   where account_id = $1 and channel_id = $2`,
);

/** Keeps what was learnt of a shop, and when it was set up if it was. */
export async function keepFacts(
  db: Db,
  of: { accountId: Uuid; channelId: Uuid },
  facts: Facts,
  setUpAt: Date | null,
): Promise<void> {
  await db.all(KEEP_FACTS, [of.accountId, of.channelId, JSON.stringify(facts), setUpAt]);
}

const END_WELL = statement<never>(
  'channels_end_sync',
  `update channel_link set failures = 0, retry_at = null, fault = null, fault_kind = null, fault_since = null, next_sync_at = $3
   where account_id = $1 and channel_id = $2`,
);
// A statement of its own: the one before may have waited for a hint that its snapshot does not have.
const HASTEN_HINTED = statement<never>(
  'channels_hasten_hinted',
  `update channel_link l set next_sync_at = $3
   where account_id = $1 and channel_id = $2 and next_sync_at > $3
     and (exists (select from channel_hint h where h.account_id = l.account_id and h.channel_id = l.channel_id)
       or exists (select from channel c where c.account_id = l.account_id and c.id = l.channel_id and c.state = 'disconnected')
       or l.set_up_at is null)`,
);

// Nothing is published for an account that is suspended.
const HASTEN_PRODUCTS = statement<never>(
  'channels_hasten_products',
  `update channel_link l set next_sync_at = greatest($3::timestamptz, d.due_at)
   from (select due_at from channel_product where account_id = $1 and channel_id = $2 and due_at is not null
         order by due_at limit 1) as d
   where l.account_id = $1 and l.channel_id = $2 and l.next_sync_at > greatest($3::timestamptz, d.due_at)
     and exists (select from account a where a.id = $1 and a.suspended_at is null)`,
);

/**
 * Ends a sync that went well.
 * What the shop has said since its orders were read is a reason for another at once, and so is that it was
 * disconnected, or connected again. A product that is to be published in it is one at its time.
 */
export async function endSync(
  db: Db,
  of: { accountId: Uuid; channelId: Uuid },
  nextAt: Date,
  now: Date,
): Promise<void> {
  await db.all(END_WELL, [of.accountId, of.channelId, nextAt]);
  await db.all(HASTEN_HINTED, [of.accountId, of.channelId, now]);
  await db.all(HASTEN_PRODUCTS, [of.accountId, of.channelId, now]);
}

const END_BADLY = statement<{ channel_id: Uuid }>(
  'channels_fail_sync',
  `update channel_link set next_sync_at = $3, retry_at = $3, failures = failures + 1, fault = $4, fault_kind = $5,
     fault_since = coalesce(fault_since, $6)
   where account_id = $1 and channel_id = $2 and sealed = $7
   returning channel_id`,
);

/**
 * Ends a sync that failed by a fault of the shop, which is left alone until a time.
 * A shop that was connected again meanwhile is synchronised at once: the fault may be that of what was `used` before.
 */
export async function failSync(
  db: Db,
  of: { accountId: Uuid; channelId: Uuid },
  fault: { retryAt: Date; message: string; kind: FaultKind; now: Date; used: Buffer },
): Promise<void> {
  const { retryAt, message, kind, now, used } = fault;
  const failed = await db.one(END_BADLY, [of.accountId, of.channelId, retryAt, message, kind, now, used]);
  if (failed === undefined) await hastenSync(db, of.accountId, of.channelId, now);
}

// Hints ---------------------------------------------------------------------------------------------------------------

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

/** What shops let us in with. */
export const SEALED_LINKS = sealedColumn({
  kind: 'shop credentials',
  slice: 'channel_links',
  table: 'channel_link',
  sealed: 'sealed',
  sealedWith: 'sealed_with',
  key: 'channel_id',
  keyAsText: 'channel_id::text',
  keyFromText: 'name::uuid',
  order: 'channel_id',
});
