import { type Db, statement } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';

type OfOrder = { readonly accountId: Uuid; readonly orderId: Uuid };

const KEEP = statement<never>(
  'artwork_keep_files',
  `select f.key from print_file f
   where f.account_id = $2 and f.key = any(
     select distinct j.print_file_key from print_job j
     where j.order_id = $1 and j.account_id = $2 and ($3::uuid[] is null or j.line_id = any($3)))
   order by f.key for key share`,
);

/**
 * Locks the print files of an order, or of some of its lines.
 * None of them is deleted until the transaction ends.
 */
export async function keepFiles(tx: Db, of: OfOrder, lineIds: readonly Uuid[] | undefined): Promise<void> {
  await tx.all(KEEP, [of.orderId, of.accountId, lineIds ?? null]);
}

export type ExpiredAreaRow = { line_id: Uuid; print_area: string; method: string };

// A statement of its own, after the lock: its snapshot is younger than a deletion that the lock waited for.
const EXPIRED = statement<ExpiredAreaRow>(
  'artwork_expired_areas',
  `select j.line_id, j.print_area, j.method from print_job j
   join order_line l on l.account_id = j.account_id and l.order_id = j.order_id and l.id = j.line_id
   where j.order_id = $1 and j.account_id = $2 and ($3::uuid[] is null or j.line_id = any($3))
     and not exists (select from print_file f where f.key = j.print_file_key and f.account_id = j.account_id)
   order by l.ordinal, j.ordinal`,
);

/** Lists the print areas of an order, or of some of its lines, whose artwork has ended. */
export async function listExpiredAreas(
  tx: Db,
  of: OfOrder,
  lineIds: readonly Uuid[] | undefined,
): Promise<ExpiredAreaRow[]> {
  return tx.all(EXPIRED, [of.orderId, of.accountId, lineIds ?? null]);
}
