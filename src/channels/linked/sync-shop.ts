import { openTask } from '../../accounts/open-task.ts';
import { ApiError } from '../../lib/errors.ts';
import { publicId, type Uuid } from '../../lib/ids.ts';
import type { Job } from '../../lib/queue/job.ts';
import type { JobHandler } from '../../lib/queue.ts';
import { findSecrets } from '../connected/channel-sql.ts';
import type { ChannelsContext } from '../context.ts';
import { readFates } from '../inbox/fates-sql.ts';
import { hasOrderOfShop } from '../inbox/inbox-sql.ts';
import { receiveOrder } from '../inbox/receive-order.ts';
import { platformOf } from '../platforms/platforms.ts';
import type { Platform, ReadOrder, Shop } from '../platforms/port.ts';
import { ShopFault } from '../platforms/shop-call.ts';
import { compareProducts, publishDue } from '../products/publish-due.ts';
import { reportOf } from '../reports/report-of.ts';
import { type DueReport, endReport, listDueReports, putOffReport, readOrderToReport } from '../reports/report-sql.ts';
import type { ShopOrder } from '../shop-order.ts';
import { clockSkewMs } from './clock-skew.ts';
import { dropHint, listHints } from './hint-sql.ts';
import { deleteLink, deleteReports, findLink, type ShopLink } from './link-sql.ts';
import { callsWithRenewal, unsealed } from './renew-credentials.ts';
import { endSync, failSync, keepFacts, keepPlace, keepSince, noteUnreadable } from './sync-sql.ts';

/** The kind of job that syncs a shop. Its key is the channel's id: a shop has one sync at a time. */
export const SHOP_SYNC_JOB = 'shop_sync';

const CONCURRENCY = 8;
const LEASE_SECONDS = 120;
const ATTEMPTS_MAX = 8;
/** A sync ends then and another follows, so that a shop with much to do does not hold a place. */
const SYNC_MS = 20_000;
/** How often changed orders are listed, in case the shop did not say so. */
const SYNC_EVERY_MS = 120_000;
/** The same of a shop that never says so: an order of it is found by its list alone. */
const SYNC_WITHOUT_NOTICES_MS = 30_000;
/** How often what was set up in the shop is looked after. */
const SET_UP_EVERY_MS = 600_000;
const HINTS_AT_ONCE = 20;
const REPORTS_AT_ONCE = 10;
const REPORTS_DELETED_AT_ONCE = 1_000;
const BACKOFF_FIRST_MS = 15_000;
const BACKOFF_MAX_MS = 900_000;
/** A shop that does not let us in is asked again now and then: its people may have mended it there. */
const REFUSED_AGAIN_MS = 3_600_000;
const INBOX_FULL_AGAIN_SECONDS = 600;
const REPORT_TRIES_MAX = 5;
const REPORT_AGAIN_MS = 60_000;
/** What was set up in a shop is taken away within this time after it was disconnected, or left there. */
const TAKE_DOWN_MS = 86_400_000;

/**
 * The job that syncs a shop.
 * It reads the orders that the shop says have changed, reports what the shop is to know, lists what has changed
 * besides and publishes products, in turn until nothing is left or its time is over. A fault of the shop ends the sync,
 * and the shop is left alone for longer each time.
 */
export function syncJobs(ctx: ChannelsContext): JobHandler[] {
  return [
    {
      kind: SHOP_SYNC_JOB,
      concurrency: CONCURRENCY,
      leaseSeconds: LEASE_SECONDS,
      attemptsMax: ATTEMPTS_MAX,
      run: (job, signal) => sync(ctx, job, signal),
      giveUp: async (job, reason) => {
        const channel = publicId('chan', (job.payload as { channelId: Uuid }).channelId);
        ctx.log.error({ channel, error: reason }, 'a sync of a shop was given up; the next one is due later');
      },
    },
  ];
}

type Sync = {
  readonly ctx: ChannelsContext;
  readonly of: { readonly accountId: Uuid; readonly channelId: Uuid };
  readonly link: ShopLink;
  readonly platform: Platform;
  readonly shop: Shop;
  readonly endsAt: number;
};

async function sync(ctx: ChannelsContext, job: Job, signal: AbortSignal): Promise<void> {
  const { channelId } = job.payload as { channelId: Uuid };
  const of = { accountId: job.account_id, channelId };
  const link = await findLink(ctx.database, of.accountId, channelId);
  // Erased, or disconnected and taken down.
  if (link === undefined) return;
  const { syncing, used, isOver } = await open(ctx, of, link, signal);
  try {
    if (isOver) await takeDown(syncing);
    else await lookAround(syncing);
  } catch (error) {
    if (!(error instanceof ShopFault)) throw error;
    await failSync(ctx.database, of, { ...retryOf(error, link, ctx.clock.now()), now: ctx.clock.now(), used: used() });
  }
}

/**
 * Opens a shop for a sync, with what the calls of the sync are made by.
 * A shop without a secret to sign with was disconnected after its link was read.
 */
