import { type Db, statement } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';
import type { KeptItem, ShopOrder } from '../shop-order.ts';
import type { Parts } from './parts.ts';
import type { InboxReason, InboxState } from './reasons.ts';
import type { LaterOrder } from './to-be-made.ts';

// Orders of shops, and what became of each.

/** What is wrong with an order, and with which member of what the shop sent. */
export type InboxProblem = { readonly path: string; readonly message: string };

export type InboxRow = {
  account_id: Uuid;
  id: Uuid;
  channel_id: Uuid;
  channel_name: string;
  shop_order_id: string;
  /** The shop's id of the order that it adds pieces to; null for one of its own. */
  supplement_of: string | null;
  shop_number: string;
  changed_at: Date;
  state: InboxState;
  reason: InboxReason;
  problems: InboxProblem[];
  content: ShopOrder | null;
  digest: Buffer;
  /** What it sent after it was placed, until that is done here. */
  later: LaterOrder | null;
  /** Of what is placed, or is to be; null of one of before they were kept. */
  parts: Parts | null;
  items: KeptItem[];
  missing: string[];
  revision: number;
  is_approved: boolean;
  /** A person has put its address right. */
  is_corrected: boolean;
  look_at: Date | null;
  ordered_at: Date;
  received_at: Date;
  ended_at: Date | null;
  order_id: Uuid | null;
  order_reference: string | null;
  order_state: string | null;
  /** When it was last reported to its shop; null where it was not, or the shop sends its orders itself. */
  reported_at: Date | null;
  /** Whether its shop knows all of it; null where nothing is reported to it. */
  is_reported: boolean | null;
  report_problem: string | null;
};

/** SQL of what is read of an order `s` of a shop. */
export const SHOWN_ORDER = `s.account_id, s.id, s.channel_id, s.shop_order_id, s.supplement_of, s.shop_number, s.changed_at, s.state,
  s.reason,
  s.problems, s.content, s.digest, s.later, s.parts, s.items, s.missing, s.revision, s.is_approved, s.is_corrected, s.look_at, s.ordered_at,
  s.received_at, s.ended_at, s.order_id,
  (select c.name from channel c where c.account_id = s.account_id and c.id = s.channel_id) as channel_name,
  (select o.reference from orders o where o.account_id = s.account_id and o.id = s.order_id) as order_reference,
  (select o.state from orders o where o.account_id = s.account_id and o.id = s.order_id) as order_state,
  (select r.reported_at from channel_report r where r.account_id = s.account_id and r.shop_order_id = s.id) as reported_at,
  (select r.due_at is null and r.failed_at is null from channel_report r
   where r.account_id = s.account_id and r.shop_order_id = s.id) as is_reported,
  (select r.problem from channel_report r where r.account_id = s.account_id and r.shop_order_id = s.id) as report_problem`;

const ONE = statement<InboxRow>(
  'channels_order',
  `select ${SHOWN_ORDER} from channel_order s where s.account_id = $1 and s.id = $2`,
);

/** An order of a shop of an account. */
export async function findInboxRow(db: Db, accountId: Uuid, id: Uuid): Promise<InboxRow | undefined> {
  return db.one(ONE, [accountId, id]);
}

const ANY = statement<InboxRow>('channels_any_order', `select ${SHOWN_ORDER} from channel_order s where s.id = $1`);

/** An order of a shop of any account: for operators. */
export async function findAnyInboxRow(db: Db, id: Uuid): Promise<InboxRow | undefined> {
  return db.one(ANY, [id]);
}

const LOCK = statement<InboxRow>(
  'channels_lock_order',
  `select ${SHOWN_ORDER} from channel_order s where s.account_id = $1 and s.id = $2 for no key update of s`,
);

/** As `findInboxRow`, under a lock. */
export async function lockInboxRow(tx: Db, accountId: Uuid, id: Uuid): Promise<InboxRow | undefined> {
  return tx.one(LOCK, [accountId, id]);
}

