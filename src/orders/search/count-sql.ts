import { type Db, statement } from '../../lib/db.ts';
import { FIRST_ID, LAST_ID, type Uuid } from '../../lib/ids.ts';
import { PAGE_ROWS_MAX } from '../../lib/paging.ts';
import type { OrderState } from '../status.ts';

// A range of the index for each state and type, and no more of it than a page.
const BY_STATE = statement<{ state: OrderState; count: number }>(
  'orders_count_by_state',
  `select wanted.state, count(*)::integer as count
   from unnest('{awaiting_payment,placed,on_hold,released,in_production}'::text[]) as wanted(state),
     unnest('{bulk,sample}'::text[]) as any_type(type)
   cross join lateral (
     select id from orders
     where account_id = $1
       and (state, type, id) >= (wanted.state, any_type.type, '${FIRST_ID}'::uuid)
       and (state, type, id) < (wanted.state, any_type.type, '${LAST_ID}'::uuid)
     order by state desc, type desc, id desc limit ${PAGE_ROWS_MAX}
   ) as found
   group by wanted.state`,
);

/** How many orders of an account are in each state that is not over; up to a page of each type. */
export async function countOrdersByState(db: Db, accountId: Uuid): Promise<{ state: OrderState; count: number }[]> {
  return db.all(BY_STATE, [accountId]);
}
