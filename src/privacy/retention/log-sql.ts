import { type Db, statement } from '../../lib/db.ts';
import { FIRST_ID, firstIdAt, LAST_ID, type Uuid } from '../../lib/ids.ts';
import { DAY_MS, type Found, type WalkTerms } from './walk.ts';

// Events and deliveries, account by account: their primary keys begin with the account and go on by time, so that the
// oldest of each account are found without an index that placing would have to write.

/** Accounts that one statement looks at. */
const ACCOUNTS_MAX = 200;
/** An event is recorded at most this long after the time in its id (webhooks/read-log.ts). */
const RECORDED_WITHIN_MS = 600_000;

/** The most that one look returns, as a constant for the planner. */
const ROWS_MAX = 500;

type Row = { account_id: Uuid; key: Uuid | null; at: Date | null };

// Each account gives a row at least, so that the last row says how far the walk has come. The inner limits are
// constants for the planner, which takes an unknown one for a tenth of the table and then reads all of it. Rows are
// compared as the key has them: of an account and a range of ids the planner expects a few, and reads and sorts what
// there is.
const page = (table: 'event' | 'webhook_delivery', where: string): string => `
  with account_page as materialized (
    select id from account where id >= $1 order by id limit ${ACCOUNTS_MAX}
  )
  select a.id as account_id, r.id as key, r.created_at as at
  from account_page a left join lateral (
    select t.id, t.created_at from ${table} t
    where (t.account_id, t.id) > (a.id, case when a.id = $1 then $2::uuid else '${FIRST_ID}' end) and (t.account_id, t.id) < (a.id, $3)
      and ${where}
    order by t.account_id, t.id limit ${ROWS_MAX}
  ) as r on true
  order by a.id, r.id limit $4`;

const FINISHED = `t.state in ('succeeded', 'abandoned', 'cancelled')`;
const DELIVERIES = statement<Row>('privacy_old_deliveries', page('webhook_delivery', FINISHED));

const EVENTS = statement<Row>('privacy_old_events', page('event', 'true'));

/** The ids of what is older than the log: an id may be minutes older than what it names. */
function oldestKept(terms: WalkTerms): Uuid {
  return firstIdAt(new Date(terms.now.getTime() - terms.config.keepEventsDays * DAY_MS - RECORDED_WITHIN_MS));
}

async function findOld(
  db: Db,
  terms: WalkTerms,
  from: { statement: typeof EVENTS; place: string | undefined; limit: number },
): Promise<Found> {
  const { limit, place } = from;
  const [account = FIRST_ID, after = FIRST_ID] = place?.split('|') ?? [];
  const rows = await db.all(from.statement, [account, after, oldestKept(terms), limit]);
  const due = rows.flatMap(({ account_id: accountId, key, at }) =>
    key === null || at === null ? [] : [{ account_id: accountId, key, at }],
  );
  const last = rows.at(-1);
  if (last === undefined) return { due, next: undefined, isEnd: true };
  if (rows.length === limit) return { due, next: `${last.account_id}|${last.key ?? LAST_ID}`, isEnd: false };
  const accounts = new Set(rows.map(({ account_id: id }) => id)).size;
  return { due, next: `${last.account_id}|${LAST_ID}`, isEnd: accounts < ACCOUNTS_MAX };
}

/**
 * Finds deliveries that have ended and are older than the log.
 * One that is still to be sent is never among them.
 */
export async function findOldDeliveries(
  db: Db,
  terms: WalkTerms,
  place: string | undefined,
  limit: number,
): Promise<Found> {
  return findOld(db, terms, { statement: DELIVERIES, place, limit });
}

/** Finds events that are older than the log. */
export async function findOldEvents(
  db: Db,
  terms: WalkTerms,
  place: string | undefined,
  limit: number,
): Promise<Found> {
  return findOld(db, terms, { statement: EVENTS, place, limit });
}

const given = 'unnest($1::uuid[], $2::uuid[]) as g(account_id, id)';
const DROP_DELIVERIES = statement<{ gone: number }>(
  'privacy_drop_deliveries',
  `with gone as (
     delete from webhook_delivery t using ${given}
     where t.account_id = g.account_id and t.id = g.id and ${FINISHED} returning 1
   )
   select count(*)::integer as gone from gone`,
);

// A delivery that is still to be sent keeps its event, and with it all later ones of its account: a delivery is dated
// as its event, and no index leads from an event to its deliveries. Those that have ended went before. What was asked
// for again is younger than its event; an index of its own finds it while it is open, a day at most, and it keeps its
// event alone.
const DROP_EVENTS = statement<{ gone: number }>(
  'privacy_drop_events',
  `with gone as (
     delete from event t using ${given} where t.account_id = g.account_id and t.id = g.id
       and t.created_at < coalesce((
         select d.created_at from webhook_delivery d where d.account_id = g.account_id order by d.id limit 1), 'infinity')
       and (
         select true from webhook_delivery a where a.account_id = g.account_id and a.event_id = g.id
           and a.kind in ('redelivery', 'replay') and a.state in ('pending', 'retrying') limit 1) is null
     returning 1
   )
   select count(*)::integer as gone from gone`,
);

const valuesOf = ({ due }: Found): [accounts: string[], keys: string[]] => [
  due.map((one) => one.account_id ?? ''),
  due.map(({ key }) => key),
];

/** Deletes deliveries that have ended. */
export async function dropDeliveries(tx: Db, _terms: WalkTerms, found: Found): Promise<number> {
  return (await tx.one(DROP_DELIVERIES, valuesOf(found)))?.gone ?? 0;
}

/**
 * Deletes events that are older than every delivery of their account.
 * Those that an open redelivery or replay needs stay.
 */
export async function dropEvents(tx: Db, _terms: WalkTerms, found: Found): Promise<number> {
  return (await tx.one(DROP_EVENTS, valuesOf(found)))?.gone ?? 0;
}