const LOCK_BY_SHOP = statement<InboxRow>(
  'channels_lock_order_of_shop',
  `select ${SHOWN_ORDER} from channel_order s
   where s.account_id = $1 and s.channel_id = $2 and s.shop_order_id = $3 for no key update of s`,
);

/** Locks the order that a shop knows by an id. */
export async function lockOrderOfShop(
  tx: Db,
  accountId: Uuid,
  channelId: Uuid,
  shopOrderId: string,
): Promise<InboxRow | undefined> {
  return tx.one(LOCK_BY_SHOP, [accountId, channelId, shopOrderId]);
}

const INSERT = statement<never>(
  'channels_insert_order',
  `insert into channel_order (account_id, id, channel_id, shop_order_id, shop_number, changed_at, state, content, digest,
     items, ordered_at, received_at, weight, parts, supplement_of)
   values ($1, $2, $3, $4, $5, $6, 'new', $7, $8, $9, $10, $11, $12, $13, $14)`,
);

/** What is kept of what a shop sent. */
export type Received = {
  readonly content: ShopOrder;
  readonly digest: Buffer;
  readonly parts: Parts;
  /** Digest and parts by every key: what is kept may be by a former one. */
  readonly earlier: readonly Pick<Received, 'digest' | 'parts'>[];
  readonly items: readonly KeptItem[];
  readonly changedAt: Date;
  readonly orderedAt: Date;
  /** What it counts as among those that have not ended. */
  readonly weight: number;
  readonly now: Date;
};

/** Writes an order that a shop sent for the first time. */
export async function insertInboxRow(
  tx: Db,
  order: Received & {
    readonly accountId: Uuid;
    readonly id: Uuid;
    readonly channelId: Uuid;
    readonly supplementOf?: string;
  },
): Promise<void> {
  const { accountId, id, channelId, content, digest, parts, items, changedAt, orderedAt, weight, now } = order;
  await tx.all(INSERT, [
    accountId,
    id,
    channelId,
    content.id,
    numberOf(content),
    changedAt,
    JSON.stringify(content),
    digest,
    JSON.stringify(items),
    orderedAt,
    now,
    weight,
    JSON.stringify(parts),
    order.supplementOf ?? null,
  ]);
}

/** What people of the shop call an order. */
function numberOf({ id, number = '' }: ShopOrder): string {
  return number === '' ? id : number;
}

const RENEW = statement<{ revision: number }>(
  'channels_renew_order',
  `update channel_order set content = $3, digest = $4, items = $5, changed_at = $6, ordered_at = $7, weight = $8,
     parts = $9, is_corrected = $10, state = 'new',
     shop_number = case when reason = 'unreadable' then $11 else shop_number end,
     reason = '', problems = '[]', missing = '{}', look_at = null, ended_at = null, revision = revision + 1,
     waits_since = $12, is_approved = is_approved and $13
   where account_id = $1 and id = $2 returning revision`,
);

/**
 * Takes what a shop sent later in place of what came before; returns the new revision.
 * `isCorrected`: whether the address that a person has put right stays. `isCovered`: whether an approval does.
 */
export async function renewInboxRow(
  tx: Db,
  row: Pick<InboxRow, 'account_id' | 'id'>,
  order: Received,
  { isCorrected, isCovered }: { readonly isCorrected: boolean; readonly isCovered: boolean },
): Promise<number> {
  const { content, digest, parts, items, changedAt, orderedAt, weight, now } = order;
  const [json, kept, of] = [JSON.stringify(content), JSON.stringify(items), JSON.stringify(parts)];
  const values = [json, digest, kept, changedAt, orderedAt, weight, of, isCorrected, numberOf(content), now, isCovered];
  const renewed = await tx.one(RENEW, [row.account_id, row.id, ...values]);
  if (renewed === undefined) throw new Error('a locked order of a shop is gone');
  return renewed.revision;
}

const NOTE_LATER = statement<never>(
  'channels_note_later',
  `update channel_order set changed_at = greatest(changed_at, $3), digest = $4, parts = $5
   where account_id = $1 and id = $2 and (changed_at < $3 or digest <> $4)`,
);

/**
 * Notes that an order was the same at a later time: what lies between the two is no news any more.
 * Its digests are written as they are by the present key.
 */
