import { type Db, statement } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';
import type { OrderFate, OrderHere } from '../platforms/port.ts';
import type { KeptItem } from '../shop-order.ts';
import type { InboxRow } from './inbox-sql.ts';

type FateRow = Pick<InboxRow, 'shop_order_id' | 'state' | 'reason' | 'order_state' | 'items'> & {
  /** A person has not said yet whether what it adds is made. */
  is_added_to: boolean;
  /** The items of what was added to it and placed. */
  added: KeptItem[][];
};

const FATES = statement<FateRow>(
  'channels_fates',
  `select s.shop_order_id, s.state, s.reason, s.items,
     exists (select from channel_order a where a.account_id = s.account_id and a.channel_id = s.channel_id
       and a.supplement_of = s.shop_order_id and a.ended_at is null) as is_added_to,
     coalesce((select json_agg(a.items) from channel_order a where a.account_id = s.account_id and a.channel_id = s.channel_id
       and a.supplement_of = s.shop_order_id and a.state = 'placed'), '[]') as added,
     (select o.state from orders o where o.account_id = s.account_id and o.id = s.order_id) as order_state
   from channel_order s where s.account_id = $1 and s.channel_id = $2 and s.shop_order_id = any($3)`,
);

/** What has become of orders of a shop here; of those that never came nothing is said. */
export async function readFates(
  db: Db,
  { accountId, channelId }: { readonly accountId: Uuid; readonly channelId: Uuid },
  shopOrderIds: readonly string[],
): Promise<Map<string, OrderHere>> {
  const rows = await db.all(FATES, [accountId, channelId, shopOrderIds]);
  return new Map(rows.map((row) => [row.shop_order_id, { fate: fateOf(row), pieces: piecesOf(row) }]));
}

/** What others make has no line in a placed order. */
function piecesOf({ state, items, added }: FateRow): Map<string, number> {
  const pieces = new Map<string, number>();
  for (const { id, quantity, line } of [items, ...added].flat()) {
    const isMade = state !== 'placed' || line !== undefined;
    if (isMade) pieces.set(id, (pieces.get(id) ?? 0) + quantity);
  }
  return pieces;
}

function fateOf({ state, reason, order_state: orderState, is_added_to: isAddedTo }: FateRow): OrderFate {
  // It is made under the connection of before.
  if (reason === 'placed_before') return 'kept';
  if (state === 'ignored') return 'declined';
  if (state === 'new') return 'open';
  if (state !== 'placed') return 'waiting';
  if (orderState === 'cancelled') return 'declined';
  if (reason === 'cancel_refused' || orderState === 'dispatched' || orderState === 'delivered') return 'kept';
  if (isAddedTo || reason === 'change_asked') return 'open';
  return reason === 'cancel_asked' || reason === 'asked_to_cancel' ? 'open' : 'taken';
}
