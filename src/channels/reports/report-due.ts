import { createHash } from 'node:crypto';
import { openTask } from '../../accounts/open-task.ts';
import { publicId, type Uuid } from '../../lib/ids.ts';
import type { ChannelsContext } from '../context.ts';
import type { SentPieces } from '../inbox/to-be-made.ts';
import type { Apart } from '../linked/apart.ts';
import type { ShopLink } from '../linked/link-sql.ts';
import { keepFacts } from '../linked/sync-sql.ts';
import { askPeople } from '../mails/ask-people.ts';
import type { Facts, Platform, Shop } from '../platforms/port.ts';
import { isRejected, ShopFault, WAITS_FOR_SHOP } from '../platforms/shop-call.ts';
import { refundPieces } from './refund-of.ts';
import { isSame, reportOf } from './report-of.ts';
import {
  type DueReport,
  endReport,
  type KnownToShop,
  keepReported,
  listDueReports,
  type OrderToReport,
  postponeReport,
  putOffReport,
  readOrderToReport,
  waitWithReport,
} from './report-sql.ts';

const REPORTS_AT_ONCE = 10;
const REPORT_TRIES_MAX = 5;
const REPORT_AGAIN_MS = 60_000;
/** The same where the shop does not answer one report, or badly: it may do yet what it was sent. */
const UNANSWERED_TRIES_MAX = 16;
const UNANSWERED_AGAIN_MS = 30_000;
const UNANSWERED_AGAIN_MS_MAX = 3_600_000;
const WAITS_AGAIN_MS = 300_000;
/** A shop may do yet what it was asked, though its answer was lost; it is looked at after this time. */
const REFUND_SETTLES_MS = 600_000;
/** Until it is looked again whether what a shop has changed is done here. */
const CHANGED_AGAIN_MS = 15_000;

/** A shop under its sync. */
type ReportingShop = {
  readonly ctx: ChannelsContext;
  readonly of: { readonly accountId: Uuid; readonly channelId: Uuid };
  readonly link: Pick<ShopLink, 'refunds_buyers'>;
  readonly platform: Platform;
  readonly shop: Shop;
  readonly apart: Apart;
  readonly isOver: () => boolean;
};

/**
 * Reports the orders to a shop whose reports are due, a bounded number.
 * A report that the shop refuses or answers badly stops no other. By the rule of the shop its buyers are then given
 * their money back.
 */
export async function reportDue(syncing: ReportingShop): Promise<{ readonly isMore: boolean; readonly facts: Facts }> {
  const { ctx, of, apart, isOver } = syncing;
  const due = await listDueReports(ctx.database, of, ctx.clock.now(), REPORTS_AT_ONCE);
  let facts: Facts = {};
  let isBroken = false;
  for (const row of due) {
    isBroken = isOver();
    if (isBroken) break;
    const report = async (): Promise<void> => {
      facts = { ...facts, ...(await reportOne(syncing, row)) };
    };
    await apart.one(report, ({ message }, isItsOwn) => putOffUnanswered(syncing, row, message, isItsOwn));
  }
  if (Object.keys(facts).length > 0) await keepFacts(ctx.database, of, facts, null);
  return { isMore: isBroken || due.length === REPORTS_AT_ONCE, facts };
}

/** Reports one order; returns the facts that were learnt. */
async function reportOne(syncing: ReportingShop, row: DueReport): Promise<Facts> {
  const { ctx, of, platform, shop, link } = syncing;
  const isRefunding = link.refunds_buyers && platform.refund !== undefined;
  const order = await readOrderToReport(ctx.database, of.accountId, row.shop_order_id);
  if (order?.is_changing === true && order.state === 'cancelled') {
    // What its shop has put in place of it is not written yet: it may be that something is sent.
    await postponeReport(ctx.database, of.accountId, row, new Date(ctx.clock.now().getTime() + CHANGED_AGAIN_MS));
    return {};
  }
  const news =
    order === undefined
      ? undefined
      : reportOf(order, row.reported, { everyDigest: ctx.secrets.everyDigest, isRefunding });
  let facts: Facts = {};
  try {
    if (news !== undefined) facts = await platform.report(shop, news.report);
    if (order !== undefined && news !== undefined && isMoneyDue(news.after)) {
      await refundBuyer(syncing, row, { order, after: news.after, isRefunding });
    } else {
      await endReport(ctx.database, of.accountId, row, news?.after ?? row.reported, ctx.clock.now());
    }
  } catch (error) {
    if (!isRejected(error)) throw error;
    if (error.code === WAITS_FOR_SHOP) await wait(ctx, of, row, error.message);
    else await putOff(ctx, of, row, error.message);
  }
  return facts;
}

function isMoneyDue({ toRefund = {}, refunded = {} }: KnownToShop): boolean {
  return !isSame(toRefund, refunded);
}

/**
 * Has a shop give its buyer money back for what is cancelled.
 * That money is asked for is noted first. Without an answer it is looked for in the shop once it would be there. A
 * refusal is for a person at once, and is not repeated before they say so or other pieces are cancelled.
 */
