import type { Caller } from '../../lib/caller.ts';
import { isoTime, parseTime } from '../../lib/clock.ts';
import type { Context } from '../../lib/context.ts';
import { ApiError, notFound, type Problem, validationFailed } from '../../lib/errors.ts';
import { firstIdAt, newId, parseId, type Uuid } from '../../lib/ids.ts';
import { findSubscription, type SubscriptionRow } from '../subscription-sql.ts';
import { lockSubscription } from './deliveries-sql.ts';
import { NOT_ACTIVE } from './redeliver.ts';
import type { ReplayBody, StartedReplay } from './replay-schema.ts';
import { countEvents, insertReplay, REPLAYED_MAX, type ReplayedSpan } from './replay-sql.ts';
import { replayView } from './replay-view.ts';
import { REPLAYS_CHANGED } from './run-replays.ts';

/** The time in the id of an event is at most this far from that of its creation (webhooks/read-log.ts). */
const RECORDED_WITHIN_MS = 600_000;
const DAY_MS = 86_400_000;

/**
 * Sends the events of a span of time to a subscription again, or only counts them.
 * Throws 404 when the subscription is not the account's, 422 for a span that ends before it begins or has more events
 * than a replay may have, and 409 when the subscription is paused or disabled or another replay of it has not ended.
 */
export async function startReplay(
  ctx: Pick<Context, 'config' | 'database' | 'clock' | 'wake'>,
  caller: Caller,
  publicId: string,
  body: ReplayBody,
): Promise<StartedReplay> {
  const id = parseId('whk', publicId);
  const { accountId } = caller;
  const subscription = id === undefined ? undefined : await findSubscription(ctx.database, accountId, id);
  if (subscription === undefined) throw notFound();
  const span = spanOf(ctx, subscription, body);
  const { events, isMore } = await countEvents(ctx.database, accountId, span);
  if (isMore) throw validationFailed([TOO_MANY]);
  const counted = { since: isoTime(span.since), until: isoTime(span.until), events };
  if (body.dry_run === true) return { ...counted, replay: null };
  const replay = await ctx.database.transaction(async (tx) => {
    const locked = await lockSubscription(tx, accountId, subscription.id);
    if (locked === undefined) throw notFound();
    if (!locked.active) throw new ApiError('conflict', NOT_ACTIVE);
    const now = ctx.clock.now();
    const made = { ...span, accountId, id: newId(now.getTime()), subscriptionId: subscription.id, events, now };
    const row = await insertReplay(tx, made);
    if (row === undefined) throw new ApiError('conflict', UNFINISHED);
    return replayView(row);
  });
  ctx.wake(REPLAYS_CHANGED);
  return { ...counted, replay };
}

const UNFINISHED = 'Another replay of this subscription has not ended. Wait for it, or cancel it.';
const TOO_MANY: Problem = {
  path: 'since',
  code: 'out_of_bounds',
  message: `The account has more than ${REPLAYED_MAX} events in this time. Replay it in several parts, one after another.`,
};

/** The span within the log of events; throws 422 when there is none. */
function spanOf(
  { config, clock }: Pick<Context, 'config' | 'clock'>,
  subscription: SubscriptionRow,
  body: ReplayBody,
): ReplayedSpan {
  const now = clock.now();
  const earliest = new Date(now.getTime() - config.keepEventsDays * DAY_MS);
  const askedSince = timeOf('since', body.since);
  const askedUntil = body.until === undefined ? now : timeOf('until', body.until);
  const since = askedSince < earliest ? earliest : askedSince;
  const until = askedUntil > now ? now : askedUntil;
  if (askedUntil <= askedSince || until <= since) throw validationFailed([EMPTY]);
  return { since, until, floor: idNear(since, -1), ceiling: idNear(until, 1), names: subscription.events };
}

const EMPTY: Problem = {
  path: 'until',
  code: 'out_of_bounds',
  message: 'The time must begin before it ends, before now, and end within the log of events.',
};

function timeOf(path: 'since' | 'until', text: string): Date {
  const time = parseTime(text);
  if (time === undefined)
    throw validationFailed([{ path, code: 'time', message: `There is no such time as ${text}.` }]);
  return time;
}

function idNear(time: Date, sign: 1 | -1): Uuid {
  return firstIdAt(new Date(time.getTime() + sign * RECORDED_WITHIN_MS));
}
