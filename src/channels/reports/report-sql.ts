import { type Db, statement } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';
import type { OrderState } from '../../orders/status.ts';
import type { KeptItem } from '../shop-order.ts';

// What is reported to shops of their orders. A move of an order makes its report due (`src/orders/move-sql.ts`).

const MAKE_DUE = statement<never>(
  'channels_make_report_due',
  `insert into channel_report (account_id, shop_order_id, channel_id, due_at)
   select l.account_id, $2, l.channel_id, $4 from channel_link l where l.account_id = $1 and l.channel_id = $3
   on conflict (account_id, shop_order_id) do update set revision = channel_report.revision + 1, due_at = excluded.due_at,
     failures = 0, failed_at = null, problem = null, reported = channel_report.reported - 'refusal'`,
);

/**
 * Makes the report of an order due, with a refund that its shop has refused.
 * Of one that was just placed, as a move may have come before that was known; or because a person wants it again.
 */
export async function makeReportDue(
  tx: Db,
  of: { accountId: Uuid; id: Uuid; channelId: Uuid },
  now: Date,
): Promise<void> {
  await tx.all(MAKE_DUE, [of.accountId, of.id, of.channelId, now]);
}

/** What was reported to a shop: a digest of each parcel by its id, and what else. */
export type KnownToShop = {
  readonly parcels?: Readonly<Record<string, string>>;
  readonly cancelled?: boolean;
  readonly complete?: boolean;
  /** Cancelled pieces that it knows of, by its ids of its lines. */
  readonly pieces?: LinePieces;
  /** Pieces for which its buyer is to be given the money back in all; and those of them that are done. */
  readonly toRefund?: LinePieces;
  readonly refunded?: LinePieces;
  /** When money was asked for whose end is not known. */
  readonly begunAt?: string;
  /** For which pieces in all that was. */
  readonly begunFor?: LinePieces;
  /** Why it gives nothing back, and for which pieces in all. */
  readonly refusal?: { readonly of: LinePieces; readonly problem: string };
  /** How often it has given nothing back. */
  readonly refusals?: number;
};

/** Pieces by the shop's ids of its lines. */
export type LinePieces = Readonly<Record<string, number>>;

export type DueReport = {
  shop_order_id: Uuid;
  revision: number;
  reported: KnownToShop;
  failures: number;
};

const DUE = statement<DueReport>(
  'channels_due_reports',
  `select shop_order_id, revision, reported, failures from channel_report
   where account_id = $1 and channel_id = $2 and due_at <= $3 order by due_at, shop_order_id limit $4`,
);

/** Reports to a shop that are due, those that wait longest first. */
export async function listDueReports(
  db: Db,
  of: { accountId: Uuid; channelId: Uuid },
  now: Date,
  limit: number,
): Promise<DueReport[]> {
  return db.all(DUE, [of.accountId, of.channelId, now, limit]);
}

export type OrderToReport = {
  number: string;
  id: string;
  ordered_at: Date;
  items: KeptItem[];
  /** The items of the order that it adds pieces to; null for one of its own. */
  base_items: KeptItem[] | null;
  /** What was added to it, or it adds to, goes on; and some of that is to be sent yet. */
  others_go_on: boolean;
  others_are_open: boolean;
  /**
   * What it adds to or is added to it.
   * The items with the pieces of each line that are made, or may be, and those that have left.
   */
  others: {
    items: KeptItem[];
    is_open: boolean;
    /** Its shop does not want it any more, and nothing of it is made. */
    is_taken_back: boolean;
    made: number[] | null;
    shipped: number[] | null;
  }[];
  /** The shop has cancelled it itself. */
  is_cancelled_there: boolean;
  /** The shop has changed it, and that is not done here yet: what it wants of us is not known. */
  is_changing: boolean;
  reference: string;
  state: OrderState;
  lines: { id: Uuid; left: number; shipped: number; cancelled: number }[];
  parcels: {
    id: Uuid;
    carrier: string;
    number: string;
    url: string | null;
    items: { line: Uuid; quantity: number }[];
  }[];
};

// The order that it adds to, and what else is added to that: one branch for each index.
const FAMILY = `(
       select b.ended_at, b.reason, b.account_id, b.order_id, b.items from channel_order b
       where b.account_id = s.account_id and b.channel_id = s.channel_id and b.shop_order_id = s.supplement_of
       union all
       select a.ended_at, a.reason, a.account_id, a.order_id, a.items from channel_order a
       where a.account_id = s.account_id and a.channel_id = s.channel_id
         and a.supplement_of = coalesce(s.supplement_of, s.shop_order_id) and a.id <> s.id
     ) f`;
const OTHERS = `select from ${FAMILY} left join orders p on p.account_id = f.account_id and p.id = f.order_id where true`;

