import { recordAct } from '../../accounts/access/record-act.ts';
import { requireProof } from '../../accounts/portal/prove.ts';
import type { SignedIn } from '../../lib/caller.ts';
import { isoTime } from '../../lib/clock.ts';
import type { Context } from '../../lib/context.ts';
import type { Db } from '../../lib/db.ts';
import { ApiError, noSuch, validationFailed } from '../../lib/errors.ts';
import { newId, parseId, publicId, type Uuid } from '../../lib/ids.ts';
import { newSigningSecret } from '../../webhooks/sign.ts';
import type { ChangeChannelBody, Channel, ChannelWithSecret, ConnectChannelBody } from '../channel-schema.ts';
import type { ChannelsContext } from '../context.ts';
import { countWaiting } from '../inbox/inbox-list-sql.ts';
import { lookAtAll, lookAtReason } from '../inbox/inbox-sql.ts';
import { INBOX_CHANGED } from '../inbox/run-inbox.ts';
import { type LinkHealth, listLinkHealth } from '../linked/link-sql.ts';
import { SYNC_DUE } from '../linked/run-syncs.ts';
import { hastenSync } from '../linked/sync-sql.ts';
import { platformOf } from '../platforms/platforms.ts';
import {
  type ChannelRow,
  type ChannelRules,
  changeChannel,
  endChannel,
  endSecret,
  findOwnChannel,
  insertChannel,
  insertSecret,
  listChannels,
  lockAndCountChannels,
  lockChannel,
} from './channel-sql.ts';

/** Connected shops of an account. */
export const CONNECTED_MAX = 20;
/** Channels keep their row, since orders were placed by them. */
export const EVER_MAX = 100;
/** How long the secret of before is taken after a rotation. */
const OVERLAP_MS = 86_400_000;

/** The shops of the account, the newest first, and how each does. */
export async function listOwnChannels(
  ctx: Pick<Context, 'database' | 'config'>,
  { accountId }: SignedIn,
): Promise<{ data: Channel[] }> {
  const rows = await listChannels(ctx.database, accountId);
  return { data: await channelViews(ctx, rows) };
}

/** One shop of the account. Throws 404 for any other. */
export async function readOwnChannel(
  ctx: Pick<Context, 'database' | 'config'>,
  { accountId }: SignedIn,
  id: string,
): Promise<Channel> {
  return viewOf(ctx, await ownChannel(ctx, accountId, id));
}

/** The row of a shop of an account. Throws 404 for any other. */
export async function ownChannel(ctx: Pick<Context, 'database'>, accountId: Uuid, id: string): Promise<ChannelRow> {
  const channelId = parseId('chan', id);
  const row = channelId === undefined ? undefined : await findOwnChannel(ctx.database, accountId, channelId);
  if (row === undefined) throw noSuch('shop');
  return row;
}

/**
 * Connects a shop that sends its orders itself.
 * Nothing older is placed. The secret is in this answer alone. Throws 403 without a fresh proof, 409 when the account
 * has as many shops as it may. Locks the account, so that of two at once one is counted.
 */
export async function connectChannel(
  ctx: ChannelsContext,
  caller: SignedIn,
  { name }: ConnectChannelBody,
): Promise<ChannelWithSecret> {
  await requireProof(ctx, caller);
  const { accountId } = caller;
  const secret = newSigningSecret();
  const id = newId(ctx.clock.now().getTime());
  await ctx.database.transaction(async (tx) => {
    const { connected, ever } = await lockAndCountChannels(tx, accountId);
    if (connected >= CONNECTED_MAX) {
      throw new ApiError('conflict', `An account has at most ${CONNECTED_MAX} connected shops. Disconnect one first.`);
    }
    if (ever >= EVER_MAX) {
      throw new ApiError('conflict', `The account has connected ${EVER_MAX} shops in all. Ask the print shop.`);
    }
    const now = ctx.clock.now();
    await insertChannel(tx, { accountId, id, platform: 'signed', name: name.trim(), address: null, now });
    const sealed = ctx.secrets.seal(secret);
    await insertSecret(tx, { id: newId(now.getTime()), accountId, channelId: id, sealed });
    await record(tx, caller, 'connect_shop', id, now);
  });
  return { channel: await readOwnChannel(ctx, caller, publicId('chan', id)), secret };
}

/**
 * Changes the name and the rules of a shop, or pauses it.
 * What a paused shop sends waits; once it goes on, that is looked at. Throws 404 for any other shop, 409 for one that
 * is disconnected.
 */
