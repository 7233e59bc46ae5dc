import type { CatalogueReference } from '../../catalogue/reference.ts';
import { isoTime } from '../../lib/clock.ts';
import { FIRST_ID, parseId, publicId, type Uuid } from '../../lib/ids.ts';
import { type Page, readPage } from '../../lib/paging.ts';
import type { OrdersContext } from '../../orders/context.ts';
import { garmentOf } from '../garment.ts';
import type { ListShortLinesQuery, ShortLine } from './schema.ts';
import { listShortLineRows, type ShortLineRow, type ShortPosition } from './sql.ts';

/**
 * Lists the lines of all accounts that are short of blanks, or whose new blanks wait to be started.
 * The oldest come first. An `account` that is no account's id has no lines.
 */
export async function listShortLines(
  ctx: Pick<OrdersContext, 'database' | 'prices'>,
  query: ListShortLinesQuery,
): Promise<Page<ShortLine>> {
  const { limit } = readPage('line', { limit: query.limit });
  const accountId = query.account === undefined ? undefined : parseId('acct', query.account);
  if (query.account !== undefined && accountId === undefined) return { data: [], has_more: false, next_cursor: null };
  const rows = await listShortLineRows(ctx.database, {
    after: positionOf(query.cursor),
    limit: limit + 1,
    waitsFor: query.waits_for,
    sku: query.sku,
    accountId,
  });
  const { catalogue } = await ctx.prices.latest();
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return {
    data: rows.slice(0, limit).map((row) => shortLineView(catalogue, row)),
    has_more: last !== undefined,
    next_cursor: last === undefined ? null : `${last.short_since.getTime()}.${publicId('line', last.line_id)}`,
  };
}

/** A cursor is a position, not a record: the line that it names may have its blanks by now. */
function positionOf(cursor: string | undefined): ShortPosition {
  const [time = '0', line = ''] = cursor?.split('.') ?? [];
  return { since: new Date(Number(time)), lineId: parseId('line', line) ?? (FIRST_ID as Uuid) };
}

function shortLineView(catalogue: CatalogueReference, row: ShortLineRow): ShortLine {
  return {
    account_id: publicId('acct', row.account_id),
    account_name: row.account_name,
    order_id: publicId('ord', row.order_id),
    reference: row.reference,
    state: row.state,
    line_id: publicId('line', row.line_id),
    line_name: row.name,
    ...garmentOf(catalogue, row.sku),
    quantity_short: row.short,
    quantity_to_start: row.to_start,
    short_since: isoTime(row.short_since),
    paused: row.is_paused,
    placed_at: isoTime(row.placed_at),
  };
}
