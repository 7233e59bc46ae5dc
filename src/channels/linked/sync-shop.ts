import { publicId, type Uuid } from '../../lib/ids.ts';
import type { Job } from '../../lib/queue/job.ts';
import type { JobHandler } from '../../lib/queue.ts';
import { findSecrets } from '../connected/channel-sql.ts';
import type { ChannelsContext } from '../context.ts';
import { readFates } from '../inbox/fates-sql.ts';
import { platformOf } from '../platforms/platforms.ts';
import type { Platform, Shop } from '../platforms/port.ts';
import { isRejected, mayBeOfOne, NO_SHOP_THERE, type ShopCall, ShopFault } from '../platforms/shop-call.ts';
import { compareProducts, publishDue } from '../products/publish-due.ts';
import { reportDue } from '../reports/report-due.ts';
import { type Apart, openApart } from './apart.ts';
import { claimShop } from './claim-shop.ts';
import { clockSkewMs } from './clock-skew.ts';
import { HINTS_MAX, noteHint } from './hint-sql.ts';
import { keepOrders } from './keep-orders.ts';
import { deleteLink, deleteReports, findLink, type ShopLink } from './link-sql.ts';
import { readHinted, readOne, type Sync, type SyncStep } from './read-hinted.ts';
import { callsWithRenewal, unsealed } from './renew-credentials.ts';
import { CLOCK_READ, endSync, failSync, keepFacts, keepPlace, keepSince } from './sync-sql.ts';

/** The kind of job that syncs a shop. Its key is the channel's id: a shop has one sync at a time. */
export const SHOP_SYNC_JOB = 'shop_sync';
/** The same of a shop that answered slowly the last time, which has places of its own. */
export const SLOW_SHOP_SYNC_JOB = 'slow_shop_sync';

/** Syncs that begin at a time. They wait for their shops nearly always, so a place costs little. */
const CONCURRENCY = 16;
/** Those that take longer give their places to the next, up to so many in a process. */
const LONG = { afterMs: 500, places: 32 } as const;
const SLOW_CONCURRENCY = 16;
/** Below each of those, so that no account has them all. */
const OF_EACH_MAX = 4;
/** A shop that took as long for one answer is slow the next time. */
const SLOW_ANSWER_MS = 5_000;
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
const REPORTS_DELETED_AT_ONCE = 1_000;
const BACKOFF_FIRST_MS = 15_000;
const BACKOFF_MAX_MS = 900_000;
/** A shop that does not let us in is asked again now and then: its people may have mended it there. */
const REFUSED_AGAIN_MS = 3_600_000;
const FULL = 'So many orders of this shop wait that no more are taken. Answer them first.';
/** What was set up in a shop is taken away within this time after it was disconnected, or left there. */
const TAKE_DOWN_MS = 86_400_000;

/**
 * The job that syncs a shop.
 * It reads the orders that the shop says have changed, reports what the shop is to know, lists what has changed
 * besides and publishes products, in turn until nothing is left or its time is over. A fault of the shop ends the sync,
 * and the shop is left alone for longer each time. An order or a report that alone is answered badly, refused or kept
 * from us is put off. Slow shops delay no others (docs/decisions/0088-slow-shops.md).
 */
export function syncJobs(ctx: ChannelsContext): JobHandler[] {
  const ofShop = {
    ofEachMax: OF_EACH_MAX,
    leaseSeconds: LEASE_SECONDS,
    attemptsMax: ATTEMPTS_MAX,
    run: (job: Job, signal: AbortSignal) => sync(ctx, job, signal),
    giveUp: async (job: Job, reason: string) => {
      const channel = publicId('chan', (job.payload as { channelId: Uuid }).channelId);
      ctx.log.error({ channel, error: reason }, 'a sync of a shop was given up; the next one is due later');
    },
  };
  return [
    { kind: SHOP_SYNC_JOB, concurrency: CONCURRENCY, long: LONG, ...ofShop },
    { kind: SLOW_SHOP_SYNC_JOB, concurrency: SLOW_CONCURRENCY, ...ofShop },
  ];
}

