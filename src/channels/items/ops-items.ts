import { actOnce } from '../../accounts/act-once.ts';
import type { Db } from '../../lib/db.ts';
import { publicId } from '../../lib/ids.ts';
import type { Once, Operator } from '../../lib/operator.ts';
import { saidVariant } from '../../products/said-variant.ts';
import type { OpsChannel } from '../channel-ops-schema.ts';
import type { ChannelRow } from '../connected/channel-sql.ts';
import { anyChannel, getOpsChannel } from '../connected/ops-channels.ts';
import type { ChannelsContext } from '../context.ts';
import { INBOX_CHANGED } from '../inbox/run-inbox.ts';
import type { ChannelItems, SetItemBody } from '../inbox-schema.ts';
import { deleteItem } from './item-sql.ts';
import { type ItemsContext, itemsOf, mapItem } from './own-items.ts';

/** The items of a shop of any account, as its people see them. Throws 404. */
export async function listOpsItems(
  ctx: ItemsContext,
  id: string,
  { after = '' }: { readonly after?: string | undefined },
): Promise<ChannelItems> {
  const { account_id: accountId, id: channelId } = await anyChannel(ctx, id);
  return itemsOf(ctx, { accountId, channelId }, after);
}

/**
 * Says what an item of a shop is, for its people.
 * Throws 404, 422 for a product or a variant that the account does not have, 409 when too many items are known.
 */
export async function setItemByOps(
  ctx: ChannelsContext,
  operator: Operator,
  { id, body, once }: { readonly id: string; readonly body: SetItemBody; readonly once: Once },
): Promise<OpsChannel> {
  const { key, title } = body;
  const row = await anyChannel(ctx, id);
  const { account_id: accountId, id: channelId } = row;
  // Judged once: a repeat is answered as before, whatever has become of the product.
  await act(ctx, operator, { row, key, once, action: 'map_shop_item' }, async (tx, now) => {
    const target = await saidVariant(tx, accountId, body);
    await mapItem(tx, {
      accountId,
      channelId,
      key,
      title,
      ...target,
      ignores_entries: body.ignores_entries === true,
      now,
    });
  });
  ctx.wake(INBOX_CHANGED);
  return getOpsChannel(ctx, id);
}

/** Forgets what an item of a shop is: the next order with it waits. Idempotent. Throws 404. */
export async function forgetItemByOps(
  ctx: ChannelsContext,
  operator: Operator,
  { id, key, once }: { readonly id: string; readonly key: string; readonly once: Once },
): Promise<OpsChannel> {
  const row = await anyChannel(ctx, id);
  await act(ctx, operator, { row, key, once, action: 'forget_shop_item' }, async (tx) => {
    await deleteItem(tx, row.account_id, row.id, key);
  });
  return getOpsChannel(ctx, id);
}

async function act(
  ctx: ChannelsContext,
  operator: Operator,
  asked: { readonly row: ChannelRow; readonly key: string; readonly once: Once; readonly action: string },
  work: (tx: Db, now: Date) => Promise<void>,
): Promise<void> {
  const { row, key, once, action } = asked;
  const detail = { channel_id: publicId('chan', row.id), key };
  await actOnce(ctx, operator, { action, orderId: null, subjectId: row.id, detail, once }, work);
}
