import { type Db, statement } from '../../lib/db.ts';
import { LAST_ID, type Uuid } from '../../lib/ids.ts';
import { PAGE_ROWS_MAX } from '../../lib/paging.ts';
import { type InboxRow, SHOWN_ORDER } from './inbox-sql.ts';
import type { InboxReason, InboxState } from './reasons.ts';

// Orders of shops as people see them: pages, and how many wait.

const pageOf = (name: string, where: string) =>
  statement<InboxRow>(
    name,
    `select ${SHOWN_ORDER} from (
       select * from (
         select * from channel_order where account_id = $1 and id < $2 ${where} order by id desc limit ${PAGE_ROWS_MAX}
       ) as newest order by id desc limit $3
     ) as s order by s.id desc`,
  );

const PAGE = pageOf('channels_page', '');
const PAGE_OF_STATE = pageOf('channels_page_of_state', 'and state = $4');
const PAGE_OF_CHANNEL = pageOf('channels_page_of_channel', 'and channel_id = $4');
const PAGE_OF_BOTH = pageOf('channels_page_of_channel_and_state', 'and channel_id = $4 and state = $5');

/** A page of the orders of an account's shops, the newest first. */
export async function listInboxRows(
  db: Db,
  accountId: Uuid,
  page: {
    readonly before: Uuid | undefined;
    readonly limit: number;
    readonly channelId: Uuid | undefined;
    readonly state: InboxState | undefined;
  },
): Promise<InboxRow[]> {
  const { before = LAST_ID as Uuid, limit, channelId, state } = page;
  if (channelId === undefined) {
    return state === undefined
      ? db.all(PAGE, [accountId, before, limit])
      : db.all(PAGE_OF_STATE, [accountId, before, limit, state]);
  }
  return state === undefined
    ? db.all(PAGE_OF_CHANNEL, [accountId, before, limit, channelId])
    : db.all(PAGE_OF_BOTH, [accountId, before, limit, channelId, state]);
}

/** A count of what waits ends here. */
export const COUNTED_ORDERS_MAX = 1_000;

const WAITING = statement<{ channel_id: Uuid; state: InboxState; reason: InboxReason; orders: number }>(
  'channels_waiting',
  `select o.channel_id, o.state, o.reason, count(*)::integer as orders
   from channel c cross join lateral (
     select s.channel_id, s.state, s.reason from channel_order s
     where s.account_id = c.account_id and s.channel_id = c.id and s.state in ('waiting', 'failed') limit ${COUNTED_ORDERS_MAX}
   ) as o
   where c.account_id = $1 and c.state <> 'disconnected' group by 1, 2, 3`,
);

/** How many orders of each channel wait, by reason; up to `COUNTED_ORDERS_MAX` a channel. */
export async function countWaiting(
  db: Db,
  accountId: Uuid,
): Promise<{ channel_id: Uuid; state: InboxState; reason: InboxReason; orders: number }[]> {
  return db.all(WAITING, [accountId]);
}

const OPS_PAGE = statement<InboxRow>(
  'channels_ops_page',
  `select ${SHOWN_ORDER} from (
     select * from (
       select * from channel_order where state = $1 and id < $2 order by id desc limit ${PAGE_ROWS_MAX}
     ) as newest order by id desc limit $3
   ) as s order by s.id desc`,
);

/** A page of the orders of all shops in a state, the newest first: for operators. */
export async function listAllInboxRows(
  db: Db,
  page: { readonly before: Uuid | undefined; readonly limit: number; readonly state: InboxState },
): Promise<InboxRow[]> {
  return db.all(OPS_PAGE, [page.state, page.before ?? LAST_ID, page.limit]);
}

const OLDEST_FAILED = statement<{ since: Date | null }>(
  'channels_oldest_failed',
  `select least(
     (select received_at from channel_order where state = 'failed' order by id limit 1),
     (select failed_at from channel_report where failed_at is not null order by failed_at, shop_order_id limit 1)
   ) as since`,
);

/** Since when an order that was given up, or whose report its shop refuses, waits for a person. */
export async function findOldestFailed(db: Db): Promise<Date | undefined> {
  return (await db.one(OLDEST_FAILED, []))?.since ?? undefined;
}
