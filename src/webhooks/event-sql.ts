import { type Db, statement } from '../lib/db.ts';
import { FIRST_ID, LAST_ID, type Uuid } from '../lib/ids.ts';
import { PAGE_ROWS_MAX } from '../lib/paging.ts';

export type EventRow = {
  id: Uuid;
  event: string;
  created_at: Date;
  /** Parsed; its members are in the order in which they were recorded. */
  data: unknown;
  sequence: number;
};

/** Which part of an account's log to read. */
export type LogPart = {
  readonly since: Date;
  /** An id that is smaller than that of any event created since then. */
  readonly floor: Uuid;
  /** The last event read. For any other id, the log continues from the last event recorded before it. */
  readonly after: Uuid | undefined;
  readonly names: readonly string[] | undefined;
  readonly limit: number;
};

// The log is in the order of transactions, which has no index by time. So reading starts behind the later of two
// events, each found by one step in the primary key: the last event that the reader has read, and the last one too old
// to be shown.
const LOG_PLACE = `place as materialized (
     select * from (
       (select transaction_id, id from event where account_id = $1 and id < $3 order by id desc limit 1)
       union all
       (select transaction_id, id from event where account_id = $1 and id <= $4 order by id desc limit 1)
       union all
       select '0'::xid8, '${FIRST_ID}'::uuid
     ) as known
     order by transaction_id desc, id desc limit 1
   )`;

// A transaction with an earlier id may commit later, so events that a running transaction may precede are not shown.
// What is shown is final, and a reader that continues from its last event misses none.
const IN_PART = `(transaction_id, id) > ((select transaction_id from place), (select id from place))
       and transaction_id < (select oldest_running_transaction()) and created_at >= $2`;

const EVENT_COLUMNS = 'id, event, created_at, data, sequence';

const LOG = statement<EventRow>(
  'webhooks_log',
  `with ${LOG_PLACE}
   select ${EVENT_COLUMNS} from (
     select * from event where account_id = $1 and ${IN_PART}
     order by transaction_id, id limit ${PAGE_ROWS_MAX}
   ) as page
   order by transaction_id, id limit $5`,
);

// Each name is a range of an index, so that a rare one costs no more than a frequent one.
const LOG_OF_NAMES = statement<EventRow>(
  'webhooks_log_of_names',
  `with ${LOG_PLACE}
   select ${EVENT_COLUMNS} from unnest($6::text[]) as wanted(name)
   cross join lateral (
     select * from event where account_id = $1 and event = wanted.name and ${IN_PART}
     order by transaction_id, id limit ${PAGE_ROWS_MAX}
   ) as page
   order by transaction_id, id limit $5`,
);

/**
 * A part of the log of an account, oldest first.
 * Events that running transactions may precede are left out.
 */
export async function listEventRows(db: Db, accountId: Uuid, part: LogPart): Promise<EventRow[]> {
  const { since, floor, after, names, limit } = part;
  const values = [accountId, since, floor, after ?? null, limit];
  return names === undefined ? db.all(LOG, values) : db.all(LOG_OF_NAMES, [...values, names]);
}

// An order has few events, so they are read and sorted.
const LOG_OF_ORDER = statement<EventRow>(
  'webhooks_log_of_order',
  `with ${LOG_PLACE}
   select ${EVENT_COLUMNS} from event
   where account_id = $1 and order_id = $6 and ($7::text[] is null or event = any($7)) and ${IN_PART}
   order by transaction_id, id limit $5`,
);

/** As `listEventRows`, for one order; empty when it is not the account's. */
export async function listOrderEventRows(db: Db, accountId: Uuid, orderId: Uuid, part: LogPart): Promise<EventRow[]> {
  const { since, floor, after, names, limit } = part;
  return db.all(LOG_OF_ORDER, [accountId, since, floor, after ?? null, limit, orderId, names ?? null]);
}

// The other way round, between two events: the one that the reader has read last, and the last one too old to be shown.
const NEWEST_PLACES = `reached as materialized (
     select * from (
       (select transaction_id, id from event where account_id = $1 and id <= $3 order by id desc limit 1)
       union all
       select '18446744073709551615'::xid8, '${LAST_ID}'::uuid where $3::uuid is null
     ) as known limit 1
   ),
   beginning as materialized (
     select * from (
       (select transaction_id, id from event where account_id = $1 and id <= $4 order by id desc limit 1)
       union all
       select '0'::xid8, '${FIRST_ID}'::uuid
     ) as known
     order by transaction_id desc, id desc limit 1
   )`;

const IN_NEWEST_PART = `(transaction_id, id) < ((select transaction_id from reached), (select id from reached))
       and (transaction_id, id) > ((select transaction_id from beginning), (select id from beginning))
       and transaction_id < (select oldest_running_transaction()) and created_at >= $2`;

const NEWEST = statement<EventRow>(
  'webhooks_log_newest',
  `with ${NEWEST_PLACES}
   select ${EVENT_COLUMNS} from (
     select * from event where account_id = $1 and ${IN_NEWEST_PART}
     order by transaction_id desc, id desc limit ${PAGE_ROWS_MAX}
   ) as page
   order by transaction_id desc, id desc limit $5`,
);

const NEWEST_OF_NAMES = statement<EventRow>(
  'webhooks_log_newest_of_names',
  `with ${NEWEST_PLACES}
   select ${EVENT_COLUMNS} from unnest($6::text[]) as wanted(name)
   cross join lateral (
     select * from event where account_id = $1 and event = wanted.name and ${IN_NEWEST_PART}
     order by transaction_id desc, id desc limit ${PAGE_ROWS_MAX}
   ) as page
   order by transaction_id desc, id desc limit $5`,
);

const NEWEST_OF_ORDER = statement<EventRow>(
  'webhooks_log_newest_of_order',
  `with ${NEWEST_PLACES}
   select ${EVENT_COLUMNS} from event
   where account_id = $1 and order_id = $6 and ($7::text[] is null or event = any($7)) and ${IN_NEWEST_PART}
   order by transaction_id desc, id desc limit $5`,
);

/** As `listEventRows` and `listOrderEventRows`, newest first: a page goes on before its last event. */
export async function listNewestEventRows(
  db: Db,
  accountId: Uuid,
  orderId: Uuid | undefined,
  { since, floor, after, names, limit }: LogPart,
): Promise<EventRow[]> {
  const values = [accountId, since, after ?? null, floor, limit];
  if (orderId !== undefined) return db.all(NEWEST_OF_ORDER, [...values, orderId, names ?? null]);
  return names === undefined ? db.all(NEWEST, values) : db.all(NEWEST_OF_NAMES, [...values, names]);
}
