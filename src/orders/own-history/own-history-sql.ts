import { type Db, statement } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';
import type { OrderState } from '../status.ts';

export type OwnMoveRow = {
  action: string;
  from_state: OrderState | null;
  to_state: OrderState;
  actor: string;
  reason: string;
  created_at: Date;
};

const MOVES = statement<OwnMoveRow>(
  'orders_own_history',
  `select action, from_state, to_state, actor, reason, created_at from order_history
   where account_id = $1 and order_id = $2
     and (action = any($3) or (to_state in ('in_production', 'dispatched') and from_state is distinct from to_state))
   order by id desc limit $4`,
);

/** The latest moves of an account's order: by some actions, to production and to its dispatch. */
export async function listOwnMoves(
  db: Db,
  of: { readonly accountId: Uuid; readonly orderId: Uuid },
  { actions, limit }: { readonly actions: readonly string[]; readonly limit: number },
): Promise<OwnMoveRow[]> {
  return db.all(MOVES, [of.accountId, of.orderId, actions, limit]);
}
