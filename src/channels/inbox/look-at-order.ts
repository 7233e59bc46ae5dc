import { openTask } from '../../accounts/open-task.ts';
import { basketProblems } from '../../checkout/basket-request.ts';
import { placeOrder } from '../../checkout/place-order.ts';
import type { Caller } from '../../lib/caller.ts';
import type { Db } from '../../lib/db.ts';
import { messageOf } from '../../lib/error-message.ts';
import { ApiError, type Problem } from '../../lib/errors.ts';
import { publicId, type Uuid } from '../../lib/ids.ts';
import type { Job } from '../../lib/queue/job.ts';
import { JobFault, type JobHandler } from '../../lib/queue.ts';
import { serviceFor } from '../../lib/turns/owner.ts';
import { compileShape } from '../../lib/validation/validate.ts';
import { PlaceOrderBody } from '../../orders/schema.ts';
import { type ChannelRow, findOwnChannel, holdRules } from '../connected/channel-sql.ts';
import type { ChannelsContext } from '../context.ts';
import { type ResolvedItem, resolveItems } from '../items/resolve-items.ts';
import { askPeople, asksPeople } from '../mails/ask-people.ts';
import { CANCEL_MAIL, CHANGE_MAIL, IGNORE_MAIL, mailAboutPlaced } from '../mails/mail-about-placed.ts';
import { makeReportDue } from '../reports/report-sql.ts';
import type { ShopOrder } from '../shop-order.ts';
import { type AppliedChange, applyChange } from './apply-change.ts';
import { decide, freeSince, PROBLEMS_MAX, refused, STOCK_AGAIN_MS, type Wrong } from './decide.ts';
import {
  findInboxRow,
  type InboxOutcome,
  type InboxRow,
  lockInboxRow,
  noteChange,
  recordOutcome,
} from './inbox-sql.ts';
import { findPlacedAs, findPlacedBefore, type PlacedBefore } from './known-sql.ts';
import { BY_ERASURE, BY_PERSON, BY_SHOP, type Cancelled, passOnCancel } from './pass-on-cancel.ts';
import { CHANGED, type LookOutcome, type Made, type OneLook, outcomeOfPlaced, unknownIn } from './placed-meanwhile.ts';
import type { InboxReason } from './reasons.ts';
import { enqueueLook, SHOP_ORDER_JOB } from './receive-order.ts';
import { keptItems, referenceOf, requestOf, unreadProperties } from './request-of.ts';
import type { LaterOrder } from './to-be-made.ts';

/** Longer than a placing whose pictures are all as slow as they may be. */
const LEASE_SECONDS = 300;
const CONCURRENCY = 6;
/**
 * Of one shop at a time, however many workers there are.
 * Two places are left for other shops, also of its account.
 */
const OF_SHOP_MAX = 4;
const ATTEMPTS_MAX = 8;

/**
 * The job that takes an order of a shop further.
 * It decides, and places the order by the same use case as the API.
 */
export function shopOrderJobs(ctx: ChannelsContext): JobHandler[] {
  return [
    {
      kind: SHOP_ORDER_JOB,
      concurrency: CONCURRENCY,
      ofLineMax: OF_SHOP_MAX,
      leaseSeconds: LEASE_SECONDS,
      attemptsMax: ATTEMPTS_MAX,
      run: (job, signal) => lookAtOrder(ctx, job, signal),
      giveUp: (job, reason) => giveUp(ctx, job, reason),
    },
  ];
}

type Look = { readonly accountId: Uuid; readonly id: Uuid; readonly revision: number };

function lookOf({ account_id: accountId, payload }: Job): Look {
  const { id, revision } = payload as { id: Uuid; revision: number };
  return { accountId, id, revision };
}

/**
 * Looks at an order of a shop, and records what became of it.
 * An order that is there already under its reference comes first. A worker that died before it recorded that has placed
 * it, or a look at an earlier revision that goes on beside this one. So none is placed twice, and none is ignored while
 * it is made. Otherwise nothing is done for a revision that is not the latest: its own look does it.
 */
