import { type Db, statement } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';
import type { PlaceOrderBody } from '../../orders/schema.ts';
import type { EntryState } from './order-file-sql.ts';

export type ClaimedFile = { account_id: Uuid; id: Uuid; state: 'checking' | 'placing' };

// One file of an account at a time: the first of those that are due, while none of them is leased. Of two workers that
// look at once, both see the same first one.
const CLAIM = statement<ClaimedFile>(
  'checkout_claim_order_file',
  `update order_file f set lease_token = $1, leased_until = $3
   where f.id = (
     select d.id from order_file d
     where d.state in ('checking', 'placing') and d.turn_at <= $2 and (d.leased_until is null or d.leased_until < $2)
       and (select a.suspended_at from account a where a.id = d.account_id) is null
       and d.account_id <> all($4::uuid[])
       and not exists (
         select from order_file o where o.account_id = d.account_id and o.id <> d.id and o.state in ('checking', 'placing')
           and (o.leased_until >= $2 or (o.turn_at, o.id) < (d.turn_at, d.id)))
     order by d.turn_at, d.id limit 1 for update of d skip locked
   )
   returning f.account_id, f.id, f.state`,
);

/**
 * Leases the file whose turn it is; those of a suspended account wait.
 * So do those of an account of which one is leased, and of the accounts in `busy`: a file that is read anew loses its
 * lease while its turn still goes on.
 */
export async function claimFile(
  db: Db,
  lease: { readonly token: Uuid; readonly now: Date; readonly until: Date; readonly busy: readonly Uuid[] },
): Promise<ClaimedFile | undefined> {
  return db.one(CLAIM, [lease.token, lease.now, lease.until, lease.busy]);
}

export type WaitingEntry = {
  place: number;
  row_numbers: number[];
  body: PlaceOrderBody;
  total_pence: number | null;
  attempts: number;
  /** The order that an earlier file placed of the same order of the shop, under another number. */
  repeated: { order_id: Uuid; reference: string; external_reference: string } | null;
};

// An order that has the entry's own number is found by it, and comes before any other.
const OTHERWISE_NUMBERED = `join orders p on p.account_id = r.account_id and p.id = r.order_id
       where r.account_id = $1 and r.order_id is not null and not f.places_repeats
         and p.external_reference <> e.external_reference
         and not exists (select from order_reference n
           where n.external_reference = e.external_reference and n.account_id = $1)`;
const NEXT = statement<WaitingEntry>(
  'checkout_next_order_file_orders',
  `select e.place, e.row_numbers, e.body, e.total_pence, e.attempts, to_jsonb(x) as repeated
   from order_file f join order_file_order e on e.account_id = f.account_id and e.file_id = f.id
   left join lateral (
     (select p.id as order_id, p.reference, p.external_reference from order_file_order r ${OTHERWISE_NUMBERED}
       and r.shop_number = e.shop_number limit 1)
     union all
     (select p.id, p.reference, p.external_reference from order_file s
       join order_file_order r on r.account_id = s.account_id and r.file_id = s.id ${OTHERWISE_NUMBERED}
       and s.content_hash = f.content_hash and s.id <> f.id and r.row_numbers && e.row_numbers limit 1)
     limit 1
   ) as x on true
   where f.account_id = $1 and f.id = $2 and e.state = $3 and e.body is not null order by e.place limit $4`,
);

/** The next orders of a file in a state. */
export async function nextEntries(
  db: Db,
  of: { readonly account_id: Uuid; readonly id: Uuid },
  state: EntryState,
  limit: number,
): Promise<WaitingEntry[]> {
  return db.all(NEXT, [of.account_id, of.id, state, limit]);
}

const BEGIN = statement<{ place: number; begun_at: Date }>(
  'checkout_begin_order_file_orders',
  `update order_file_order set begun_at = coalesce(begun_at, $4)
   where account_id = $1 and file_id = $2 and place = any($3::integer[]) returning place, begun_at`,
);

/**
 * Notes that some entries of a file are about to be placed; returns by place when each was first.
 * A worker may die after it has placed an order: the next one tells it by this from an order that came from elsewhere.
 */
