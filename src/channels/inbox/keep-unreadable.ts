import { isoTime } from '../../lib/clock.ts';
import { newId, type Uuid } from '../../lib/ids.ts';
import { lockChannel } from '../connected/channel-sql.ts';
import type { ChannelsContext } from '../context.ts';
import { askPeople } from '../mails/ask-people.ts';
import { lockOrderOfShop } from './inbox-sql.ts';
import { receivedOf } from './receive-order.ts';
import { countUnreadable, insertUnreadable, renewUnreadable } from './unreadable-sql.ts';

/** Of a channel. A shop that breaks all of its orders has said so with these. */
const UNREADABLE_MAX = 100;
/** Before any time of a shop: whatever it gives out of the order later takes the place of this. */
const BEFORE_ALL = new Date(0);

/**
 * Has an order that cannot be read stand in the inbox until it is.
 * Its shop does not give it out, or not as its platform does.
 * One that is there as it was read before stays as it is. Locks the channel, then the order.
 */
export async function keepUnreadable(
  ctx: Pick<ChannelsContext, 'database' | 'clock' | 'secrets'>,
  { accountId, channelId }: { readonly accountId: Uuid; readonly channelId: Uuid },
  { id, message }: { readonly id: string; readonly message: string },
): Promise<void> {
  await ctx.database.transaction(async (tx) => {
    const channel = await lockChannel(tx, accountId, channelId);
    if (channel === undefined || channel.state === 'disconnected') return;
    const problems = [{ path: '', message }];
    const row = await lockOrderOfShop(tx, accountId, channelId, id);
    if (row !== undefined) {
      if (row.reason === 'unreadable') await renewUnreadable(tx, row, problems);
      return;
    }
    if ((await countUnreadable(tx, accountId, channelId, UNREADABLE_MAX)) >= UNREADABLE_MAX) return;
    const now = ctx.clock.now();
    await askPeople(ctx, tx, { accountId, channelId });
    const order = { id, updated_at: isoTime(BEFORE_ALL), ordered_at: isoTime(now), items: [], shipping_address: {} };
    const received = receivedOf(ctx, order, now);
    await insertUnreadable(tx, { ...received, accountId, id: newId(now.getTime()), channelId }, problems);
  });
}