async function lookAtOrder(app: ChannelsContext, job: Job, signal: AbortSignal, made?: Made): Promise<void> {
  const { accountId, id, revision } = lookOf(job);
  const asker = { owner: serviceFor(accountId) };
  const ctx: ChannelsContext = { ...app, asker, database: app.database.of(asker), images: app.images.of(asker) };
  const caller: Caller = { accountId, limitedAs: `shop order ${id}`, scopes: new Set() };
  const row = await findInboxRow(ctx.database, accountId, id);
  // Erased with its account.
  if (row === undefined) return;
  const channel = await findOwnChannel(ctx.database, accountId, row.channel_id);
  if (channel === undefined) throw new Error('an order of a shop is without its channel');
  const isStale = row.revision !== revision;
  const change = isStale ? undefined : await changeOf(ctx, caller, row, channel);
  const look: OneLook = { row, channel, signal, made };
  const outcome: LookOutcome | undefined =
    change?.outcome ??
    (await outcomeOfPlaced(ctx, caller, look)) ??
    (isStale ? undefined : await outcomeOf(ctx, caller, look));
  if (outcome === undefined) return;
  const isAsked = outcome.state === 'waiting' && outcome.reason !== row.reason && asksPeople(outcome.reason);
  if (isAsked) await askPeople(ctx, ctx.database, { accountId, channelId: channel.id });
  const isRecorded = await ctx.database.transaction(async (tx) => {
    const now = ctx.clock.now();
    if (change !== undefined) return recordChange(ctx, tx, row, change);
    const noted = outcome.state === 'waiting' ? await lookedAtAgain(tx, channel, outcome, now) : outcome;
    if (!(await recordOutcome(tx, row, noted, now))) return false;
    if (outcome.state === 'placed' && row.state !== 'placed') {
      await makeReportDue(tx, { accountId, id, channelId: row.channel_id }, now);
    }
    if (outcome.later !== undefined) await haveItChanged(tx, row, outcome.later, now);
    await mailAboutRefusal(ctx, tx, row, outcome);
    const { goesOn } = outcome;
    if (goesOn !== undefined) await mailAboutPlaced(ctx, tx, { ...row, order_reference: goesOn }, CANCEL_MAIL);
    const { task: note, orderId = null } = outcome;
    if (note !== undefined) await openTask(tx, { accountId, orderId, kind: 'buyer_asks', note }, now);
    return true;
  });
  if (isRecorded && outcome.later !== undefined) app.wake(SHOP_ORDER_JOB);
  if (isRecorded || outcome.state !== 'placed') return;
  // It was changed while it was placed. What is there now may have been looked at already, and knows of no order.
  const { items, parts = row.parts, orderId } = outcome;
  const isKnown = items !== undefined && orderId !== undefined;
  await lookAtOrder(app, job, signal, isKnown ? { items, parts, content: outcome.later ? null : row.content } : made);
}

/** Has it done by a look of its own what a shop has changed while its order was placed. */
async function haveItChanged(tx: Db, row: InboxRow, later: LaterOrder, now: Date): Promise<void> {
  const { digest, changed_at: changedAt } = row;
  const revision = await noteChange(tx, row, { digest, changedAt, reason: 'change_asked', later });
  await enqueueLook(tx, { ...row, revision }, now);
}

type Change = { readonly outcome: InboxOutcome; readonly applied: AppliedChange };

/** What a shop has changed in a placed order is done; undefined where it has changed nothing. */
async function changeOf(
  ctx: ChannelsContext,
  caller: Caller,
  row: InboxRow,
  channel: ChannelRow,
): Promise<Change | undefined> {
  const { order_id: orderId, later, reason } = row;
  if (reason !== 'change_asked' || orderId === null || later === null) return undefined;
  const applied = await applyChange(ctx, caller, { ...row, order_id: orderId, later }, channel);
  const outcome: InboxOutcome =
    applied.kind === 'applied' ? { state: 'placed', reason: '' } : await passOnCancel(ctx, caller, orderId, BY_SHOP);
  return { outcome, applied };
}

/** Records what was done of a change; false if the order has changed again. */
async function recordChange(
  ctx: ChannelsContext,
  tx: Db,
  row: InboxRow,
  { outcome, applied }: Change,
): Promise<boolean> {
  const now = ctx.clock.now();
  const locked = await lockInboxRow(tx, row.account_id, row.id);
  if (locked?.revision !== row.revision) return false;
  const settled = (await applied.settle(tx, now)) ?? outcome;
  if (!(await recordOutcome(tx, row, settled, now))) return false;
  await mailAboutRefusal(ctx, tx, row, settled);
  return true;
}

/** A cancel that is refused here is for the people of the shop at once, and a change that is only said. */
async function mailAboutRefusal(ctx: ChannelsContext, tx: Db, row: InboxRow, outcome: InboxOutcome): Promise<void> {
  const { reason } = outcome;
  if (outcome.problems === CHANGED.problems) await mailAboutPlaced(ctx, tx, row, CHANGE_MAIL);
  if (reason !== 'cancel_refused') return;
  await mailAboutPlaced(ctx, tx, row, row.reason === 'by_person' ? IGNORE_MAIL : CANCEL_MAIL);
}

/**
 * Has an order that is to wait looked at again at once, if its shop's rules were changed meanwhile.
 * What changes them has had those looked at that waited already, and this one did not.
 */
