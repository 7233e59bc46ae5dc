import { type Db, statement } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';
import type { Facts, ListPlace } from '../platforms/port.ts';
import type { FaultKind } from '../platforms/shop-call.ts';
import type { ShopLink } from './link-sql.ts';

// When linked shops are synchronised, and how far each sync came.

/** A sync must have ended by then, or another is made. */
const SYNC_AGAIN_SECONDS = 600;

/** Until a shop is asked again that was away and sends notices again. */
const NOTICED_AGAIN_SECONDS = 30;
/** Until when a shop is left alone; $3 is now. One that goes on in spite of a fault is not. */
const LEFT_UNTIL = `case when retry_at is not null and fault_kind in ('away', 'broken')
     then least(retry_at, $3::timestamptz + make_interval(secs => ${NOTICED_AGAIN_SECONDS})) else retry_at end`;

/** A shop that is to be synchronised; `is_slow` where it answered slowly the last time. */
type DueLink = Pick<ShopLink, 'account_id' | 'channel_id'> & { readonly is_slow: boolean };

// One whose sync waits or runs stays due: it may have ended all but in name, and would not see why it is due again.
const TAKE_DUE = statement<DueLink>(
  'channels_take_due_links',
  `update channel_link l set next_sync_at = $1::timestamptz + make_interval(secs => ${SYNC_AGAIN_SECONDS})
   from (select account_id, channel_id from channel_link n where next_sync_at <= $1
           and not exists (select from job j where j.kind = any($3) and j.key = n.channel_id::text and j.failed_at is null)
         order by next_sync_at, channel_id limit $2 for update skip locked) as d
   where l.account_id = d.account_id and l.channel_id = d.channel_id
   returning l.account_id, l.channel_id, coalesce(l.facts ->> 'is_slow' = 'true', false) as is_slow`,
);

/**
 * Takes shops whose time for a sync has come, a bounded number.
 * Without those for which a job of these kinds is there.
 */
export async function takeDueLinks(
  tx: Db,
  of: { now: Date; limit: number; kinds: readonly string[] },
): Promise<DueLink[]> {
  return tx.all(TAKE_DUE, [of.now, of.limit, of.kinds]);
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

const HASTEN_NOTICED = statement<never>(
  'channels_hasten_noticed',
  `update channel_link set next_sync_at = greatest($3::timestamptz, ${LEFT_UNTIL})
   where account_id = $1 and channel_id = $2 and next_sync_at > greatest($3::timestamptz, ${LEFT_UNTIL})`,
);

/**
 * As `hastenSync`, of a shop that has just sent a signed notice.
 * One that did not answer, or with what is no answer, is up again by its own word, and is asked soon.
 */
export async function hastenNoticed(tx: Db, accountId: Uuid, channelId: Uuid, now: Date): Promise<void> {
  await tx.all(HASTEN_NOTICED, [accountId, channelId, now]);
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

/** The fact that a shop's clock was read, by which `since` is. */
export const CLOCK_READ = 'is_clock_read';

const KEEP_SINCE = statement<never>(
  'channels_keep_since',
  `update channel_link set since = $3, facts = facts || '{"${CLOCK_READ}": true}'
   where account_id = $1 and channel_id = $2`,
);

/**
 * Notes when a shop was connected by its own clock.
 * Once: what was added to `since` is not added again.
 */
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
// A statement of its own: the one before may have waited for a hint that its snapshot does not have. Of an account that
// is suspended no hint is read.
const HASTEN_HINTED = statement<never>(
  'channels_hasten_hinted',
  `update channel_link l set next_sync_at = $3
   where account_id = $1 and channel_id = $2 and next_sync_at > $3
     and ((exists (select from channel_hint h where h.account_id = l.account_id and h.channel_id = l.channel_id
                     and (h.again_at is null or h.again_at <= $3))
           and exists (select from account a where a.id = l.account_id and a.suspended_at is null))
       or exists (select from channel c where c.account_id = l.account_id and c.id = l.channel_id and c.state = 'disconnected')
       or l.set_up_at is null)`,
);

const NOTE_FAULT = statement<never>(
  'channels_note_fault',
  `update channel_link set fault = $3, fault_kind = $4, fault_since = $5 where account_id = $1 and channel_id = $2`,
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
 * disconnected, or connected again. A product that is to be published in it is one at its time. What its people have to
 * mend although it goes on is noted as a fault.
 */
export async function endSync(
  db: Db,
  of: { accountId: Uuid; channelId: Uuid },
  { nextAt, now, ...at }: { nextAt: Date; now: Date; fault?: { message: string; kind: FaultKind; since: Date } },
): Promise<void> {
  await db.all(END_WELL, [of.accountId, of.channelId, nextAt]);
  if (at.fault !== undefined) {
    const { message, kind, since } = at.fault;
    await db.all(NOTE_FAULT, [of.accountId, of.channelId, message, kind, since]);
  }
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
