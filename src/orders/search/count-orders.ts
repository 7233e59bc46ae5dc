import type { Db } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';
import { type PublicStatus, statesOf } from '../status.ts';
import { countOrdersByState } from './count-sql.ts';

/** As far as orders of a status are counted. */
const COUNTED_MAX = 50;

/** A count that has an end: `is_more` where there are more than that. */
export type BoundedCount = { readonly count: number; readonly is_more: boolean };

/** How many orders of an account are under way, by status. */
export async function countUnderWay(
  db: Db,
  accountId: Uuid,
): Promise<Readonly<Record<'pending' | 'confirmed' | 'in_production', BoundedCount>>> {
  const rows = await countOrdersByState(db, accountId);
  const countOf = (status: PublicStatus): BoundedCount => {
    const states = statesOf(status);
    const count = rows.reduce((sum, row) => sum + (states.includes(row.state) ? row.count : 0), 0);
    return { count: Math.min(count, COUNTED_MAX), is_more: count > COUNTED_MAX };
  };
  return { pending: countOf('pending'), confirmed: countOf('confirmed'), in_production: countOf('in_production') };
}
