import type { Context } from '../lib/context.ts';
import { type Page, readPage, toPage } from '../lib/paging.ts';
import type { MovementsQuery, StockMovement } from './ops-schema.ts';
import { listMovementRows } from './stock-sql.ts';
import { movementView } from './view.ts';

/** A page of the stock movements of one variant or of all, newest first. */
export async function listMovements(
  ctx: Pick<Context, 'database'>,
  query: MovementsQuery,
): Promise<Page<StockMovement>> {
  const { limit } = readPage('var', { limit: query.limit });
  const before = query.cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(query.cursor);
  const rows = await listMovementRows(ctx.database, { sku: query.sku, before, limit: limit + 1 });
  return toPage(rows, limit, movementView, (movement) => movement.id);
}
