import { recordAct } from '../../accounts/access/record-act.ts';
import type { SignedIn } from '../../lib/caller.ts';
import { ApiError, noSuch } from '../../lib/errors.ts';
import { parseId } from '../../lib/ids.ts';
import type { ChannelsContext } from '../context.ts';
import { findInboxRow } from '../inbox/inbox-sql.ts';
import { readShopOrder } from '../inbox/own-inbox.ts';
import { INBOX_CHANGED } from '../inbox/run-inbox.ts';
import type { ShopOrderWithAddress } from '../inbox-schema.ts';
import { itemKey, itemTitle } from '../shop-order.ts';
import { ignoreEntriesOf } from './own-items.ts';
import { resolveItems } from './resolve-items.ts';

/**
 * Says that what buyers enter for the items of an order does not matter, from now on.
 * For an order that waits for it, and those of its items that are not personalised. All orders that wait for these
 * items are looked at. Throws 404 for any other order, 409 for one that does not wait for that, and when too many
 * items are known.
 */
export async function ignoreShopOrderEntries(
  ctx: Pick<ChannelsContext, 'database' | 'clock' | 'wake' | 'secrets'>,
  caller: SignedIn,
  id: string,
): Promise<ShopOrderWithAddress> {
  const { accountId } = caller;
  const rowId = parseId('sho', id);
  const row = rowId === undefined ? undefined : await findInboxRow(ctx.database, accountId, rowId);
  if (rowId === undefined || row === undefined) throw noSuch('shop order');
  const { content, channel_id: channelId, state } = row;
  const items = state === 'waiting' && content !== null ? content.items : [];
  const resolved = await resolveItems(ctx, { accountId, limitedAs: '', scopes: new Set() }, channelId, items);
  const ours = items.flatMap((item, index) => {
    const one = resolved[index];
    if (one?.kind !== 'ours' || one.entries.length === 0) return [];
    return [{ key: itemKey(item), title: itemTitle(item), product_id: one.productId, variant_sku: one.variantSku }];
  });
  if (ours.length === 0) throw new ApiError('conflict', NOT_WAITING);
  await ctx.database.transaction(async (tx) => {
    const now = ctx.clock.now();
    await ignoreEntriesOf(tx, { accountId, channelId, items: ours, now });
    const detail = { shop_order_id: id };
    await recordAct(tx, caller, { action: 'ignore_entries', subjectId: rowId, detail }, now);
  });
  ctx.wake(INBOX_CHANGED);
  return readShopOrder(ctx, caller, id);
}

const NOT_WAITING = 'This order has no item for which a buyer entered what nothing is made of, or does not wait.';
