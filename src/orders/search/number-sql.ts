import { type Db, statement } from '../../lib/db.ts';
import { LAST_ID, type Uuid } from '../../lib/ids.ts';
import { PAGE_ROWS_MAX } from '../../lib/paging.ts';
import { type ListedRow, type NarrowedFilter, narrowedParameters, PASSES, pageOf } from '../list-sql.ts';

// What a person types as the number of an order: the reference that the account gave it, or the number of a connected
// shop, which shops of one account may share. The index `orders_shop_number` has the orders of shops alone.

/**
 * SQL of the ids of an account's orders with the number $8, newest first, up to so many.
 * $7 are its forms in a shop.
 */
export function numberedIds(most: number): string {
  return `select numbered.id from (
      select found.id from unnest($7::text[]) as wanted(number) cross join lateral (
        select o.id from orders o
        where o.account_id = $1 and o.source = 'channel' and o.metadata ->> 'shop_number' = wanted.number
          and o.id < coalesce($2::uuid, '${LAST_ID}') and ${PASSES}
        order by o.id desc limit ${most}
      ) as found
      union
      select o.id from order_reference r join orders o on o.account_id = r.account_id and o.id = r.order_id
      where r.external_reference = $8 and r.account_id = $1 and o.id < coalesce($2::uuid, '${LAST_ID}') and ${PASSES}
    ) as numbered
    order by numbered.id desc limit ${most}`;
}

const LIST = statement<ListedRow>('orders_list_numbered', pageOf(numberedIds(PAGE_ROWS_MAX)));

/** The values of $7 and $8 of `numberedIds`: Shopify writes `#1001`, and people both. */
export function numberParameters(number: string): [shopNumbers: string[], number: string] {
  const text = number.trim();
  const bare = text.replace(/^#/, '');
  return [[...new Set([text, bare, `#${bare}`])], number];
}

/** As `listOrderRows`, of the orders with a number. */
export async function listNumberedRows(
  db: Db,
  accountId: Uuid,
  page: {
    readonly before: Uuid | null;
    readonly limit: number;
    readonly filter: NarrowedFilter;
    readonly number: string;
  },
): Promise<ListedRow[]> {
  const { before, limit, filter, number } = page;
  return db.all(LIST, [accountId, before, limit, ...narrowedParameters(filter), ...numberParameters(number)]);
}