export async function beginEntries(
  db: Db,
  of: { readonly account_id: Uuid; readonly id: Uuid },
  places: readonly number[],
  now: Date,
): Promise<ReadonlyMap<number, Date>> {
  const rows = await db.all(BEGIN, [of.account_id, of.id, places, now]);
  return new Map(rows.map(({ place, begun_at: begunAt }) => [place, begunAt]));
}

const IS_CANCELLED = statement<{ is_cancelled: boolean }>(
  'checkout_order_is_cancelled',
  `select state = 'cancelled' as is_cancelled from orders where account_id = $1 and id = $2`,
);

/** Whether an order of an account was cancelled. */
export async function isCancelled(db: Db, accountId: Uuid, orderId: Uuid): Promise<boolean> {
  return (await db.one(IS_CANCELLED, [accountId, orderId]))?.is_cancelled === true;
}

/** What became of an order of a file. */
export type EntryOutcome = {
  readonly place: number;
  readonly state: EntryState;
  readonly total_pence: number | null;
  readonly problems: readonly { readonly row: number; readonly field: string | null; readonly message: string }[];
  readonly warnings: readonly string[];
  readonly is_unpaid: boolean;
  readonly attempts: number;
  readonly order_id: Uuid | null;
  readonly reference: string | null;
};

const LOCK_LEASED = statement<{ id: Uuid }>(
  'checkout_lock_leased_order_file',
  'select id from order_file where account_id = $1 and id = $2 and lease_token = $3 for update',
);
// What was placed is in its order: the request goes, so that an address is not held twice.
const RECORD = statement<never>(
  'checkout_record_order_file_orders',
  `update order_file_order o set state = e.state, total_pence = coalesce(e.total_pence, o.total_pence), problems = e.problems,
     warnings = case when o.state = 'waiting' then e.warnings else e.warnings || o.warnings end, is_unpaid = e.is_unpaid, attempts = e.attempts, order_id = e.order_id,
     reference = e.reference, body = case when e.state in ('waiting', 'ready') then o.body end
   from jsonb_to_recordset($4::jsonb) as e(place integer, state text, total_pence bigint, problems jsonb, warnings jsonb, is_unpaid boolean,
     attempts integer, order_id uuid, reference text)
   where o.account_id = $1 and o.file_id = $2 and o.place = e.place and o.state = $3`,
);
const IS_OPEN = statement<{ is_open: boolean }>(
  'checkout_order_file_is_open',
  `select (select true from order_file_order where account_id = $1 and file_id = $2 and state = $3 and body is not null limit 1)
     is not null as is_open`,
);
const RELEASE = statement<never>(
  'checkout_release_order_file',
  `update order_file set lease_token = null, leased_until = null, updated_at = $4, state = $5, turn_at = $6
   where account_id = $1 and id = $2 and lease_token = $3`,
);
const AFTER_OTHERS = statement<never>(
  'checkout_order_files_after_others',
  `update order_file f set turn_at = $2 where f.id = any(array(
     select id from order_file where account_id = $1 and turn_at < $2 and state in ('checking', 'placing') for update skip locked
   ))`,
);

/**
 * Writes what became of some orders of a leased file, and lets it go.
 * It comes again at `nextAt`, after those of other accounts that wait, as does every file of its account. Nothing is
 * written once the lease is another's: the orders are then looked at again, and one that was placed is found by its
 * reference.
 */
export async function recordEntries(
  tx: Db,
  file: ClaimedFile,
  token: Uuid,
  by: {
    readonly from: EntryState;
    readonly outcomes: readonly EntryOutcome[];
    readonly now: Date;
    readonly nextAt: Date;
  },
): Promise<void> {
  const { account_id: accountId, id, state } = file;
  if ((await tx.one(LOCK_LEASED, [accountId, id, token])) === undefined) return;
  await tx.all(RECORD, [accountId, id, by.from, JSON.stringify(by.outcomes)]);
  const isOpen = (await tx.one(IS_OPEN, [accountId, id, by.from]))?.is_open === true;
  const ended = state === 'checking' ? 'ready' : 'placed';
  await tx.all(RELEASE, [accountId, id, token, by.now, isOpen ? state : ended, by.nextAt]);
  await tx.all(AFTER_OTHERS, [accountId, by.now]);
}
