import { type Db, statement } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';

/** What became here of an order that a shop knows by an id. */
export type OrderOfBuyer = { id: Uuid; order_id: Uuid | null; reference: string | null };

const OF_BUYER = statement<OrderOfBuyer>(
  'privacy_orders_of_buyer',
  `select s.id, s.order_id,
     (select o.reference from orders o where o.account_id = s.account_id and o.id = s.order_id) as reference
   from channel_order s where s.account_id = $1 and s.channel_id = $2
     and (s.shop_order_id = any($3) or s.supplement_of = any($3))
   order by s.id`,
);

/** The orders of a shop's buyer that have come here. */
export async function listOrdersOfBuyer(
  db: Db,
  of: { accountId: Uuid; channelId: Uuid },
  shopOrderIds: readonly string[],
): Promise<OrderOfBuyer[]> {
  return db.all(OF_BUYER, [of.accountId, of.channelId, shopOrderIds]);
}
