import { isoTime } from '../../lib/clock.ts';
import type { Context } from '../../lib/context.ts';
import { publicId, type Uuid } from '../../lib/ids.ts';
import { type Page, toPage } from '../../lib/paging.ts';
import { type ExportRow, LACKING, type Lacking, listExportRows } from './exports-sql.ts';
import type { ExportEvidence } from './ops-schema.ts';
import { territoryOfOrder } from './watch-exports.ts';

/** A page of exports that lack evidence, the first placed first. For operators only. */
export async function listExports(
  ctx: Pick<Context, 'database' | 'clock'>,
  query: { readonly lacking: Lacking | undefined; readonly limit: number; readonly after: Uuid | undefined },
): Promise<Page<ExportEvidence>> {
  const rows = await listExportRows(ctx.database, { ...query, limit: query.limit + 1 });
  const now = ctx.clock.now();
  return toPage(
    rows,
    query.limit,
    (row) => exportView(row, now),
    (view) => view.order_id,
  );
}

function exportView(row: ExportRow, now: Date): ExportEvidence {
  return {
    order_id: publicId('ord', row.order_id),
    reference: row.reference,
    account_id: publicId('acct', row.account_id),
    country_code: row.country_code,
    territory: territoryOfOrder(row),
    supplied_at: isoTime(row.paid_at),
    due_at: isoTime(row.due_at),
    is_overdue: row.due_at <= now,
    lacking: LACKING.filter((what) => row[`lacks_${what}`]),
  };
}