export async function changeOwnChannel(
  ctx: ChannelsContext,
  caller: SignedIn,
  id: string,
  body: ChangeChannelBody,
): Promise<Channel> {
  const { accountId } = caller;
  const { id: channelId } = await ownChannel(ctx, accountId, id);
  await ctx.database.transaction(async (tx) => {
    const now = ctx.clock.now();
    await changeConnected(tx, { accountId, channelId }, body, now);
    await record(tx, caller, 'change_shop', channelId, now);
  });
  ctx.wake(INBOX_CHANGED);
  return readOwnChannel(ctx, caller, id);
}

/**
 * Changes a shop, and has what waits for no other reason any more looked at.
 * Throws 404, 409 for one that is disconnected, and 422 for a rule that its platform cannot follow.
 */
export async function changeConnected(
  tx: Db,
  { accountId, channelId }: { readonly accountId: Uuid; readonly channelId: Uuid },
  { name, paused, ...rules }: ChangeChannelBody,
  now: Date,
): Promise<void> {
  const row = await lockConnected(tx, accountId, channelId);
  const changed = {
    account_id: accountId,
    id: channelId,
    name: name?.trim() ?? row.name,
    state: paused === undefined ? row.state : paused ? ('paused' as const) : ('active' as const),
    ...rulesOf(row, rules),
  };
  if (changed.refunds_buyers && !takesRefunds(row)) throw validationFailed([NO_REFUNDS]);
  await changeChannel(tx, changed);
  const again = [
    ...(row.state === 'paused' && changed.state === 'active' ? (['paused'] as const) : []),
    ...(row.needs_approval && !changed.needs_approval ? (['approval'] as const) : []),
    ...(changed.delay_minutes < row.delay_minutes ? (['delayed'] as const) : []),
    ...(!row.makes_blanks && changed.makes_blanks ? (['needs_artwork'] as const) : []),
    ...(!row.unknown_is_others && changed.unknown_is_others ? (['needs_mapping'] as const) : []),
  ];
  for (const reason of again) await lookAtReason(tx, { accountId, channelId, reason }, now);
}

/** The rules of a shop with those that are changed. */
function rulesOf(row: ChannelRow, changes: Partial<ChannelRules>): ChannelRules {
  return {
    needs_approval: changes.needs_approval ?? row.needs_approval,
    delay_minutes: changes.delay_minutes ?? row.delay_minutes,
    services: changes.services ?? row.services,
    refunds_buyers: changes.refunds_buyers ?? row.refunds_buyers,
    makes_blanks: changes.makes_blanks ?? row.makes_blanks,
    unknown_is_others: changes.unknown_is_others ?? row.unknown_is_others,
  };
}

/** Whether a shop takes refunds of its buyers from us. */
function takesRefunds({ platform }: Pick<ChannelRow, 'platform'>): boolean {
  return platform !== 'signed' && platformOf(platform).capabilities.refunds;
}

const NO_REFUNDS = {
  path: 'refunds_buyers',
  code: 'not_available',
  message: 'cannot be switched on: this shop takes no refunds from the print shop. Refund its buyers in the shop.',
};

/**
 * Gives a shop another signing secret, in this answer alone. The one before is taken for a day.
 * Throws 403 without a fresh proof, 404 for any other shop, 409 for one that is disconnected or that has its
 * secret from us.
 */
export async function rotateOwnSecret(ctx: ChannelsContext, caller: SignedIn, id: string): Promise<ChannelWithSecret> {
  await requireProof(ctx, caller);
  const { accountId } = caller;
  const { id: channelId } = await ownChannel(ctx, accountId, id);
  const secret = newSigningSecret();
  await ctx.database.transaction(async (tx) => {
    const { platform } = await lockConnected(tx, accountId, channelId);
    if (platform !== 'signed') {
      throw new ApiError('conflict', 'This shop has its secret from us, and there is no need to copy it.');
    }
    const now = ctx.clock.now();
    await endSecret(tx, channelId, new Date(now.getTime() + OVERLAP_MS));
    await insertSecret(tx, { id: newId(now.getTime()), accountId, channelId, sealed: ctx.secrets.seal(secret) });
    await record(tx, caller, 'rotate_shop_secret', channelId, now);
  });
  return { channel: await readOwnChannel(ctx, caller, id), secret };
}

