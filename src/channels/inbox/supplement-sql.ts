import { type Db, statement } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';
import type { KeptItem } from '../shop-order.ts';
import { type InboxRow, SHOWN_ORDER } from './inbox-sql.ts';

// Orders of a shop that add pieces to a placed one.

/** A shop that adds to one order more often has it looked at by a person. */
export const SUPPLEMENTS_MAX = 20;

const LOCK = statement<InboxRow>(
  'channels_lock_supplements',
  `select ${SHOWN_ORDER} from channel_order s
   where s.account_id = $1 and s.channel_id = $2 and s.supplement_of = $3 order by s.id limit ${SUPPLEMENTS_MAX}
   for no key update of s`,
);

/** Locks what was added to an order of a shop, the oldest first. */
export async function lockSupplements(
  tx: Db,
  { account_id: accountId, channel_id: channelId, shop_order_id: shopOrderId }: InboxRow,
): Promise<InboxRow[]> {
  return tx.all(LOCK, [accountId, channelId, shopOrderId]);
}

const LIST = statement<InboxRow>(
  'channels_supplements',
  `select ${SHOWN_ORDER} from channel_order s
   where s.account_id = $1 and s.channel_id = $2 and s.supplement_of = $3 order by s.id limit ${SUPPLEMENTS_MAX}`,
);

/** As `lockSupplements`, without a lock. */
export async function listSupplements(
  db: Db,
  { account_id: accountId, channel_id: channelId, shop_order_id: shopOrderId }: InboxRow,
): Promise<InboxRow[]> {
  return db.all(LIST, [accountId, channelId, shopOrderId]);
}

const KEEP_ITEMS = statement<never>(
  'channels_keep_items',
  'update channel_order set items = $3 where account_id = $1 and id = $2',
);

/** Keeps how many pieces of its items an order has now. */
export async function keepItems(tx: Db, accountId: Uuid, id: Uuid, items: readonly KeptItem[]): Promise<void> {
  await tx.all(KEEP_ITEMS, [accountId, id, JSON.stringify(items)]);
}
