import { type Db, statement } from '../../lib/db.ts';
import { FIRST_ID, type Uuid } from '../../lib/ids.ts';
import { artworkTimes, IS_WAITING, isPast } from './ended-sql.ts';
import type { Found, WalkTerms } from './walk.ts';

// Print files and designs. The bytes themselves go with the collection of unused blobs, which finds nothing that uses
// them any more.

const IS_KEPT = `(not (${isPast({ dispatched: '$1', cancelled: '$2', unpaid: '$3' })}) or ${IS_WAITING})`;
// The key is that of one account; its id beside it would have all print jobs of a large one read (`offset 0`).
const ORDERS_OF = `from (
    select account_id, order_id from print_job where print_file_key = f.key order by order_id desc offset 0
  ) as j join orders o on o.account_id = j.account_id and o.id = j.order_id
  where j.account_id = f.account_id`;

// In the order in which they are looked at: a product that can be ordered keeps its file, the youngest order of a file
// usually keeps it, and only a file whose youngest order is past its time has all of its orders looked at.
const IS_DUE = `case
  when (select true from product_area a join product p on p.account_id = a.account_id and p.id = a.product_id
        where a.design_hash = decode(f.recipe ->> 'designHash', 'hex') and a.account_id = f.account_id
          and p.status <> 'archived' limit 1) is not null then false
  when (select ${IS_KEPT} ${ORDERS_OF} order by j.order_id desc limit 1) then false
  else (select true ${ORDERS_OF} and ${IS_KEPT} limit 1) is null end`;

/** The most that one look returns, as a constant for the planner. */
const ROWS_MAX = 500;

type FileRow = { account_id: Uuid; key: string; at: Date; at_text: string; is_due: boolean };

const FILES = statement<FileRow>(
  'privacy_due_files',
  `with page as materialized (
     select * from (
       select key, account_id, recipe, created_at from print_file
       where created_at < $4 and (created_at, key) > ($5::timestamptz, decode($6, 'hex'))
       order by created_at, key limit ${ROWS_MAX}
     ) as oldest order by created_at, key limit $7
   )
   select f.account_id, encode(f.key, 'hex') as key, f.created_at as at, f.created_at::text as at_text, ${IS_DUE} as is_due
   from page f order by f.created_at, f.key`,
);

/** Finds print files that no order and no product needs any more. */
export async function findDueFiles(db: Db, terms: WalkTerms, place: string | undefined, limit: number): Promise<Found> {
  const { dispatched, cancelled, unpaid } = artworkTimes(terms);
  const before = new Date(Math.max(dispatched.getTime(), cancelled.getTime(), unpaid.getTime()));
  const [at = '-infinity', key = ''] = place?.split('|') ?? [];
  const rows = await db.all(FILES, [dispatched, cancelled, unpaid, before, at, key, limit]);
  const last = rows.at(-1);
  return {
    due: rows
      .filter((row) => row.is_due)
      .map(({ account_id, key: name, at: since }) => ({ account_id, key: name, at: since })),
    // As text: a time in JavaScript has no microseconds.
    next: last === undefined ? undefined : `${last.at_text}|${last.key}`,
    isEnd: rows.length < limit,
  };
}

// A file that placing, a worker or a replacement has locked is looked at in the next pass.
const LOCK_FILES = statement<{ key: string }>(
  'privacy_lock_files',
  `select encode(f.key, 'hex') as key from print_file f
   where f.key = any(select decode(k, 'hex') from unnest($1::text[]) as k) order by f.key for update skip locked`,
);

// A statement of its own, after the lock: its snapshot has the orders of those who held the lock before. A
// request that wants a file from now on waits for the lock, and then finds none.
const DROP_FILES = statement<{ gone: number }>(
  'privacy_drop_files',
  `with gone as (
     delete from print_file f
     where f.key = any(select decode(k, 'hex') from unnest($4::text[]) as k) and ${IS_DUE}
     returning f.key, f.account_id
   ),
   no_job as (
     delete from job j using gone g where j.kind = 'normalise_artwork' and j.key = encode(g.key, 'hex')
   ),
   no_failure as (
     delete from artwork_failure a using gone g where a.print_file_key = g.key and a.account_id = g.account_id
   )
   select count(*)::integer as gone from gone`,
);

