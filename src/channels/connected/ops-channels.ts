import { actOnce } from '../../accounts/act-once.ts';
import type { Db } from '../../lib/db.ts';
import { ApiError, noSuch } from '../../lib/errors.ts';
import { LAST_ID, parseId, publicId, type Uuid } from '../../lib/ids.ts';
import type { Once, Operator } from '../../lib/operator.ts';
import { type Page, readPage, toPage } from '../../lib/paging.ts';
import type { ListOpsChannelsQuery, OpsChannel } from '../channel-ops-schema.ts';
import type { ChangeChannelBody } from '../channel-schema.ts';
import type { ChannelsContext } from '../context.ts';
import { lookAtReason } from '../inbox/inbox-sql.ts';
import { INBOX_CHANGED } from '../inbox/run-inbox.ts';
import { SYNC_DUE } from '../linked/run-syncs.ts';
import { type ChannelRow, changeChannel } from './channel-sql.ts';
import { changeConnected, channelViews, disconnect, lockConnected } from './channels.ts';
import {
  askNow,
  findAnyChannel,
  listAllChannels,
  listChannelsOf,
  listFaultyChannels,
  type ShopsPage,
} from './ops-channel-sql.ts';

/** What an operator asks of one shop. */
type Asked = { readonly id: string; readonly once: Once };

/** A page of the shops of all accounts, the newest first, and how each does. */
export async function listOpsChannels(ctx: ChannelsContext, query: ListOpsChannelsQuery): Promise<Page<OpsChannel>> {
  const { limit, after } = readPage('chan', query);
  const page = { before: after ?? (LAST_ID as Uuid), limit: limit + 1 };
  const rows = toPage(
    await rowsOf(ctx.database, query, page),
    limit,
    (row) => row,
    ({ id }) => publicId('chan', id),
  );
  return { ...rows, data: await viewsOf(ctx, rows.data) };
}

/** A shop of any account, and how it does. Throws 404. */
export async function getOpsChannel(ctx: ChannelsContext, id: string): Promise<OpsChannel> {
  return viewOf(ctx, await anyChannel(ctx, id));
}

/** The row of a shop of any account. Throws 404. */
export async function anyChannel({ database }: Pick<ChannelsContext, 'database'>, id: string): Promise<ChannelRow> {
  const channelId = parseId('chan', id);
  const row = channelId === undefined ? undefined : await findAnyChannel(database, channelId);
  if (row === undefined) throw noSuch('shop');
  return row;
}

/**
 * Pauses a shop, or has it go on: what it sends waits meanwhile, and is looked at then.
 * Idempotent. Throws 404, and 409 for one that is disconnected.
 */
export async function pauseByOps(
  ctx: ChannelsContext,
  operator: Operator,
  { paused, ...asked }: Asked & { readonly paused: boolean },
): Promise<OpsChannel> {
  const action = paused ? 'pause_shop' : 'resume_shop';
  return act(ctx, operator, { ...asked, action }, async (tx, { account_id: accountId, id: channelId }, now) => {
    const row = await lockConnected(tx, accountId, channelId);
    if ((row.state === 'paused') === paused) return;
    await changeChannel(tx, { ...row, state: paused ? 'paused' : 'active' });
    if (!paused) await lookAtReason(tx, { accountId, channelId, reason: 'paused' }, now);
  });
}

/**
 * Changes the name and the rules of a shop, as its own people would.
 * Throws 404, 409 for one that is disconnected, and 422 for a rule that its platform cannot follow.
 */
export async function changeByOps(
  ctx: ChannelsContext,
  operator: Operator,
  { body, ...asked }: Asked & { readonly body: ChangeChannelBody },
): Promise<OpsChannel> {
  return act(ctx, operator, { ...asked, action: 'change_shop' }, (tx, row, now) =>
    changeConnected(tx, { accountId: row.account_id, channelId: row.id }, body, now),
  );
}

/** Disconnects a shop, as its own people would. Idempotent. Throws 404. */
export async function disconnectByOps(ctx: ChannelsContext, operator: Operator, asked: Asked): Promise<OpsChannel> {
  return act(ctx, operator, { ...asked, action: 'disconnect_shop' }, async (tx, row, now) => {
    await disconnect(tx, row.account_id, row.id, now);
  });
}

/**
 * Has a linked shop asked again at once, whatever it failed by, and set up anew.
 * Throws 404, and 409 for one that is disconnected or sends its orders itself.
 */
export async function syncByOps(ctx: ChannelsContext, operator: Operator, asked: Asked): Promise<OpsChannel> {
  return act(ctx, operator, { ...asked, action: 'sync_shop' }, async (tx, row, now) => {
    await lockConnected(tx, row.account_id, row.id);
    if (await askNow(tx, row.account_id, row.id, now)) return;
    throw new ApiError('conflict', 'This shop sends its orders itself; there is nothing to ask it for.');
  });
}

/** Does something with a shop at most once for each key, and wakes what looks after shops. */
async function act(
  ctx: ChannelsContext,
  operator: Operator,
  { id, once, action }: Asked & { readonly action: string },
  work: (tx: Db, row: ChannelRow, now: Date) => Promise<void>,
): Promise<OpsChannel> {
  const found = await anyChannel(ctx, id);
  const detail = { channel_id: publicId('chan', found.id) };
  await actOnce(ctx, operator, { action, orderId: null, subjectId: found.id, detail, once }, (tx, now) =>
    work(tx, found, now),
  );
  ctx.wake(INBOX_CHANGED);
  ctx.wake(SYNC_DUE);
  return getOpsChannel(ctx, id);
}

async function rowsOf(db: Db, query: ListOpsChannelsQuery, page: ShopsPage): Promise<ChannelRow[]> {
  const isFaulty = query.needs === 'mending';
  if (query.account === undefined) return isFaulty ? listFaultyChannels(db, page) : listAllChannels(db, page);
  const accountId = parseId('acct', query.account);
  return accountId === undefined ? [] : listChannelsOf(db, { accountId, isFaulty }, page);
}

async function viewOf(ctx: ChannelsContext, row: ChannelRow): Promise<OpsChannel> {
  const [view] = await viewsOf(ctx, [row]);
  if (view === undefined) throw new Error('a channel has no view');
  return view;
}

async function viewsOf(ctx: ChannelsContext, rows: readonly ChannelRow[]): Promise<OpsChannel[]> {
  const views = await channelViews(ctx, rows);
  return rows.flatMap(({ account_id: accountId }, at) => {
    const view = views[at];
    return view === undefined ? [] : [{ ...view, account_id: publicId('acct', accountId) }];
  });
}