export async function noteLater(
  tx: Db,
  row: Pick<InboxRow, 'account_id' | 'id' | 'digest' | 'parts'>,
  changedAt: Date,
): Promise<void> {
  const parts = row.parts === null ? null : JSON.stringify(row.parts);
  await tx.all(NOTE_LATER, [row.account_id, row.id, changedAt, row.digest, parts]);
}

const NOTE_CHANGE = statement<{ revision: number }>(
  'channels_note_change',
  `update channel_order set digest = $3, changed_at = $4, reason = $5, problems = $7, revision = revision + 1, later = $6
   where account_id = $1 and id = $2 returning revision`,
);

/** Notes on a placed order what a shop sent later, which is to be looked at; returns the new revision. */
export async function noteChange(
  tx: Db,
  row: Pick<InboxRow, 'account_id' | 'id'>,
  change: {
    digest: Buffer;
    changedAt: Date;
    reason: InboxReason;
    later: ShopOrder | null;
    problems?: readonly InboxProblem[];
  },
): Promise<number> {
  const { digest, changedAt, reason, later, problems = [] } = change;
  const values = [digest, changedAt, reason, later === null ? null : JSON.stringify(later), JSON.stringify(problems)];
  const noted = await tx.one(NOTE_CHANGE, [row.account_id, row.id, ...values]);
  if (noted === undefined) throw new Error('a locked order of a shop is gone');
  return noted.revision;
}

const RECORD = statement<{ id: Uuid }>(
  'channels_record_order',
  `update channel_order set state = $4, reason = $5, problems = $6, missing = $7, look_at = $8, order_id = $9,
     items = $10, ended_at = case when $4 in ('placed', 'ignored') then $11::timestamptz end, later = null,
     parts = coalesce($12, parts), revision = revision + case when $5 = 'by_person' then 1 else 0 end,
     content = case when $4 in ('placed', 'ignored') then null else content end
   where account_id = $1 and id = $2 and revision = $3 returning id`,
);

/** What became of an order of a shop. */
export type InboxOutcome = {
  readonly state: InboxState;
  readonly reason: InboxReason;
  readonly problems?: readonly InboxProblem[];
  readonly missing?: readonly string[];
  readonly lookAt?: Date;
  readonly orderId?: Uuid;
  readonly items?: readonly KeptItem[];
  /** Of what is done here now, where that is another than before. */
  readonly parts?: Parts;
};

/**
 * Records what became of an order; false if it has changed since it was read.
 * What a person decides raises the revision: a look that goes on meanwhile finds itself overtaken.
 */
export async function recordOutcome(
  tx: Db,
  row: Pick<InboxRow, 'account_id' | 'id' | 'revision' | 'items' | 'order_id'>,
  outcome: InboxOutcome,
  now: Date,
): Promise<boolean> {
  const { state, reason, problems = [], missing = [], lookAt = null, orderId = row.order_id, items, parts } = outcome;
  const recorded = await tx.one(RECORD, [
    row.account_id,
    row.id,
    row.revision,
    state,
    reason,
    JSON.stringify(problems),
    missing,
    lookAt,
    orderId,
    JSON.stringify(items ?? row.items),
    now,
    parts === undefined ? null : JSON.stringify(parts),
  ]);
  return recorded !== undefined;
}

const APPROVE = statement<{ revision: number }>(
  'channels_approve_order',
  `update channel_order set is_approved = is_approved or $3, state = 'new', reason = '', problems = '[]', look_at = null,
     revision = revision + 1 where account_id = $1 and id = $2 returning revision`,
);

/** Has a locked order looked at anew, as approved by a person or not; returns the new revision. */
export async function lookAnew(tx: Db, row: Pick<InboxRow, 'account_id' | 'id'>, isApproved: boolean): Promise<number> {
  const renewed = await tx.one(APPROVE, [row.account_id, row.id, isApproved]);
  if (renewed === undefined) throw new Error('a locked order of a shop is gone');
  return renewed.revision;
}