/** Deletes print files that are still not needed once they are locked, with their jobs. */
export async function dropFiles(tx: Db, terms: WalkTerms, { due }: Found): Promise<number> {
  const locked = await tx.all(LOCK_FILES, [due.map(({ key }) => key)]);
  const { dispatched, cancelled, unpaid } = artworkTimes(terms);
  return (await tx.one(DROP_FILES, [dispatched, cancelled, unpaid, locked.map(({ key }) => key)]))?.gone ?? 0;
}

// What of its own an account makes of a design. Other accounts may have the same bytes, which is why the row and the
// bytes end apart.
const IS_UNUSED = `
  (select true from product p where p.mockup_hash = d.hash and p.account_id = d.account_id limit 1) is null
  and (select true from product_area a where a.design_hash = d.hash and a.account_id = d.account_id limit 1) is null
  and (select true from product p where p.personalisation is not null and p.account_id = d.account_id
      and jsonb_path_query_array(p.personalisation, '$.layers[*].options[*].design') @> to_jsonb(encode(d.hash, 'hex'))
      limit 1) is null
  and (select true from product p where p.template_draft is not null and p.account_id = d.account_id
      and jsonb_path_query_array(p.template_draft, '$.layers[*].options[*].design') @> to_jsonb(encode(d.hash, 'hex'))
      limit 1) is null
  and (select true from print_file f where f.recipe ->> 'designHash' = encode(d.hash, 'hex')
      and f.account_id = d.account_id limit 1) is null
  and (select true from print_file f where f.recipe ->> 'kind' = 'personalised' and f.account_id = d.account_id
      and jsonb_path_query_array(f.recipe, '$.drawings[*].designHash') @> to_jsonb(encode(d.hash, 'hex'))
      limit 1) is null
  and (select true from order_line l where l.mock_hash = d.hash and l.account_id = d.account_id limit 1) is null`;

type DesignRow = { account_id: Uuid; key: string; at: Date; is_due: boolean };

const DESIGNS = statement<DesignRow>(
  'privacy_unused_designs',
  `with page as materialized (
     select * from (
       select account_id, hash, created_at from design
       where (account_id, hash) > ($2::uuid, decode($3, 'hex')) order by account_id, hash limit ${ROWS_MAX}
     ) as first order by account_id, hash limit $4
   )
   select d.account_id, encode(d.hash, 'hex') as key, d.created_at as at, d.created_at < $1 and ${IS_UNUSED} as is_due
   from page d order by d.account_id, d.hash`,
);

/** Finds records that an account has sent an image, of images that it uses for nothing any more. */
export async function findUnusedDesigns(
  db: Db,
  terms: WalkTerms,
  place: string | undefined,
  limit: number,
): Promise<Found> {
  const [account = FIRST_ID, hash = ''] = place?.split('|') ?? [];
  const rows = await db.all(DESIGNS, [artworkTimes(terms).cancelled, account, hash, limit]);
  const last = rows.at(-1);
  return {
    due: rows.filter((row) => row.is_due).map(({ account_id, key, at }) => ({ account_id, key, at })),
    next: last === undefined ? undefined : `${last.account_id}|${last.key}`,
    isEnd: rows.length < limit,
  };
}

// An order that takes the image in at this moment records it again or not: nothing reads these rows to print.
const DROP_DESIGNS = statement<{ gone: number }>(
  'privacy_drop_designs',
  `with gone as (
     delete from design d using (
       select account_id, decode(hash, 'hex') as hash from unnest($1::uuid[], $2::text[]) as g(account_id, hash)
     ) as g
     where d.account_id = g.account_id and d.hash = g.hash and ${IS_UNUSED} returning 1
   )
   select count(*)::integer as gone from gone`,
);

/** Deletes records of images that are still not used. */
export async function dropDesigns(tx: Db, _terms: WalkTerms, { due }: Found): Promise<number> {
  const values = [due.map((one) => one.account_id ?? ''), due.map(({ key }) => key)];
  return (await tx.one(DROP_DESIGNS, values))?.gone ?? 0;
}
