import { createHash } from 'node:crypto';
import type { Db } from '../../lib/db.ts';
import { ApiError } from '../../lib/errors.ts';
import { publicId } from '../../lib/ids.ts';
import { enqueue } from '../../lib/queue.ts';
import { endChannel, lockChannel } from '../connected/channel-sql.ts';
import type { ChannelsContext } from '../context.ts';
import { lookAtAll } from '../inbox/inbox-sql.ts';
import { INBOX_CHANGED } from '../inbox/run-inbox.ts';
import { readPrivacyRequest } from '../platforms/shopify/privacy-request.ts';
import { type ChannelAt, deleteLink, findLink, forgetAddress, listChannelsAt } from './link-sql.ts';
import { marksOf } from './shop-mark.ts';

/** The kind of job that does what a platform asks on behalf of a buyer of a shop. */
export const BUYER_REQUEST_JOB = 'shop_buyer_request';

/** A shop that was read within this time lets us in. */
const LET_IN_MS = 900_000;

/** What such a job has. It names orders alone. */
export type BuyerRequest = {
  readonly channelId: ChannelAt['channel_id'];
  readonly topic: 'disclose' | 'erase';
  readonly shopOrderIds: readonly string[];
};

/**
 * Takes what Shopify asks of every app.
 * That what is held of a buyer be disclosed or erased, or that a shop which has taken the app away be forgotten. It is
 * about every channel that is or was linked with the shop. What is acknowledged is done: each has a job in the same
 * transaction, and a shop is forgotten in it. Throws 401 for a wrong signature.
 */
export async function takePrivacyRequest(
  ctx: Pick<ChannelsContext, 'database' | 'clock' | 'config' | 'wake' | 'secrets'>,
  request: Parameters<typeof readPrivacyRequest>[1],
): Promise<void> {
  const asked = readPrivacyRequest(ctx.config.shopify, request);
  if (asked === undefined) {
    const detail = 'The request is not signed with the secret of the app at Shopify.';
    throw new ApiError('unauthorized', detail, { headers: { 'www-authenticate': 'Signature' } });
  }
  if (asked === 'nothing') return;
  const { topic, address, orderIds } = asked;
  const [mark = '', ...former] = marksOf(ctx.secrets, address);
  const digest = createHash('sha256').update(request.body).digest('hex').slice(0, 32);
  await ctx.database.transaction(async (tx) => {
    const now = ctx.clock.now();
    for (const channel of await listChannelsAt(tx, [address, mark, ...former], 'shopify')) {
      const { account_id: accountId, channel_id: channelId } = channel;
      if (topic === 'forget_shop') {
        await forgetShop(tx, channel, mark, now);
      } else if (orderIds.length > 0) {
        const payload: BuyerRequest = { channelId, topic, shopOrderIds: orderIds };
        const key = `${publicId('chan', channelId)} ${digest}`;
        await enqueue(tx, { kind: BUYER_REQUEST_JOB, key, payload, runAt: now, accountId });
      }
    }
  });
  ctx.wake(topic === 'forget_shop' ? INBOX_CHANGED : BUYER_REQUEST_JOB);
}

/**
 * Disconnects a shop that is gone, and forgets how it was reached. Its placed orders go on.
 * The request comes days after the shop took our app away. One that has let us in just now has it again. Its buyers may
 * ask later yet, of orders that were placed: a keyed digest of its address stays, by which their shop is known.
 */
async function forgetShop(
  tx: Db,
  { account_id: accountId, channel_id: channelId }: ChannelAt,
  mark: string,
  now: Date,
): Promise<void> {
  const row = await lockChannel(tx, accountId, channelId);
  if (row === undefined) return;
  if (row.state !== 'disconnected') {
    const link = await findLink(tx, accountId, channelId);
    if (link?.fault === null && link.synced_at !== null && now.getTime() - link.synced_at.getTime() < LET_IN_MS) return;
    await endChannel(tx, accountId, channelId, now);
    await lookAtAll(tx, { accountId, channelId }, now);
  }
  await deleteLink(tx, accountId, channelId);
  await forgetAddress(tx, accountId, channelId, mark);
}
