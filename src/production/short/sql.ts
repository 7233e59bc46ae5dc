import { PROMISED, SHORT } from '../../catalogue/short/columns.ts';
import { type Db, statement } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';
import { PAGE_ROWS_MAX } from '../../lib/paging.ts';
import { COUNTED_MAX } from '../../lib/queue.ts';
import type { OrderState } from '../../orders/status.ts';

// Lines of all accounts that are short of blanks. Nothing here serves a customer.

/** What a line with spoiled pieces waits for: blanks that come in, or its start once they have. */
export const WAITS_FOR = ['blanks', 'start'] as const;
export type WaitsFor = (typeof WAITS_FOR)[number];

/** A position in the list: after the line that has been short since then. */
export type ShortPosition = { readonly since: Date; readonly lineId: Uuid };

export type ShortLineRow = {
  account_id: Uuid;
  account_name: string;
  order_id: Uuid;
  reference: string;
  state: OrderState;
  line_id: Uuid;
  name: string;
  sku: string;
  short: number;
  to_start: number;
  short_since: Date;
  is_paused: boolean;
  placed_at: Date;
};

// Each in the order of an index of the lines that wait, which are few beside all. The inner limit is a constant for the
// planner, which takes an unknown one for a tenth of the table.
const shortLinesSql = (which: string): string => `
  select page.*, o.reference, o.state, o.placed_at, l.name, c.name as account_name, p.line_id is not null as is_paused
  from (
    select account_id, order_id, line_id, sku, short_since, ${SHORT} as short, ${PROMISED} - ${SHORT} as to_start
    from allocation
    where short_since is not null and ${PROMISED} > 0 ${which} and (short_since, line_id) > ($1::timestamptz, $2::uuid)
      and ($4::text is null or ($4 = 'blanks' and ${SHORT} > 0) or ($4 = 'start' and ${PROMISED} > ${SHORT}))
    order by short_since, line_id limit ${PAGE_ROWS_MAX}
  ) as page
  join orders o on o.account_id = page.account_id and o.id = page.order_id
  join order_line l on l.account_id = page.account_id and l.order_id = page.order_id and l.id = page.line_id
  join account c on c.id = page.account_id
  left join line_pause p on p.account_id = page.account_id and p.order_id = page.order_id and p.line_id = page.line_id
  order by page.short_since, page.line_id limit $3`;

const SHORT_LINES = statement<ShortLineRow>('production_short_lines', shortLinesSql(''));
const SHORT_LINES_OF_SKU = statement<ShortLineRow>('production_short_lines_of_sku', shortLinesSql('and sku = $5'));
const SHORT_LINES_OF_ACCOUNT = statement<ShortLineRow>(
  'production_short_lines_of_account',
  shortLinesSql('and account_id = $5 and ($6::text is null or sku = $6)'),
);

/** Lists the lines that wait for blanks, or to be started with them, the oldest first. */
export async function listShortLineRows(
  db: Db,
  page: {
    readonly after: ShortPosition;
    readonly limit: number;
    readonly waitsFor: WaitsFor | undefined;
    readonly sku: string | undefined;
    readonly accountId: Uuid | undefined;
  },
): Promise<ShortLineRow[]> {
  const { after, limit, waitsFor, sku, accountId } = page;
  const values = [after.since, after.lineId, limit, waitsFor ?? null];
  if (accountId !== undefined) return db.all(SHORT_LINES_OF_ACCOUNT, [...values, accountId, sku ?? null]);
  return sku === undefined ? db.all(SHORT_LINES, values) : db.all(SHORT_LINES_OF_SKU, [...values, sku]);
}

// The rows are in the order of an index, so that the limit ends the reading.
const SHORT_PIECES = statement<{ pieces: number }>(
  'production_short_pieces',
  `select coalesce(sum(short), 0)::integer as pieces from (
     select ${SHORT} as short from allocation where short_since is not null
     order by short_since, line_id limit ${COUNTED_MAX}
   ) as waiting`,
);

/** Counts the pieces that lines are short of, among the first `COUNTED_MAX` lines that wait. */
export async function countShortPieces(db: Db): Promise<number> {
  return (await db.one(SHORT_PIECES, []))?.pieces ?? 0;
}