const ORDER = statement<OrderToReport>(
  'channels_order_to_report',
  `select s.shop_number as number, coalesce(s.supplement_of, s.shop_order_id) as id, s.ordered_at, s.items, o.reference, o.state,
     (select b.items from channel_order b where b.account_id = s.account_id and b.channel_id = s.channel_id
        and b.shop_order_id = s.supplement_of) as base_items,
     exists (${OTHERS} and (f.ended_at is null or p.state <> 'cancelled')) as others_go_on,
     exists (${OTHERS} and (f.ended_at is null or p.state not in ('dispatched', 'delivered', 'cancelled'))) as others_are_open,
     coalesce((select json_agg(json_build_object('items', f.items, 'is_open', f.ended_at is null,
        'is_taken_back', f.reason = 'cancelled_in_shop', 'made', (
        select json_agg(l.quantity - l.quantity_cancelled order by l.ordinal) from order_line l
        where l.account_id = f.account_id and l.order_id = f.order_id), 'shipped', (
        select json_agg(l.quantity_shipped order by l.ordinal) from order_line l
        where l.account_id = f.account_id and l.order_id = f.order_id))) from ${FAMILY}), '[]') as others,
     s.reason in ('cancelled', 'cancel_asked', 'asked_to_cancel', 'cancel_refused') as is_cancelled_there,
     coalesce((select b.reason from channel_order b where b.account_id = s.account_id and b.channel_id = s.channel_id
        and b.shop_order_id = s.supplement_of), s.reason) = 'change_asked' as is_changing,
     (select json_agg(json_build_object('id', l.id, 'left', l.quantity - l.quantity_cancelled - l.quantity_shipped,
        'shipped', l.quantity_shipped, 'cancelled', l.quantity_cancelled) order by l.ordinal)
      from order_line l where l.account_id = o.account_id and l.order_id = o.id) as lines,
     coalesce((select json_agg(json_build_object('id', p.id, 'carrier', p.carrier, 'number', p.tracking_number,
        'url', p.tracking_url, 'items', (
          select json_agg(json_build_object('line', i.line_id, 'quantity', i.quantity) order by i.line_id)
          from shipment_item i
          where i.account_id = p.account_id and i.order_id = p.order_id and i.shipment_id = p.id)) order by p.id)
      from shipment p where p.account_id = o.account_id and p.order_id = o.id), '[]') as parcels
   from channel_order s join orders o on o.account_id = s.account_id and o.id = s.order_id
   where s.account_id = $1 and s.id = $2`,
);

/** A placed order of a shop with its parcels, as they are reported. */
export async function readOrderToReport(db: Db, accountId: Uuid, id: Uuid): Promise<OrderToReport | undefined> {
  return db.one(ORDER, [accountId, id]);
}

const END = statement<never>(
  'channels_end_report',
  `update channel_report set reported = $4, reported_at = $5, failures = 0, problem = null, failed_at = null,
     due_at = case when revision = $3 then null else $5::timestamptz end
   where account_id = $1 and shop_order_id = $2`,
);

/** Notes what was reported to a shop; what has changed meanwhile is due at once. */
export async function endReport(
  db: Db,
  accountId: Uuid,
  report: Pick<DueReport, 'shop_order_id' | 'revision'>,
  reported: KnownToShop,
  now: Date,
): Promise<void> {
  await db.all(END, [accountId, report.shop_order_id, report.revision, JSON.stringify(reported), now]);
}

const KEEP = statement<never>(
  'channels_keep_reported',
  `update channel_report set reported = $3, due_at = case when revision = $4 then coalesce($5::timestamptz, due_at) else due_at end
   where account_id = $1 and shop_order_id = $2`,
);

/** Keeps what was reported of a report that goes on, at a time or as soon as it was due. */
export async function keepReported(
  db: Db,
  accountId: Uuid,
  report: Pick<DueReport, 'shop_order_id' | 'revision'>,
  reported: KnownToShop,
  goesOnAt: Date | null,
): Promise<void> {
  await db.all(KEEP, [accountId, report.shop_order_id, JSON.stringify(reported), report.revision, goesOnAt]);
}

const POSTPONE = statement<never>(
  'channels_postpone_report',
  `update channel_report set due_at = $4 where account_id = $1 and shop_order_id = $2 and revision = $3`,
);

/** Has a report made at a later time, without a try that counts. */
export async function postponeReport(
  db: Db,
  accountId: Uuid,
  report: Pick<DueReport, 'shop_order_id' | 'revision'>,
  again: Date,
): Promise<void> {
  await db.all(POSTPONE, [accountId, report.shop_order_id, report.revision, again]);
}

const PUT_OFF = statement<never>(
  'channels_put_off_report',
  `update channel_report set failures = failures + 1, problem = $4, due_at = $5, failed_at = $6
   where account_id = $1 and shop_order_id = $2 and revision = $3`,
);

/** Notes that a shop has refused a report, which is tried again at a time, or not any more. */
export async function putOffReport(
  tx: Db,
  accountId: Uuid,
  report: Pick<DueReport, 'shop_order_id' | 'revision'>,
  refusal: { problem: string; again: Date | null; now: Date },
): Promise<void> {
  const { problem, again, now } = refusal;
  await tx.all(PUT_OFF, [
    accountId,
    report.shop_order_id,
    report.revision,
    problem,
    again,
    again === null ? now : null,
  ]);
}

const WAIT = statement<never>(
  'channels_wait_with_report',
  `update channel_report set problem = $4, due_at = $5 where account_id = $1 and shop_order_id = $2 and revision = $3`,
);

/** Notes that a shop takes a report later, which is no refusal of it. */
export async function waitWithReport(
  db: Db,
  accountId: Uuid,
  report: Pick<DueReport, 'shop_order_id' | 'revision'>,
  { problem, again }: { readonly problem: string; readonly again: Date },
): Promise<void> {
  await db.all(WAIT, [accountId, report.shop_order_id, report.revision, problem, again]);
}