async function lookedAtAgain(tx: Db, channel: ChannelRow, outcome: InboxOutcome, now: Date): Promise<InboxOutcome> {
  const revision = await holdRules(tx, channel.account_id, channel.id);
  return revision === channel.rules_revision ? outcome : { ...outcome, lookAt: now };
}

async function outcomeOf(ctx: ChannelsContext, caller: Caller, look: OneLook): Promise<LookOutcome | undefined> {
  const { row, channel, signal } = look;
  if (row.state === 'placed') {
    if (row.reason !== 'cancel_asked' || row.order_id === null) return undefined;
    // The shop has learnt it from us.
    if (row.order_state === 'cancelled') return { state: 'placed', reason: 'cancelled' };
    return passOnCancel(ctx, caller, row.order_id, BY_SHOP);
  }
  const { content } = row;
  if (content === null || row.state === 'ignored') return undefined;
  const now = ctx.clock.now();
  if (channel.state === 'disconnected') return { state: 'ignored', reason: 'disconnected' };
  if (channel.is_suspended) {
    return { state: 'waiting', reason: 'suspended', lookAt: new Date(now.getTime() + STOCK_AGAIN_MS) };
  }
  const before = await findPlacedBefore(ctx.database, { accountId: row.account_id, channelId: channel.id }, content);
  if (before !== undefined) return outcomeOfBefore(ctx, caller, content, before);
  const items = await resolveItems(ctx, caller, row.channel_id, content.items, unknownIn(channel));
  const isSupplement = row.supplement_of !== null;
  const by = { channel, items, isApproved: row.is_approved, isSupplement, receivedAt: freeSince(row), now };
  const decision = decide(content, by);
  if (decision.kind === 'ignore') return { state: 'ignored', reason: decision.reason };
  if (decision.kind === 'wait') {
    const { reason, missing, until, message } = decision;
    return {
      state: 'waiting',
      reason,
      ...(missing === undefined ? {} : { missing }),
      ...(until === undefined ? {} : { lookAt: until }),
      ...(message === undefined ? {} : { problems: [{ path: '', message }] }),
    };
  }
  const outcome = await place(ctx, caller, row, { content, items, services: channel.services, signal });
  // An earlier look has placed it meanwhile, of what the shop had sent by then.
  return outcome.reason === 'changed_in_shop' ? outcomeOfPlaced(ctx, caller, look) : outcome;
}

/** What was placed while its shop was connected before is cancelled with the shop's order, and left. */
async function outcomeOfBefore(
  ctx: ChannelsContext,
  caller: Caller,
  { cancelled }: ShopOrder,
  { id, reference }: PlacedBefore,
): Promise<LookOutcome> {
  const message = `It is order ${reference}, placed while this shop was connected before.`;
  const passed = cancelled === true ? await passOnCancel(ctx, caller, id, BY_SHOP) : undefined;
  const goesOn = passed?.reason === 'cancel_refused' ? { goesOn: reference } : {};
  const problems = [{ path: '', message }, ...(passed?.problems ?? [])];
  return { state: 'ignored', reason: 'placed_before', problems, ...goesOn };
}

const shapeOf = compileShape(PlaceOrderBody);

async function place(
  ctx: ChannelsContext,
  caller: Caller,
  row: InboxRow,
  order: {
    readonly content: ShopOrder;
    readonly items: readonly ResolvedItem[];
    readonly services: Parameters<typeof requestOf>[1]['services'];
    readonly signal: AbortSignal;
  },
): Promise<InboxOutcome> {
  const { content, items, services, signal } = order;
  const { body, itemOfLine } = requestOf(content, { channelId: row.channel_id, items, services });
  const unread = row.is_approved ? [] : unreadProblems(content, items, itemOfLine);
  const wrong = [...shapeOf(body), ...basketProblems(body), ...unread];
  if (wrong.length > 0) return refused(row, { wrong, itemOfLine, now: ctx.clock.now() });
  try {
    const request = { body: body as PlaceOrderBody, unknownFields: [], signal, source: 'channel' } as const;
    const result = await placeOrder(ctx, caller, request);
    const placed = { orderId: result.order.id, items: keptItems(content.items, itemOfLine) };
    // An earlier look has placed what the shop had sent by then.
    const isChanged = result.kind === 'replayed' && result.warnings.length > 0;
    return isChanged ? { ...CHANGED, ...placed } : { state: 'placed', reason: '', ...placed };
  } catch (error) {
    if (error instanceof ApiError && error.code !== 'unavailable' && error.code !== 'internal_error') {
      const by = { wrong: problemsOf(error), itemOfLine, code: error.code, now: ctx.clock.now() };
      return refused(row, by);
    }
    // The database or a store is away: the queue waits, and it is no fault of the order.
    if (error instanceof ApiError) throw error;
    throw new JobFault(messageOf(error));
  }
}

