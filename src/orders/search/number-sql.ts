import type { Db } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';
import { PAGE_ROWS_MAX } from '../../lib/paging.ts';
import { type ListedRow, listedBoth, listNarrowedRows, type NarrowedPage, PASSES } from '../list-sql.ts';

// What a person types as the number of an order: the reference that the account gave it, or the number of a connected
// shop, which shops of one account may share. The index `orders_shop_number` has the orders of shops alone.

// The number is $8, and $7 are its forms in a shop.
const LIST = listedBoth(
  'orders_list_numbered',
  ({ order, beyond, place }) => `select numbered.id from (
      select found.id from unnest($7::text[]) as wanted(number) cross join lateral (
        select o.id from orders o
        where o.account_id = $1 and o.source = 'channel' and o.metadata ->> 'shop_number' = wanted.number
          and o.id ${beyond} ${place} and ${PASSES}
        order by o.id ${order} limit ${PAGE_ROWS_MAX}
      ) as found
      union
      select o.id from order_reference r join orders o on o.account_id = r.account_id and o.id = r.order_id
      where r.external_reference = $8 and r.account_id = $1 and o.id ${beyond} ${place} and ${PASSES}
    ) as numbered
    order by numbered.id ${order} limit ${PAGE_ROWS_MAX}`,
);

/** The values of $7 and $8: Shopify writes `#1001`, and people both. */
function numberParameters(number: string): [shopNumbers: string[], number: string] {
  const text = number.trim();
  const bare = text.replace(/^#/, '');
  return [[...new Set([text, bare, `#${bare}`])], number];
}

/** As `listOrderRows`, of the orders with a number. */
export async function listNumberedRows(
  db: Db,
  accountId: Uuid,
  page: NarrowedPage & { readonly number: string },
): Promise<ListedRow[]> {
  return listNarrowedRows(db, accountId, LIST, page, numberParameters(page.number));
}
