import type { Caller } from '../../lib/caller.ts';
import type { Context } from '../../lib/context.ts';
import { ApiError, notFound } from '../../lib/errors.ts';
import { parseId } from '../../lib/ids.ts';
import { type Page, readPage, toPage } from '../../lib/paging.ts';
import { findSubscription } from '../subscription-sql.ts';
import { lockSubscription } from './deliveries-sql.ts';
import { NOT_ACTIVE } from './redeliver.ts';
import type { ChangeReplayBody, ListReplaysQuery, Replay } from './replay-schema.ts';
import { cancelOpen, changeReplayRow, findReplay, listReplayRows, lockReplay, type ReplayOf } from './replay-sql.ts';
import { replayView } from './replay-view.ts';
import { REPLAYS_CHANGED } from './run-replays.ts';

/** The ids in an address of a replay: of its subscription and its own. */
export type ReplayPath = { readonly id: string; readonly replay: string };

/**
 * A page of the replays of a subscription, newest first.
 * Throws 404 when the subscription is not the account's.
 */
export async function listReplays(
  ctx: Pick<Context, 'database'>,
  { accountId }: Caller,
  publicId: string,
  query: ListReplaysQuery,
): Promise<Page<Replay>> {
  const id = parseId('whk', publicId);
  if (id === undefined || (await findSubscription(ctx.database, accountId, id)) === undefined) throw notFound();
  const { limit, after } = readPage('rpl', query);
  const rows = await listReplayRows(ctx.database, { accountId, subscriptionId: id }, after, limit + 1);
  return toPage(rows, limit, replayView, (replay) => replay.id);
}

/** One replay. Throws 404 when it is not of this subscription and account. */
export async function getReplay(ctx: Pick<Context, 'database'>, caller: Caller, address: ReplayPath): Promise<Replay> {
  const row = await findReplay(ctx.database, readReplayPath(caller, address));
  if (row === undefined) throw notFound();
  return replayView(row);
}

/**
 * Pauses, resumes or cancels a replay; one that has ended stays as it is.
 * What is under way when it is paused ends as it ends; a cancel takes back what waits for an
 * attempt, and what is under way is tried no more. Throws 404 when
 * it is not of this subscription and account, 409 when it has ended otherwise, or when its subscription is paused.
 */
export async function changeReplay(
  ctx: Pick<Context, 'database' | 'clock' | 'wake'>,
  caller: Caller,
  address: ReplayPath,
  { status }: ChangeReplayBody,
): Promise<Replay> {
  const of = readReplayPath(caller, address);
  const row = await ctx.database.transaction(async (tx) => {
    // The subscription first, as a start does.
    const subscription = await lockSubscription(tx, of.accountId, of.subscriptionId);
    const found = await lockReplay(tx, of);
    if (subscription === undefined || found === undefined) throw notFound();
    if (found.state === status) return found;
    if (found.ended_at !== null) throw new ApiError('conflict', `The replay is ${found.state}. Start another.`);
    if (status === 'running' && !subscription.active) throw new ApiError('conflict', NOT_ACTIVE);
    if (status === 'cancelled') await cancelOpen(tx, of);
    return changeReplayRow(tx, of, status, ctx.clock.now());
  });
  ctx.wake(REPLAYS_CHANGED);
  return replayView(row);
}

function readReplayPath({ accountId }: Caller, { id, replay }: ReplayPath): ReplayOf {
  const subscriptionId = parseId('whk', id);
  const replayId = parseId('rpl', replay);
  if (subscriptionId === undefined || replayId === undefined) throw notFound();
  return { accountId, subscriptionId, id: replayId };
}