async function sync(ctx: ChannelsContext, job: Job, signal: AbortSignal): Promise<void> {
  const { channelId } = job.payload as { channelId: Uuid };
  const of = { accountId: job.account_id, channelId };
  const link = await findLink(ctx.database, of.accountId, channelId);
  // Erased, or disconnected and taken down.
  if (link === undefined) return;
  const { syncing, used, isOver, isSlow } = await open(ctx, of, link, signal);
  try {
    if (isOver) await takeDown(syncing);
    else await lookAround(syncing);
  } catch (error) {
    if (!(error instanceof ShopFault)) throw error;
    await syncing.apart.end();
    await failSync(ctx.database, of, { ...retryOf(error, link, ctx.clock.now()), now: ctx.clock.now(), used: used() });
  } finally {
    // Another sync is made once this job is gone.
    if (isSlow() !== (link.facts.is_slow === true)) {
      await keepFacts(ctx.database, of, { is_slow: isSlow() }, null);
    }
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
): Promise<{ syncing: Sync; used: () => Buffer; isOver: boolean; isSlow: () => boolean }> {
  const platform = platformOf(link.platform);
  const credentials = unsealed(ctx, link);
  const [secret] = await findSecrets(ctx.database, of.channelId, ctx.clock.now());
  const access = { ...of, address: link.address, platform, signal };
  const { call, used } = callsWithRenewal(ctx, access, { sealed: link.sealed, credentials });
  const noteBug = (error: Error): void => {
    const channel = publicId('chan', of.channelId);
    ctx.log.error({ channel, error: error.stack ?? error.message }, 'a part of a sync failed by a bug');
  };
  const apart = openApart(async () => void (await platform.listChanged(shop, link.place)), noteBug);
  let longestMs = 0;
  let shown = 0;
  const took = (ms: number, date: string | null | undefined): void => {
    longestMs = Math.max(longestMs, ms);
    const at = Date.parse(date ?? '');
    if (!Number.isNaN(at)) shown = at;
  };
  const shop: Shop = {
    call: notingAnswers(call, apart, took),
    credentials,
    facts: link.facts,
    noticeUrl: `${ctx.config.baseUrl}/channels/${publicId('chan', of.channelId)}/notices`,
    noticeSecret: secret === undefined ? '' : ctx.secrets.unseal({ bytes: secret.sealed, keyId: secret.sealed_with }),
    since: link.since,
    latest: () => new Date(Math.max(ctx.clock.now().getTime(), shown)),
  };
  const endsAt = performance.now() + SYNC_MS;
  const syncing = { ctx, of, link, platform, shop, apart, isOver: () => performance.now() >= endsAt, isFull: false };
  const isOver = link.state === 'disconnected' || secret === undefined;
  return { syncing, used, isOver, isSlow: () => longestMs >= SLOW_ANSWER_MS };
}

/** What a shop refuses it has answered, too; a site whose shop is off has no page for anything. */
function notingAnswers(
  call: ShopCall,
  { answered }: Apart,
  took: (ms: number, date: string | null | undefined) => void,
): ShopCall {
  return async (...args) => {
    const startedMs = performance.now();
    let date: string | null | undefined;
    try {
      const answer = await call(...args);
      date = answer?.headers.get('date');
      if (answer !== undefined) answered();
      return answer;
    } catch (error) {
      if (isRejected(error)) answered();
      throw error;
    } finally {
      took(performance.now() - startedMs, date);
    }
  };
}

/** A disconnected shop is left as it was found, if it can be reached within a day. */
async function takeDown({ ctx, of, link, platform, shop }: Sync): Promise<void> {
  // A fault may be from long before.
  const since = link.ended_at ?? ctx.clock.now();
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
  const { shop, unset } = await setUp(syncing);
  let isMore = true;
  const ended = new Set<Steps[number]>();
  let current: Sync = { ...syncing, shop };
  while (isMore && !syncing.isOver()) {
    isMore = false;
    for (const step of current.link.is_suspended ? OF_SUSPENDED : STEPS) {
      if (syncing.isOver()) {
        isMore = true;
        break;
      }
      if (ended.has(step)) continue;
      const done = await step(current);
      if (done.isEnded === true) ended.add(step);
      if (done.facts !== undefined && Object.keys(done.facts).length > 0) {
        current = { ...current, shop: { ...current.shop, facts: { ...current.shop.facts, ...done.facts } } };
      }
      isMore ||= done.isMore;
      if (done.isFull === true) current = { ...current, isFull: true };
    }
    await syncing.apart.settle();
    const link = await findLink(ctx.database, of.accountId, of.channelId);
    if (link === undefined || link.state === 'disconnected') break;
    current = { ...current, link };
  }
  const nextAt = isMore ? now : new Date(now.getTime() + syncEveryMs(platform));
  const { isFull } = current;
  const message = isFull ? FULL : unset;
  const since = (syncing.link.fault === message ? syncing.link.fault_since : null) ?? now;
  const fault = message === undefined ? {} : { fault: { message, kind: isFull ? 'busy' : 'broken', since } as const };
  await endSync(ctx.database, of, { nextAt, now, ...fault });
  ctx.log.debug({ channel: publicId('chan', of.channelId), platform: platform.name }, 'a shop was synchronised');
}

type Steps = readonly ((current: Sync) => Promise<SyncStep>)[];

// What a shop asks is answered after what it must not wait for, as it is asked about many orders at a time.
const STEPS: Steps = [readHinted, reportDue, readChanged, answerAsked, compare, publishDue];
/** Nothing is made for an account that is suspended; what was made for it is reported still. */
const OF_SUSPENDED: Steps = [reportDue, answerAsked];

function syncEveryMs({ capabilities }: Platform): number {
  return capabilities.notices ? SYNC_EVERY_MS : SYNC_WITHOUT_NOTICES_MS;
}

type SetUp = { readonly shop: Shop; readonly unset?: string | undefined };

/**
 * Sets up what is needed in the shop, now and then anew.
 * The first time the shop's clock is compared with ours. A shop that was set up once goes on where that fails, and so
 * does one that sends notices alone: its changes are found by looking. `unset` says so, in words.
 */
async function setUp({ ctx, of, link, platform, shop }: Sync): Promise<SetUp> {
  const now = ctx.clock.now();
  if (link.set_up_at !== null && now.getTime() - link.set_up_at.getTime() < SET_UP_EVERY_MS) return { shop };
  let skewMs = 0;
  const call: Shop['call'] = async (...args) => {
    const askedAt = ctx.clock.now();
    const answer = await shop.call(...args);
    const date = answer?.headers.get('date');
    if (typeof date === 'string') skewMs = clockSkewMs(date, askedAt, ctx.clock.now());
    return answer;
  };
  const asked = { ...shop, call };
  const claimed =
    platform.ownName === undefined ? {} : await claimShop(ctx, of, { platform, shop: asked, address: link.address });
  const isFirst = link.synced_at === null && link.facts[CLOCK_READ] !== true;
  if (link.set_up_at === null && !platform.needsSetUp) {
    // Due again with the next sync: one that was never tried is a reason for a sync at once.
    await keepFacts(ctx.database, of, claimed, new Date(now.getTime() - SET_UP_EVERY_MS));
  }
  let facts = claimed;
  let unset: string | undefined;
  try {
    facts = { ...claimed, ...(await platform.setUp(asked)) };
    await keepFacts(ctx.database, of, facts, now);
  } catch (error) {
    // A shop may answer everything else.
    if (!mayBeOfOne(error) || error.code === NO_SHOP_THERE) throw error;
    if (link.set_up_at === null && platform.needsSetUp) throw error;
    unset = `${UNSET} ${error.message}`;
  }
  const ready = { ...shop, facts: { ...shop.facts, ...facts } };
  if (!isFirst || skewMs === 0) return { shop: ready, unset };
  const since = new Date(link.since.getTime() + skewMs);
  await keepSince(ctx.database, of, since);
  return { shop: { ...ready, since }, unset };
}

const UNSET =
  'The shop cannot be asked to send its changes at once, so that they are found within minutes instead. Its webhooks fail:';

/**
 * What a shop asks is answered by what has become of its orders here.
 * What cannot be is asked again with the next sync; its order is read by itself, so that its people read why.
 */
async function answerAsked(syncing: Sync): Promise<SyncStep> {
  const { ctx, of, platform, shop, apart } = syncing;
  const readByItself = async (shopOrderId: string): Promise<void> => {
    await noteHint(ctx.database, { ...of, shopOrderId, now: ctx.clock.now(), isNews: false }, HINTS_MAX);
  };
  const isMore = await platform.answer?.(shop, {
    fatesOf: (orderIds) => readFates(ctx.database, of, orderIds),
    readAnew: async (orderId) => void (await readOne(syncing, orderId)),
    isOver: syncing.isOver,
    apart: (orderId, work) =>
      apart.one(work, async (_fault, isItsOwn) => {
        if (isItsOwn) await readByItself(orderId);
      }),
  });
  // Requests that wait are many calls.
  return { isMore: isMore === true, isEnded: isMore !== true };
}

/** Products are compared as often as changed orders are listed. */
function compare(syncing: Sync): Promise<SyncStep> {
  return compareProducts(syncing, syncEveryMs(syncing.platform) - 1_000);
}

/**
 * Lists what has changed in a shop, a page at a time.
 * For what there is no room a hint is left: the list goes on with what the shop has changed of known orders.
 */
async function readChanged({ ctx, of, platform, shop, link }: Sync): Promise<SyncStep> {
  const now = ctx.clock.now();
  // One that is to be set up anew was connected again, or is asked at once by an operator.
  const isAsked = link.synced_at === null || link.set_up_at === null;
  const isDue = isAsked || now.getTime() - (link.synced_at?.getTime() ?? 0) >= syncEveryMs(platform) - 1_000;
  if (!isDue) return { isMore: false };
  const { orders, place, isLast } = await platform.listChanged(shop, link.place);
  const outside = await keepOrders(ctx, of, shop.since, orders);
  for (const shopOrderId of outside) {
    const isNoted = await noteHint(ctx.database, { ...of, shopOrderId, now, isNews: false }, HINTS_MAX);
    // The list goes on from here once there is room.
    if (!isNoted) return { isMore: false, isFull: true, isEnded: true };
  }
  await keepPlace(ctx.database, of, place, isLast ? now : null);
  return { isMore: !isLast || outside.length > 0, isFull: outside.length > 0 };
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
