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
  /** When it was disconnected. */
  ended_at: Date | null;
  is_suspended: boolean;
  refunds_buyers: boolean;
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
  `select l.*, c.platform, c.state, c.ended_at, c.refunds_buyers, a.suspended_at is not null as is_suspended
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
> & { unreported: number; refused_reports: number; refused_products: number };

const HEALTH = statement<LinkHealth>(
  'channels_link_health',
  `select l.channel_id, l.address, l.synced_at, l.fault, l.fault_since, l.retry_at, l.unreadable, l.last_unreadable,
     (select count(*)::integer from (
        select from channel_report r where r.account_id = l.account_id and r.channel_id = l.channel_id and r.due_at is not null
        limit 1000) as due) as unreported,
     (select count(*)::integer from (
        select from channel_report r where r.account_id = l.account_id and r.channel_id = l.channel_id and r.failed_at is not null
        limit 1000) as failed) as refused_reports,
     (select count(*)::integer from (
        select from channel_product p where p.account_id = l.account_id and p.channel_id = l.channel_id
          and p.failing_since is not null limit 1000) as failing) as refused_products
   from unnest($1::uuid[], $2::uuid[]) as c(account_id, id)
     join channel_link l on l.account_id = c.account_id and l.channel_id = c.id`,
);

/** How those of some channels do that are linked shops. */
export async function listLinkHealth(
  db: Db,
  channels: readonly { readonly account_id: Uuid; readonly id: Uuid }[],
): Promise<LinkHealth[]> {
  return db.all(HEALTH, [channels.map(({ account_id: accountId }) => accountId), channels.map(({ id }) => id)]);
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
  `update channel_link set sealed = $3, sealed_with = $4, next_sync_at = $5, retry_at = null, failures = 0, set_up_at = null,
     facts = facts - 'renewal'
   where account_id = $1 and channel_id = $2 returning channel_id`,
);

/**
 * Takes other credentials of a linked shop, which is synchronised at once; whether it is linked.
 * What a renewal that is under way gives is not kept.
 */
export async function renewLink(
  tx: Db,
  link: { accountId: Uuid; channelId: Uuid; sealed: Sealed; now: Date },
): Promise<boolean> {
  const { accountId, channelId, sealed, now } = link;
  return (await tx.one(RENEW, [accountId, channelId, sealed.bytes, sealed.keyId, now])) !== undefined;
}

type SealedRow = Pick<ShopLink, 'sealed' | 'sealed_with'>;

const READ_SEALED = statement<SealedRow>(
  'channels_read_credentials',
  'select sealed, sealed_with from channel_link where account_id = $1 and channel_id = $2',
);

/** What a shop lets us in with; undefined where it is not linked any more. */
export async function readCredentials(db: Db, accountId: Uuid, channelId: Uuid): Promise<SealedRow | undefined> {
  return db.one(READ_SEALED, [accountId, channelId]);
}

// By the clock of the database, which all nodes have alike.
const CLAIM_RENEWAL = statement<{ channel_id: Uuid }>(
  'channels_claim_renewal',
  `update channel_link set facts = facts || jsonb_build_object('renewal',
     jsonb_build_object('by', $4::text, 'until', clock_timestamp() + make_interval(secs => $5)))
   where account_id = $1 and channel_id = $2 and sealed = $3
     and coalesce((facts #>> '{renewal,until}')::timestamptz <= clock_timestamp(), true)
   returning channel_id`,
);

/**
 * Claims the renewal of credentials for some seconds.
 * False where they are others now, or another renews them.
 */
export async function claimRenewal(
  db: Db,
  of: { accountId: Uuid; channelId: Uuid },
  { sealed, by, seconds }: { sealed: Buffer; by: Uuid; seconds: number },
): Promise<boolean> {
  return (await db.one(CLAIM_RENEWAL, [of.accountId, of.channelId, sealed, by, seconds])) !== undefined;
}

const END_RENEWAL = statement<never>(
  'channels_end_renewal',
  `update channel_link set facts = facts - 'renewal'
   where account_id = $1 and channel_id = $2 and facts #>> '{renewal,by}' = $3`,
);

/** Gives a claimed renewal up, of which nothing came. */
export async function endRenewal(db: Db, of: { accountId: Uuid; channelId: Uuid }, by: Uuid): Promise<void> {
  await db.all(END_RENEWAL, [of.accountId, of.channelId, by]);
}

export type ChannelAt = Pick<ShopLink, 'account_id' | 'channel_id' | 'state'>;

const AT_ADDRESS = statement<ChannelAt>(
  'channels_at_address',
  `select account_id, id as channel_id, state from channel where address = any($1) and platform = $2
   order by id limit 1000`,
);

/** The channels of all accounts that are or were linked with the shop at one of some addresses. */
export async function listChannelsAt(
  db: Db,
  addresses: readonly string[],
  platform: LinkedPlatform,
): Promise<ChannelAt[]> {
  return db.all(AT_ADDRESS, [addresses, platform]);
}

const OWN_AT_ADDRESS = statement<{ id: Uuid }>(
  'channels_own_at_address',
  `select id from channel where account_id = $1 and address = $2 and platform = $3 and state <> 'disconnected'
   order by id limit 1`,
);

/** The channel of an account that is linked with the shop of a platform at an address. */
export async function findOwnChannelAt(
  db: Db,
  accountId: Uuid,
  at: { address: string; platform: LinkedPlatform },
): Promise<Uuid | undefined> {
  return (await db.one(OWN_AT_ADDRESS, [accountId, at.address, at.platform]))?.id;
}

export type NamedShop = { channel_id: Uuid; name: string; address: string };

// An account has at most a hundred channels.
const OWN_NAMED = statement<NamedShop>(
  'channels_own_shop_named',
  `select c.id as channel_id, c.name, l.address from channel c
     join channel_link l on l.account_id = c.account_id and l.channel_id = c.id
   where c.account_id = $1 and c.platform = $2 and c.state <> 'disconnected' and l.facts ->> 'shop' = $3 and c.id <> $4
   order by c.id limit 1`,
);

/** The channel of an account that has claimed the shop of a name, but for one. */
export async function findOwnShopNamed(
  db: Db,
  accountId: Uuid,
  { platform, name, exceptId }: { platform: LinkedPlatform; name: string; exceptId: Uuid },
): Promise<NamedShop | undefined> {
  return db.one(OWN_NAMED, [accountId, platform, name, exceptId]);
}

const FORGET_ADDRESS = statement<never>(
  'channels_forget_address',
  'update channel set address = $3 where account_id = $1 and id = $2',
);

/** Forgets where the shop of a channel was, but for a mark by which it is known again. */
export async function forgetAddress(tx: Db, accountId: Uuid, channelId: Uuid, mark: string): Promise<void> {
  await tx.all(FORGET_ADDRESS, [accountId, channelId, mark]);
}

const KNOW_AGAIN = statement<never>(
  'channels_know_again',
  'update channel set address = $2 where account_id = $1 and address = any($3) and platform = $4',
);

/** Gives channels of an account whose shop was forgotten its address again, by their marks. */
export async function knowAgain(
  tx: Db,
  accountId: Uuid,
  at: { address: string; marks: readonly string[]; platform: LinkedPlatform },
): Promise<void> {
  await tx.all(KNOW_AGAIN, [accountId, at.address, at.marks, at.platform]);
}

const LOCK_ADDRESS = statement<never>(
  'channels_lock_address',
  "select pg_advisory_xact_lock(hashtextextended('channel_link ' || $1, 0))",
);

/** Has other links of the shop at an address wait until the end of the transaction. */
export async function lockAddress(tx: Db, address: string): Promise<void> {
  await tx.all(LOCK_ADDRESS, [address]);
}

const RESEAL = statement<{ channel_id: Uuid }>(
  'channels_keep_credentials',
  `update channel_link set sealed = $4, sealed_with = $5, facts = facts - 'renewal'
   where account_id = $1 and channel_id = $2 and facts #>> '{renewal,by}' = $3 returning channel_id`,
);

/** Keeps credentials that a shop has renewed, which ends the claim; false where that was lost. */
export async function keepCredentials(
  db: Db,
  of: { accountId: Uuid; channelId: Uuid },
  { by, fresh }: { by: Uuid; fresh: Sealed },
): Promise<boolean> {
  return (await db.one(RESEAL, [of.accountId, of.channelId, by, fresh.bytes, fresh.keyId])) !== undefined;
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