const CORRECT = statement<{ revision: number }>(
  'channels_correct_address',
  `update channel_order set content = jsonb_set(content, '{shipping_address}', $3), is_corrected = true, state = 'new',
     reason = '', problems = '[]', look_at = null, revision = revision + 1 where account_id = $1 and id = $2 returning revision`,
);

/**
 * Puts the address of a locked order right that is not placed, and has it looked at anew.
 * Returns the new revision.
 */
export async function correctAddress(
  tx: Db,
  row: Pick<InboxRow, 'account_id' | 'id'>,
  address: ShopOrder['shipping_address'],
): Promise<number> {
  const corrected = await tx.one(CORRECT, [row.account_id, row.id, JSON.stringify(address)]);
  if (corrected === undefined) throw new Error('a locked order of a shop is gone');
  return corrected.revision;
}

const LOOK_AT_REASON = statement<never>(
  'channels_look_at_reason',
  `update channel_order set look_at = $4 where account_id = $1 and channel_id = $2 and reason = $3 and state = 'waiting'`,
);

/** Has the orders of a channel that wait for one reason looked at again. */
export async function lookAtReason(
  tx: Db,
  of: { accountId: Uuid; channelId: Uuid; reason: InboxReason },
  now: Date,
): Promise<void> {
  await tx.all(LOOK_AT_REASON, [of.accountId, of.channelId, of.reason, now]);
}

const LOOK_AT_ITEM = statement<never>(
  'channels_look_at_item',
  `update channel_order set look_at = $5 where account_id = $1 and channel_id = $2 and reason = $3
     and state = 'waiting' and $4 = any(missing)`,
);

/** Has the orders that wait by a reason for what is said of an item looked at again. */
export async function lookAtItem(
  tx: Db,
  of: { accountId: Uuid; channelId: Uuid; key: string; reason: InboxReason },
  now: Date,
): Promise<void> {
  await tx.all(LOOK_AT_ITEM, [of.accountId, of.channelId, of.reason, of.key, now]);
}

const LOOK_AT_ALL = statement<never>(
  'channels_look_at_all',
  `update channel_order set look_at = $3
   where account_id = $1 and channel_id = $2 and state = any(array['waiting', 'failed'])`,
);

/** Has all orders of a channel that wait or have failed looked at again. */
export async function lookAtAll(tx: Db, of: { accountId: Uuid; channelId: Uuid }, now: Date): Promise<void> {
  await tx.all(LOOK_AT_ALL, [of.accountId, of.channelId, now]);
}

const TAKE_DUE = statement<Pick<InboxRow, 'account_id' | 'channel_id' | 'id' | 'revision'>>(
  'channels_take_due',
  `update channel_order s set look_at = null, revision = revision + 1,
     waits_since = case when s.reason = 'scheduled' then $1 else s.waits_since end
   from (select account_id, id from channel_order where look_at <= $1 order by look_at, id limit $2 for update skip locked) as d
   where s.account_id = d.account_id and s.id = d.id returning s.account_id, s.channel_id, s.id, s.revision`,
);

/** Takes orders whose time to be looked at again has come, a bounded number. */
export async function takeDue(
  tx: Db,
  now: Date,
  limit: number,
): Promise<Pick<InboxRow, 'account_id' | 'channel_id' | 'id' | 'revision'>[]> {
  return tx.all(TAKE_DUE, [now, limit]);
}

const END_OLD = statement<{ id: Uuid }>(
  'channels_end_old',
  `update channel_order set state = 'ignored', reason = 'too_old', content = null, problems = '[]', missing = '{}',
     look_at = null, ended_at = $2, revision = revision + 1
   where id = any(array(
     select id from channel_order where coalesce(waits_since, received_at) < $1 and ended_at is null
       and not (reason = 'scheduled' and look_at > $1)
     order by coalesce(waits_since, received_at), id limit $3 for update skip locked))
   returning id`,
);

/** Ends orders that have waited since before a time, a bounded number; returns how many. */
export async function endOld(tx: Db, before: Date, now: Date, limit: number): Promise<number> {
  return (await tx.all(END_OLD, [before, now, limit])).length;
}
