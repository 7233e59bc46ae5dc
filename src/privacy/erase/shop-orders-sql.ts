import { type Db, statement } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';

// What connected shops have sent and is not placed, or changes what is: its recipient stands there, and in no order.

/** An order of a shop with the address that it would go to. */
export type UnplacedOrder = {
  id: Uuid;
  address: { contact_name?: string; postcode?: string; phone?: string; email?: string };
};

/** The most that a page has, as a constant for the planner. */
const PAGE_MAX = 500;

const PAGE = statement<UnplacedOrder>(
  'privacy_unplaced_of_shops',
  `(select id, content -> 'shipping_address' as address from channel_order
    where account_id = $1 and id > $2 and content is not null order by id limit ${PAGE_MAX})
   union all
   (select id, later -> 'shipping_address' from channel_order
    where account_id = $1 and id > $2 and later is not null order by id limit ${PAGE_MAX})
   order by id limit ${PAGE_MAX}`,
);

/** A page of what an account's shops have sent and is not done here yet, the oldest order first. */
export async function listUnplaced(db: Db, accountId: Uuid, after: Uuid): Promise<UnplacedOrder[]> {
  return db.all(PAGE, [accountId, after]);
}

const FORGET = statement<never>(
  'privacy_forget_unplaced',
  `update channel_order set state = 'ignored', reason = 'erased', content = null, problems = '[]', missing = '{}',
     look_at = null, ended_at = $3, revision = revision + 1
   where account_id = $1 and id = any($2::uuid[]) and content is not null`,
);

const FORGET_LATER = statement<never>(
  'privacy_forget_changes',
  `update channel_order set later = null, reason = 'changed_in_shop', problems = '[]', revision = revision + 1
   where account_id = $1 and id = any($2::uuid[]) and later is not null`,
);

/**
 * Empties orders of shops that are not placed, and ignores them for good.
 * What shops have changed in placed ones is not done.
 */
export async function forgetUnplaced(db: Db, accountId: Uuid, ids: readonly Uuid[], now: Date): Promise<void> {
  await db.all(FORGET, [accountId, ids, now]);
  await db.all(FORGET_LATER, [accountId, ids]);
}