async function refundBuyer(
  { ctx, of, platform, shop }: ReportingShop,
  row: DueReport,
  by: { readonly order: OrderToReport; readonly after: KnownToShop; readonly isRefunding: boolean },
): Promise<void> {
  const { database, clock } = ctx;
  const { order, after, isRefunding } = by;
  const { toRefund = {}, begunAt, begunFor: _ended, refusal, refusals = 0, ...rest } = after;
  if (order.is_changing) {
    await keepReported(database, of.accountId, row, after, new Date(clock.now().getTime() + CHANGED_AGAIN_MS));
    return;
  }
  if (refusal !== undefined && isSame(refusal.of, toRefund)) {
    await keepReported(database, of.accountId, row, after, null);
    await putOffReport(database, of.accountId, row, { problem: refusal.problem, again: null, now: clock.now() });
    return;
  }
  const settledAt = begunAt === undefined ? clock.now() : new Date(Date.parse(begunAt) + REFUND_SETTLES_MS);
  if (settledAt > clock.now()) {
    await keepReported(database, of.accountId, row, after, settledAt);
    return;
  }
  const key = keyOf(JSON.stringify([row.shop_order_id, Object.entries(toRefund), refusals]));
  const settled = { ...rest, toRefund, refusals };
  try {
    const begin = async (): Promise<void> => {
      if (!isRefunding) throw new NotDone('the money was not given back before the rule was switched off');
      const begun = { ...settled, begunAt: clock.now().toISOString(), begunFor: toRefund };
      await keepReported(database, of.accountId, row, begun, null);
    };
    const { id: shopOrderId, ordered_at: orderedAt, reference } = order;
    const pieces = refundPieces(order, toRefund, await sentThere(platform, shop, shopOrderId));
    const isComplete = after.complete === true;
    await platform.refund?.(shop, { shopOrderId, orderedAt, reference, key, pieces, isComplete }, begin);
    await endReport(database, of.accountId, row, { ...settled, refunded: toRefund }, clock.now());
  } catch (error) {
    if (error instanceof NotDone) {
      await endReport(database, of.accountId, row, { ...rest, toRefund: rest.refunded ?? {} }, clock.now());
      return;
    }
    if (!isRejected(error)) throw error;
    const refused = { ...settled, refusals: refusals + 1, refusal: { of: toRefund, problem: error.message } };
    await keepReported(database, of.accountId, row, refused, null);
    await giveUp(ctx, of, row, {
      problem: error.message,
      what: 'does not give the money of a cancel back to the buyer',
    });
  }
}

/** What was begun under the rule of a shop was not done there, and the rule is off. */
class NotDone extends Error {}

/** Pieces of each line that a shop calls sent. Throws a fault of an order that cannot be read. */
async function sentThere(platform: Platform, shop: Shop, shopOrderId: string): Promise<SentPieces> {
  const read = await platform.readOrder(shop, shopOrderId);
  if (read === undefined || read === 'gone' || read.kind === 'withheld' || read.kind === 'nothing') return {};
  if (read.kind === 'unreadable') throw new ShopFault('rejected', `${read.message} Refund the buyer in the shop.`);
  const sent = new Map<string, number>();
  for (const { id, sent_quantity: pieces = 0 } of read.order.items) sent.set(id, (sent.get(id) ?? 0) + pieces);
  return Object.fromEntries(sent);
}

/** A UUID that is the same for the same text. */
function keyOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}

/** What a shop takes once it goes on with its order is no failure, however long that lasts. */
async function wait(ctx: ChannelsContext, of: ReportingShop['of'], row: DueReport, problem: string): Promise<void> {
  const again = new Date(ctx.clock.now().getTime() + WAITS_AGAIN_MS);
  await waitWithReport(ctx.database, of.accountId, row, { problem, again });
}

/** A report that a shop refuses is tried again; after some tries a person has a task. */
async function putOff(ctx: ChannelsContext, of: ReportingShop['of'], row: DueReport, problem: string): Promise<void> {
  if (row.failures + 1 >= REPORT_TRIES_MAX) {
    await giveUp(ctx, of, row, { problem, what: 'refuses the report' });
    return;
  }
  const now = ctx.clock.now();
  const again = new Date(now.getTime() + REPORT_AGAIN_MS * 2 ** row.failures);
  await putOffReport(ctx.database, of.accountId, row, { problem, again, now });
}

/**
 * A report without an answer is looked at again once the shop would have done it.
 * Sent at once it might be done twice.
 * While the shop as a whole is away that does not count as a try.
 */
async function putOffUnanswered(
  { ctx, of }: ReportingShop,
  row: DueReport,
  problem: string,
  isItsOwn: boolean,
): Promise<void> {
  const now = ctx.clock.now();
  if (isItsOwn && row.failures + 1 >= UNANSWERED_TRIES_MAX) {
    await giveUp(ctx, of, row, { problem, what: 'does not answer the report' });
    return;
  }
  const waitMs = Math.min(UNANSWERED_AGAIN_MS * 2 ** row.failures, UNANSWERED_AGAIN_MS_MAX);
  const again = new Date(now.getTime() + waitMs);
  if (isItsOwn) await putOffReport(ctx.database, of.accountId, row, { problem, again, now });
  else await postponeReport(ctx.database, of.accountId, row, again);
}

async function giveUp(
  ctx: ChannelsContext,
  of: ReportingShop['of'],
  row: DueReport,
  { problem, what }: { readonly problem: string; readonly what: string },
): Promise<void> {
  const now = ctx.clock.now();
  await ctx.database.transaction(async (tx) => {
    await askPeople(ctx, tx, of);
    await putOffReport(tx, of.accountId, row, { problem, again: null, now });
    const id = publicId('sho', row.shop_order_id);
    const note = `The shop ${what} of its order ${id}: ${problem} Mend the cause, then report it again.`;
    await openTask(tx, { accountId: of.accountId, orderId: null, kind: 'shop_order_failed', note }, now);
  });
}
