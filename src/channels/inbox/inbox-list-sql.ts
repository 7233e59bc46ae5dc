import { type Db, statement } from '../../lib/db.ts';
import { LAST_ID, type Uuid } from '../../lib/ids.ts';
import { PAGE_ROWS_MAX } from '../../lib/paging.ts';
import { type InboxRow, SHOWN_ORDER } from './inbox-sql.ts';
import type { InboxReason, InboxState, SoughtReason } from './reasons.ts';

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
// The indexes by reason are without the orders that have none.
const PAGE_OF_REASON = pageOf('channels_page_of_reason', `and reason = $4 and reason <> ''`);
const PAGE_OF_CHANNEL_REASON = pageOf(
  'channels_page_of_channel_and_reason',
  `and channel_id = $4 and reason = $5 and reason <> ''`,
);

// Few, and those with their index; what is read of their orders comes after.
const refusedPageOf = (name: string, where: string) =>
  statement<InboxRow>(
    name,
    `select ${SHOWN_ORDER} from (
       select account_id, shop_order_id from (
         select account_id, shop_order_id from channel_report where ${where} and failed_at is not null and shop_order_id < $1
         order by shop_order_id desc limit ${PAGE_ROWS_MAX}
       ) as newest order by shop_order_id desc limit $2
     ) as r join channel_order s on s.account_id = r.account_id and s.id = r.shop_order_id order by s.id desc`,
  );

const REFUSED_PAGE = refusedPageOf('channels_page_of_refused', 'account_id = $3');
const REFUSED_PAGE_OF_CHANNEL = refusedPageOf(
  'channels_page_of_channel_and_refused',
  'account_id = $3 and channel_id = $4',
);
const OPS_REFUSED_PAGE = refusedPageOf('channels_ops_page_of_refused', 'true');

/** What a page is narrowed to: a reason says the state, too. */
export type InboxFilter = { readonly state?: InboxState | undefined; readonly reason?: SoughtReason | undefined };

/** A page of the orders of an account's shops, the newest first. */
export async function listInboxRows(
  db: Db,
  accountId: Uuid,
  page: InboxFilter & {
    readonly before: Uuid | undefined;
    readonly limit: number;
    readonly channelId: Uuid | undefined;
  },
): Promise<InboxRow[]> {
  const { before = LAST_ID as Uuid, limit, channelId, state, reason } = page;
  if (reason === 'report_refused') {
    return channelId === undefined
      ? db.all(REFUSED_PAGE, [before, limit, accountId])
      : db.all(REFUSED_PAGE_OF_CHANNEL, [before, limit, accountId, channelId]);
  }
  if (reason !== undefined) {
    return channelId === undefined
      ? db.all(PAGE_OF_REASON, [accountId, before, limit, reason])
      : db.all(PAGE_OF_CHANNEL_REASON, [accountId, before, limit, channelId, reason]);
  }
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
   from unnest($1::uuid[], $2::uuid[]) as c(account_id, id) cross join lateral (
     select s.channel_id, s.state, s.reason from channel_order s
     where s.account_id = c.account_id and s.channel_id = c.id and s.state in ('waiting', 'failed') limit ${COUNTED_ORDERS_MAX}
   ) as o group by 1, 2, 3`,
);

/** How many orders of each of these channels wait, by reason; up to `COUNTED_ORDERS_MAX` a channel. */
export async function countWaiting(
  db: Db,
  channels: readonly { readonly account_id: Uuid; readonly id: Uuid }[],
): Promise<{ channel_id: Uuid; state: InboxState; reason: InboxReason; orders: number }[]> {
  return db.all(WAITING, [channels.map(({ account_id: accountId }) => accountId), channels.map(({ id }) => id)]);
}

const opsPageOf = (name: string, where: string) =>
  statement<InboxRow>(
    name,
    `select ${SHOWN_ORDER} from (
       select * from (
         select * from channel_order where ${where} and id < $2 order by id desc limit ${PAGE_ROWS_MAX}
       ) as newest order by id desc limit $3
     ) as s order by s.id desc`,
  );

const OPS_PAGE = opsPageOf('channels_ops_page', 'state = $1');
const OPS_PAGE_OF_REASON = opsPageOf('channels_ops_page_of_reason', `reason = $1 and reason <> ''`);

/** A page of the orders of all shops in a state or with a reason, the newest first: for operators. */
export async function listAllInboxRows(
  db: Db,
  page: { readonly before: Uuid | undefined; readonly limit: number } & (
    | { readonly state: InboxState; readonly reason?: undefined }
    | { readonly reason: SoughtReason }
  ),
): Promise<InboxRow[]> {
  const { before = LAST_ID as Uuid, limit } = page;
  if (page.reason === 'report_refused') return db.all(OPS_REFUSED_PAGE, [before, limit]);
  return page.reason === undefined
    ? db.all(OPS_PAGE, [page.state, before, limit])
    : db.all(OPS_PAGE_OF_REASON, [page.reason, before, limit]);
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
