import { type Db, statement } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';
import { SHOWN_COLUMNS, type ShownOrderParts } from '../read-sql.ts';

/** An order that an account asks for, by its id or by its reference in canonical form. */
export type AskedOrder = { readonly accountId: Uuid } & (
  | { readonly id: Uuid; readonly reference?: undefined }
  | { readonly id?: undefined; readonly reference: string }
);

/** An order with more lines than this is found, but not read: it would hold up the others. */
export const SMALL_LINES_MAX = 20;

/** An order that was found; `parts` is undefined where it has many lines. */
export type FoundOrder = { readonly id: Uuid; readonly parts: ShownOrderParts | undefined };

/**
 * `place` is that of the order among those that were asked for, from 1.
 * Of a large order the columns of its parts are null.
 */
type FoundRow = ShownOrderParts & {
  readonly place: number;
  readonly found_id: Uuid;
  readonly found_account: Uuid;
  readonly is_small: boolean;
};

// An order is found for a place only if both its account and its id are those of that place.
const TOGETHER = statement<FoundRow>(
  'orders_shown_together',
  `select found.place, found.id as found_id, found.account_id as found_account, found.is_small, ${SHOWN_COLUMNS}
   from (
     select a.place::integer as place, f.account_id, f.id, f.line_count <= ${SMALL_LINES_MAX} as is_small
     from unnest($1::uuid[], $2::uuid[], $3::text[]) with ordinality as a(account_id, id, reference, place)
     join orders f on f.account_id = a.account_id and f.id = coalesce(a.id, (
       select r.id from orders r where r.reference = a.reference and r.account_id = a.account_id
     ))
   ) as found
   left join orders o on found.is_small and o.id = found.id and o.account_id = found.account_id`,
);

/**
 * Finds the orders that several accounts ask for, each with the artwork of its lines.
 * The result has a place for each of them: undefined if the order is unknown or another account's.
 */
export async function findShownOrders(db: Db, asked: readonly AskedOrder[]): Promise<(FoundOrder | undefined)[]> {
  const rows = await db.all(TOGETHER, [
    asked.map(({ accountId }) => accountId),
    asked.map(({ id }) => id ?? null),
    asked.map(({ reference }) => reference ?? null),
  ]);
  const orders: (FoundOrder | undefined)[] = asked.map(() => undefined);
  for (const { place, found_id: id, found_account: accountId, is_small: isSmall, ...parts } of rows) {
    if (asked[place - 1]?.accountId !== accountId) throw new Error('an order was found for another account');
    orders[place - 1] = { id, parts: isSmall ? parts : undefined };
  }
  return orders;
}