/**
 * Disconnects a shop.
 * Its secret is refused at once, and what it sent and is not placed is ignored. Placed orders go on as any other.
 * Idempotent. Throws 404 for any other shop.
 */
export async function disconnectOwnChannel(ctx: ChannelsContext, caller: SignedIn, id: string): Promise<Channel> {
  const { accountId } = caller;
  const { id: channelId } = await ownChannel(ctx, accountId, id);
  await ctx.database.transaction(async (tx) => {
    const now = ctx.clock.now();
    if (await disconnect(tx, accountId, channelId, now)) await record(tx, caller, 'disconnect_shop', channelId, now);
  });
  ctx.wake(INBOX_CHANGED);
  ctx.wake(SYNC_DUE);
  return readOwnChannel(ctx, caller, id);
}

/** Ends a shop, whose orders are then ignored; false if it was disconnected before. */
export async function disconnect(tx: Db, accountId: Uuid, channelId: Uuid, now: Date): Promise<boolean> {
  const row = await lockChannel(tx, accountId, channelId);
  if (row === undefined || row.state === 'disconnected') return false;
  await endChannel(tx, accountId, channelId, now);
  // Each look finds the shop disconnected, and ignores its order.
  await lookAtAll(tx, { accountId, channelId }, now);
  // A linked shop is left as it was found.
  await hastenSync(tx, accountId, channelId, now);
  return true;
}

/** Locks a shop of an account. Throws 404, and 409 for one that is disconnected. */
export async function lockConnected(tx: Db, accountId: Uuid, channelId: Uuid): Promise<ChannelRow> {
  const row = await lockChannel(tx, accountId, channelId);
  if (row === undefined) throw noSuch('shop');
  if (row.state !== 'disconnected') return row;
  throw new ApiError('conflict', 'This shop is disconnected. Connect it anew.');
}

async function record(tx: Db, caller: SignedIn, action: string, channelId: Uuid, now: Date): Promise<void> {
  const detail = { channel_id: publicId('chan', channelId) };
  await recordAct(tx, caller, { action, subjectId: channelId, detail }, now);
}

async function viewOf(ctx: Pick<Context, 'database' | 'config'>, row: ChannelRow): Promise<Channel> {
  const [view] = await channelViews(ctx, [row]);
  if (view === undefined) throw new Error('a channel has no view');
  return view;
}

/** How shops do, of one account or of several, in their order. */
export async function channelViews(
  ctx: Pick<Context, 'database' | 'config'>,
  rows: readonly ChannelRow[],
): Promise<Channel[]> {
  const connected = rows.filter(({ state }) => state !== 'disconnected');
  const waiting = await countWaiting(ctx.database, connected);
  const links = await listLinkHealth(ctx.database, rows);
  return rows.map((row) => ({
    id: publicId('chan', row.id),
    platform: row.platform,
    name: row.name,
    state: row.state,
    needs_approval: row.needs_approval,
    delay_minutes: row.delay_minutes,
    services: row.services,
    refunds_buyers: takesRefunds(row) ? row.refunds_buyers : null,
    makes_blanks: row.makes_blanks,
    unknown_is_others: row.unknown_is_others,
    orders_url: `${ctx.config.baseUrl}/channels/${publicId('chan', row.id)}/orders`,
    connected_at: isoTime(row.connected_at),
    ended_at: row.ended_at && isoTime(row.ended_at),
    last_order_at: row.last_order_at && isoTime(row.last_order_at),
    waiting: waiting
      .filter(({ channel_id: channelId }) => channelId === row.id)
      .map(({ reason, orders }) => ({ reason, orders })),
    link: linkView(
      row,
      links.find(({ channel_id: channelId }) => channelId === row.id),
    ),
    refused: row.refused,
    last_refused_at: row.last_refused_at && isoTime(row.last_refused_at),
  }));
}

function linkView({ platform }: ChannelRow, link: LinkHealth | undefined): Channel['link'] {
  if (link === undefined || platform === 'signed') return null;
  const { address, fault, unreported, unreadable } = link;
  return {
    address,
    synced_at: link.synced_at && isoTime(link.synced_at),
    fault: fault === null || link.fault_since === null ? null : { message: fault, since: isoTime(link.fault_since) },
    retry_at: link.retry_at && isoTime(link.retry_at),
    unreported,
    refused_reports: link.refused_reports,
    refused_products: link.refused_products,
    unreadable,
    last_unreadable: link.last_unreadable,
  };
}
