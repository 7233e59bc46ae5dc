import { type Db, statement } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';
import { PROMISED, SHORT } from './columns.ts';

// Lines in making that are short of blanks. Such a row of `allocation` changes only under the lock of its stock row: an
// order is not locked when blanks come in for its line.

const PROMISE = statement<never>(
  'catalogue_promise_short',
  `insert into allocation (order_id, line_id, account_id, sku, allocated, for_spoiled, short, short_since, short_task)
   values ($1, $2, $3, $4, $5, $5, $5, $6, $7)
   on conflict (account_id, order_id, line_id) do update set
     allocated = allocation.allocated + excluded.allocated, for_spoiled = allocation.for_spoiled + excluded.for_spoiled,
     short = least(allocation.short, allocation.allocated - allocation.consumed - allocation.released) + excluded.short,
     short_since = case when least(allocation.short, allocation.allocated - allocation.consumed - allocation.released) > 0
       then allocation.short_since else excluded.short_since end,
     short_task = excluded.short_task`,
);

/** Promises pieces to a line of a locked order for which there is no blank. Its stock row is locked. */
export async function promiseShort(
  tx: Db,
  of: {
    readonly accountId: Uuid;
    readonly orderId: Uuid;
    readonly lineId: Uuid;
    readonly sku: string;
    readonly quantity: number;
    readonly taskId: Uuid;
    readonly now: Date;
  },
): Promise<void> {
  await tx.all(PROMISE, [of.orderId, of.lineId, of.accountId, of.sku, of.quantity, of.now, of.taskId]);
}

/** How many lines one statement supplies; the caller repeats it. */
export const SUPPLIED_MAX = 1_000;

// What is on hand beyond the promises to all other lines goes to the short ones, the oldest first. The sums run over
// the whole queue of a variant; the limit only bounds what one statement changes.
const SUPPLY = statement<{ short_task: Uuid | null }>(
  'catalogue_supply_short',
  `with queue as materialized (
     select account_id, order_id, line_id, sku, short_since, ${SHORT} as wants from allocation
     where sku = any($1::text[]) and short_since is not null and short > 0 and ${PROMISED} > 0
   ),
   free as (
     select s.sku, s.on_hand - s.allocated + q.wants as pieces
     from stock s join (select sku, sum(wants) as wants from queue group by sku) as q on q.sku = s.sku
   ),
   given as (
     select q.account_id, q.order_id, q.line_id, q.wants, least(q.wants, f.pieces - q.ahead) as pieces
     from (
       select *, sum(wants) over (partition by sku order by short_since, line_id) - wants as ahead from queue
     ) as q join free f on f.sku = q.sku
     where f.pieces > q.ahead
     order by q.short_since, q.line_id limit ${SUPPLIED_MAX}
   )
   update allocation a set short = g.wants - g.pieces from given g
   where a.account_id = g.account_id and a.order_id = g.order_id and a.line_id = g.line_id
   returning case when a.short = 0 then a.short_task end as short_task`,
);

/**
 * Gives blanks that are promised to no other line to the lines that are short of them.
 * The oldest come first, and at most `SUPPLIED_MAX` lines get something. The stock rows are locked. Returns a row for
 * each line, with its task if it is no longer short.
 */
export async function supplyShort(tx: Db, skus: readonly string[]): Promise<{ short_task: Uuid | null }[]> {
  return tx.all(SUPPLY, [skus]);
}

const SHORT_OF = statement<{ sku: string; short: number }>(
  'catalogue_short_of',
  `select sku, sum(${SHORT})::integer as short from allocation
   where sku = any($1::text[]) and short_since is not null group by sku`,
);

/** The pieces that lines are short of, by variant; a variant without any is absent. */
export async function readShort(db: Db, skus: readonly string[]): Promise<ReadonlyMap<string, number>> {
  return new Map((await db.all(SHORT_OF, [skus])).map(({ sku, short }) => [sku, short]));
}
