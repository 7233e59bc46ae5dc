import { stockLevelView } from '../../catalogue/view.ts';
import type { Context } from '../../lib/context.ts';
import { type Page, readPage, toPage } from '../../lib/paging.ts';
import type { StockOverview, StockOverviewQuery } from '../schema.ts';
import { listStockRows } from './sql.ts';

/**
 * Lists stock as operators see it, in the order of SKUs.
 * Each row has what is on hand, allocated and available, and the demand that waits for it.
 */
export async function listStockOverview(
  ctx: Pick<Context, 'database'>,
  query: StockOverviewQuery,
): Promise<Page<StockOverview>> {
  const { limit } = readPage('var', { limit: query.limit });
  const rows = await listStockRows(ctx.database, {
    skus: query.sku?.split(','),
    after: query.cursor ?? null,
    limit: limit + 1,
  });
  return toPage(
    rows,
    limit,
    (row) => ({ ...stockLevelView(row), awaiting: row.awaiting }),
    (view) => view.sku,
  );
}