async function open(
  ctx: ChannelsContext,
  of: Sync['of'],
  link: ShopLink,
  signal: AbortSignal,
): Promise<{ syncing: Sync; used: () => Buffer; isOver: boolean }> {
  const platform = platformOf(link.platform);
  const credentials = unsealed(ctx, link);
  const [secret] = await findSecrets(ctx.database, of.channelId, ctx.clock.now());
  const access = { ...of, address: link.address, platform, signal };
  const { call, used } = callsWithRenewal(ctx, access, { sealed: link.sealed, credentials });
  const shop: Shop = {
    call,
    credentials,
    facts: link.facts,
    noticeUrl: `${ctx.config.baseUrl}/channels/${publicId('chan', of.channelId)}/notices`,
    noticeSecret: secret === undefined ? '' : ctx.secrets.unseal({ bytes: secret.sealed, keyId: secret.sealed_with }),
    since: link.since,
  };
  const syncing = { ctx, of, link, platform, shop, endsAt: performance.now() + SYNC_MS };
  return { syncing, used, isOver: link.state === 'disconnected' || secret === undefined };
}

/** A disconnected shop is left as it was found, if it can be reached within a day. */
async function takeDown({ ctx, of, link, platform, shop }: Sync): Promise<void> {
  const since = link.fault_since ?? ctx.clock.now();
  const isOver = ctx.clock.now().getTime() - since.getTime() > TAKE_DOWN_MS;
  try {
    if (!isOver) await platform.takeDown(shop);
  } catch (error) {
    // Our access was taken away, and the rest with it.
    if (!(error instanceof ShopFault) || error.kind !== 'refused') throw error;
  }
  while ((await deleteReports(ctx.database, of.accountId, of.channelId, REPORTS_DELETED_AT_ONCE)) > 0);
  await deleteLink(ctx.database, of.accountId, of.channelId);
}

async function lookAround(syncing: Sync): Promise<void> {
  const { ctx, of, platform } = syncing;
  const now = ctx.clock.now();
  const shop = await setUp(syncing);
  // Nothing is made for an account that is suspended; what was made for it is reported still.
  const steps: readonly ((current: Sync) => Promise<Step>)[] = syncing.link.is_suspended
    ? [answerAsked, reportDue]
    : [readHinted, answerAsked, reportDue, readChanged, compare, publishDue];
  let isMore = true;
  let current: Sync = { ...syncing, shop };
  while (isMore && performance.now() < syncing.endsAt) {
    isMore = false;
    for (const step of steps) {
      const done = await step(current);
      if (done.facts !== undefined && Object.keys(done.facts).length > 0) {
        current = { ...current, shop: { ...current.shop, facts: { ...current.shop.facts, ...done.facts } } };
      }
      isMore ||= done.isMore;
    }
    const link = await findLink(ctx.database, of.accountId, of.channelId);
    if (link === undefined || link.state === 'disconnected') break;
    current = { ...current, link };
  }
  const nextAt = isMore ? now : new Date(now.getTime() + syncEveryMs(platform));
  await endSync(ctx.database, of, nextAt, now);
  ctx.log.debug({ channel: publicId('chan', of.channelId), platform: platform.name }, 'a shop was synchronised');
}

function syncEveryMs({ capabilities }: Platform): number {
  return capabilities.notices ? SYNC_EVERY_MS : SYNC_WITHOUT_NOTICES_MS;
}

/**
 * Sets up what is needed in the shop, now and then anew.
 * The first time the shop's clock is compared with ours.
 */
async function setUp({ ctx, of, link, platform, shop }: Sync): Promise<Shop> {
  const now = ctx.clock.now();
  if (link.set_up_at !== null && now.getTime() - link.set_up_at.getTime() < SET_UP_EVERY_MS) return shop;
  let skewMs = 0;
  const call: Shop['call'] = async (...args) => {
    const askedAt = ctx.clock.now();
    const answer = await shop.call(...args);
    const date = answer?.headers.get('date');
    if (typeof date === 'string') skewMs = clockSkewMs(date, askedAt, ctx.clock.now());
    return answer;
  };
  const facts = await platform.setUp({ ...shop, call });
  await keepFacts(ctx.database, of, facts, now);
  const isFirst = link.set_up_at === null && link.synced_at === null;
  if (!isFirst || skewMs === 0) return { ...shop, facts: { ...shop.facts, ...facts } };
  const since = new Date(link.since.getTime() + skewMs);
  await keepSince(ctx.database, of, since);
  return { ...shop, since, facts: { ...shop.facts, ...facts } };
}

type Step = { readonly isMore: boolean; readonly facts?: Shop['facts'] };

/** What a shop asks is answered by what has become of its orders here. */
async function answerAsked({ ctx, of, platform, shop }: Sync): Promise<Step> {
  await platform.answer?.(shop, (orderIds) => readFates(ctx.database, of, orderIds));
  return { isMore: false };
}

