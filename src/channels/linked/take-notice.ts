import { noteRefused } from '../connected/channel-sql.ts';
import type { ChannelsContext } from '../context.ts';
import { notSigned, type OpenedChannel } from '../inbox/take-request.ts';
import { appOf, platformOf } from '../platforms/platforms.ts';
import type { NoticeRequest } from '../platforms/port.ts';
import { HINTS_MAX, noteHint } from './hint-sql.ts';
import { findLink } from './link-sql.ts';
import { SYNC_DUE } from './run-syncs.ts';
import { hastenNoticed } from './sync-sql.ts';

/**
 * Takes what a shop says unasked: that one of its orders has changed.
 * It is only a reason to read that order, so that neither its order, nor its repeat, nor its loss matters. Throws 401
 * for a wrong signature, which is counted.
 */
export async function takeNotice(
  ctx: Pick<ChannelsContext, 'database' | 'clock' | 'config' | 'wake'>,
  { accountId, channelId, secrets }: OpenedChannel,
  request: Pick<NoticeRequest, 'header' | 'body'>,
): Promise<void> {
  const now = ctx.clock.now();
  const link = await findLink(ctx.database, accountId, channelId);
  const notice =
    link &&
    platformOf(link.platform).readNotice({
      ...request,
      secrets,
      address: link.address,
      app: appOf(ctx.config, link.platform),
      now,
    });
  if (notice === undefined) {
    await noteRefused(ctx.database, channelId, now);
    throw notSigned();
  }
  const { orderId: shopOrderId, isReasonToSync } = notice;
  if (shopOrderId === undefined && isReasonToSync !== true) return;
  await ctx.database.transaction(async (tx) => {
    if (shopOrderId !== undefined) await noteHint(tx, { accountId, channelId, shopOrderId, now }, HINTS_MAX);
    await hastenNoticed(tx, accountId, channelId, now);
  });
  ctx.wake(SYNC_DUE);
}