/** A person may approve an order all the same: what was entered may be for the shop alone. */
function unreadProblems(
  content: ShopOrder,
  items: readonly ResolvedItem[],
  itemOfLine: readonly number[],
): Pick<Problem, 'path' | 'message'>[] {
  return unreadProperties(content, items).flatMap((names, item) =>
    names.slice(0, PROBLEMS_MAX).map((name) => ({
      path: `items[${itemOfLine.indexOf(item)}].decoration`,
      message: `What the buyer entered under “${name}” belongs to no layer of this product, and one of its layers is empty. Call the layer so, or place the order as it is.`,
    })),
  );
}

function problemsOf(error: ApiError): readonly Wrong[] {
  const { errors } = error.extras as { errors?: readonly Problem[] };
  return errors === undefined || errors.length === 0 ? [{ path: '', message: error.message }] : errors;
}

/** What fails again and again is left to a person, with a task for the operators. */
async function giveUp(ctx: ChannelsContext, job: Job, reason: string): Promise<void> {
  const { accountId, id, revision } = lookOf(job);
  await ctx.database.transaction(async (tx) => {
    const row = await findInboxRow(tx, accountId, id);
    if (row === undefined) return;
    const given = await givenUp(tx, row, { isStale: row.revision !== revision, reason });
    if (given === undefined) return;
    const now = ctx.clock.now();
    if (!(await recordOutcome(tx, row, given.outcome, now))) return;
    await mailAboutRefusal(ctx, tx, row, given.outcome);
    const orderId = given.outcome.orderId ?? row.order_id;
    await openTask(tx, { accountId, orderId, kind: 'shop_order_failed', note: given.note }, now);
  });
  ctx.log.warn({ shop_order: publicId('sho', id), error: reason }, 'an order of a shop was given up');
}

type GivenUp = { readonly outcome: InboxOutcome; readonly note: string };

/** Why an order may be ended while a look places it, which is then to be cancelled. */
const ENDED_MEANWHILE: Readonly<
  Partial<Record<InboxReason, { readonly as: Cancelled; readonly what: string; readonly and: string }>>
> = {
  by_person: { as: BY_PERSON, what: 'was ignored', and: '' },
  cancelled_in_shop: { as: BY_SHOP, what: 'was cancelled in the shop', and: '' },
  erased: { as: BY_ERASURE, what: 'had its recipient erased', and: ', and erase it, too' },
};

/** What becomes of an order whose look has failed for good; undefined where another goes on. */
async function givenUp(
  tx: Db,
  row: InboxRow,
  { isStale, reason }: { readonly isStale: boolean; readonly reason: string },
): Promise<GivenUp | undefined> {
  const times = `${ATTEMPTS_MAX} times: ${reason}`;
  const goesOn = (words: string): InboxOutcome => {
    const message = `${words}its refund fails. The print shop has a task to look at it.`;
    return { state: 'placed', reason: 'cancel_refused', problems: [{ path: '', message }] };
  };
  if (isStale) {
    const by = ENDED_MEANWHILE[row.reason];
    if (row.state !== 'ignored' || by === undefined) return undefined;
    // It was ended while this look placed it, and no other look is to come.
    const orderId = await findPlacedAs(tx, row.account_id, referenceOf(row.channel_id, row.shop_order_id));
    if (orderId === undefined) return undefined;
    const note = `Order ${row.shop_number} of the connected shop ${row.channel_name} ${by.what} while it was placed, and its cancel failed ${times} Cancel it by hand${by.and}.`;
    return { outcome: { ...goesOn(by.as.goesOn), orderId }, note };
  }
  if (row.reason === 'change_asked') {
    const message = 'The shop has changed it, and that fails here. The print shop has a task.';
    const note = `Order ${row.order_reference} was changed in the connected shop, and doing that here failed ${times} Compare the two, and change it by hand.`;
    return { outcome: { state: 'placed', reason: 'changed_in_shop', problems: [{ path: '', message }] }, note };
  }
  if (row.state === 'placed') {
    if (row.reason !== 'cancel_asked') return undefined;
    const note = `Order ${row.order_reference} was cancelled in the connected shop, and its cancel failed ${times} Cancel it by hand.`;
    return { outcome: goesOn(BY_SHOP.goesOn), note };
  }
  const message = 'It could not be placed by a fault of ours. The print shop has a task to look at it.';
  const note = `Order ${publicId('sho', row.id)} of a connected shop could not be placed after ${ATTEMPTS_MAX} tries. Look for it in the log, mend the cause, then have it tried again.`;
  return { outcome: { state: 'failed', reason: 'gave_up', problems: [{ path: '', message }] }, note };
}
