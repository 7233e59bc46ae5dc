import { actOnce } from '../../accounts/act-once.ts';
import { noSuch } from '../../lib/errors.ts';
import { parseId, publicId } from '../../lib/ids.ts';
import type { Once, Operator } from '../../lib/operator.ts';
import type { Page } from '../../lib/paging.ts';
import { lockConnected } from '../connected/channels.ts';
import { anyChannel } from '../connected/ops-channels.ts';
import type { ChannelsContext } from '../context.ts';
import { SYNC_DUE } from '../linked/run-syncs.ts';
import { hastenSync } from '../linked/sync-sql.ts';
import type { ChannelProduct, ListChannelProductsQuery } from '../product-schema.ts';
import { findChannelProduct, requestProduct } from './channel-product-sql.ts';
import { channelProductView, pageOfProducts } from './own-channel-products.ts';

/** The products in a shop of any account, the newest first. Throws 404. */
export async function listOpsChannelProducts(
  ctx: ChannelsContext,
  id: string,
  query: ListChannelProductsQuery,
): Promise<Page<ChannelProduct>> {
  const { account_id: accountId, id: channelId } = await anyChannel(ctx, id);
  return pageOfProducts(ctx, { accountId, channelId }, query);
}

/**
 * Writes a product to its shop again.
 * Throws 404 for one that was not published there, 409 where the shop is disconnected.
 */
export async function retryByOps(
  ctx: ChannelsContext,
  operator: Operator,
  { id, productId: publicProductId, once }: { readonly id: string; readonly productId: string; readonly once: Once },
): Promise<ChannelProduct> {
  const { account_id: accountId, id: channelId } = await anyChannel(ctx, id);
  const of = { accountId, channelId };
  const productId = parseId('prod', publicProductId);
  if (productId === undefined) throw noSuch('product');
  const detail = { channel_id: publicId('chan', channelId), product_id: publicId('prod', productId) };
  const what = { action: 'publish_product', orderId: null, subjectId: channelId, detail, once };
  await actOnce(ctx, operator, what, async (tx, now) => {
    await lockConnected(tx, accountId, channelId);
    if ((await findChannelProduct(tx, of, productId)) === undefined) throw noSuch('product');
    await requestProduct(tx, of, productId, now);
    await hastenSync(tx, accountId, channelId, now);
  });
  ctx.wake(SYNC_DUE);
  const row = await findChannelProduct(ctx.database, of, productId);
  if (row === undefined) throw noSuch('product');
  return channelProductView(row);
}