async function readHinted({ ctx, of, platform, shop }: Sync): Promise<Step> {
  const hints = await listHints(ctx.database, of.accountId, of.channelId, HINTS_AT_ONCE);
  for (const hint of hints) {
    const read = await platform.readOrder(shop, hint.shop_order_id);
    if (read !== undefined) await keep(ctx, of, shop.since, [read]);
    await dropHint(ctx.database, of.accountId, of.channelId, hint);
  }
  return { isMore: hints.length === HINTS_AT_ONCE };
}

/** Products are compared as often as changed orders are listed. */
function compare(syncing: Sync): Promise<Step> {
  return compareProducts(syncing, syncEveryMs(syncing.platform) - 1_000);
}

async function readChanged({ ctx, of, platform, shop, link }: Sync): Promise<Step> {
  const now = ctx.clock.now();
  const isDue = link.synced_at === null || now.getTime() - link.synced_at.getTime() >= syncEveryMs(platform) - 1_000;
  if (!isDue) return { isMore: false };
  const { orders, place, isLast } = await platform.listChanged(shop, link.place);
  await keep(ctx, of, shop.since, orders);
  await keepPlace(ctx.database, of, place, isLast ? now : null);
  return { isMore: !isLast };
}

/** Writes orders to the inbox, and counts those that could not be read. */
async function keep(ctx: ChannelsContext, of: Sync['of'], since: Date, orders: readonly ReadOrder[]): Promise<void> {
  const unread = orders.flatMap((read) => (read.kind === 'unreadable' ? [read] : []));
  for (const read of orders) if (read.kind === 'order') await receive(ctx, of, since, read.order);
  const last = unread.at(-1);
  if (last === undefined) return;
  await noteUnreadable(ctx.database, of, unread.length, `Order ${last.id || 'without an id'}: ${last.message}`);
}

async function receive(ctx: ChannelsContext, of: Sync['of'], since: Date, order: ShopOrder): Promise<void> {
  // What was over before the shop was connected is none of ours.
  const isOver = order.cancelled === true || order.fulfilled === true;
  const isEarlier = isOver && new Date(order.ordered_at) < since;
  if (isEarlier && !(await hasOrderOfShop(ctx.database, of, order.id))) return;
  try {
    await receiveOrder(ctx, of, order);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'rate_limited') throw error;
    const full = 'So many orders of this shop wait that no more are taken. Answer them first.';
    throw new ShopFault('busy', full, INBOX_FULL_AGAIN_SECONDS);
  }
}

async function reportDue({ ctx, of, platform, shop }: Sync): Promise<Step> {
  const due = await listDueReports(ctx.database, of, ctx.clock.now(), REPORTS_AT_ONCE);
  let facts: Shop['facts'] = {};
  for (const row of due) {
    const order = await readOrderToReport(ctx.database, of.accountId, row.shop_order_id);
    const news = order === undefined ? undefined : reportOf(order, row.reported, ctx.secrets.digest);
    try {
      if (news !== undefined) facts = { ...facts, ...(await platform.report(shop, news.report)) };
      await endReport(ctx.database, of.accountId, row, news?.after ?? row.reported, ctx.clock.now());
    } catch (error) {
      if (!(error instanceof ShopFault) || error.kind !== 'rejected') throw error;
      await putOff(ctx, of, row, error.message);
    }
  }
  if (Object.keys(facts).length > 0) await keepFacts(ctx.database, of, facts, null);
  return { isMore: due.length === REPORTS_AT_ONCE, facts };
}

/** A report that a shop refuses stops no other; after some tries a person has a task. */
async function putOff(ctx: ChannelsContext, of: Sync['of'], row: DueReport, problem: string): Promise<void> {
  const now = ctx.clock.now();
  const isLast = row.failures + 1 >= REPORT_TRIES_MAX;
  await ctx.database.transaction(async (tx) => {
    const again = isLast ? null : new Date(now.getTime() + REPORT_AGAIN_MS * 2 ** row.failures);
    await putOffReport(tx, of.accountId, row, { problem, again, now });
    if (!isLast) return;
    const id = publicId('sho', row.shop_order_id);
    const note = `The shop refuses the report of its order ${id}: ${problem} Mend the cause, then report it again.`;
    await openTask(tx, { accountId: of.accountId, orderId: null, kind: 'shop_order_failed', note }, now);
  });
}

function retryOf(fault: ShopFault, { failures }: ShopLink, now: Date) {
  const backoffMs = Math.min(BACKOFF_FIRST_MS * 2 ** Math.min(failures, 10), BACKOFF_MAX_MS);
  const waitMs =
    fault.kind === 'refused'
      ? REFUSED_AGAIN_MS
      : fault.retryAfterSeconds === undefined
        ? backoffMs
        : Math.max(fault.retryAfterSeconds * 1_000, 1_000);
  return { retryAt: new Date(now.getTime() + waitMs), message: fault.message, kind: fault.kind };
}
