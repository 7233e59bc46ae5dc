import { signedUrlNamed } from '../artwork/signed-url.ts';
import type { Context } from '../lib/context.ts';
import { notFound } from '../lib/errors.ts';
import { publicId } from '../lib/ids.ts';
import { opsOrderIdOf } from '../orders/read-ops-order.ts';
import type { PrintFiles } from './schema.ts';
import { type PaperJobRow, type PaperLineRow, readPaperOrder } from './sql.ts';

type ReadContext = Pick<Context, 'database' | 'clock' | 'config' | 'secrets'>;

/**
 * Lists the print-ready files of an order of any account, one row for each line and print job.
 * Throws 404.
 */
export async function listPrintFiles(ctx: ReadContext, idOrReference: string): Promise<PrintFiles> {
  const order = await readPaperOrder(ctx.database, await opsOrderIdOf(ctx, idOrReference));
  if (order === undefined) throw notFound();
  return {
    data: order.lines.flatMap((line) => line.jobs.map((job) => printFileView(ctx, order.reference, line, job))),
  };
}

function printFileView(
  ctx: ReadContext,
  reference: string,
  line: PaperLineRow,
  job: PaperJobRow,
): PrintFiles['data'][number] {
  const { output_hash: hash, template } = job;
  const lineId = publicId('line', line.id);
  const fileName = `${reference}_${lineId}_${job.print_area}.png`;
  return {
    line_id: lineId,
    print_area: job.print_area,
    method: job.method,
    station: job.station,
    state: job.state,
    file_url:
      job.state === 'ready' && hash !== null
        ? signedUrlNamed(ctx.secrets, ctx.config.baseUrl, { hash, fileName }, ctx.clock.now())
        : null,
    width_px: template?.widthPx ?? null,
    height_px: template?.heightPx ?? null,
    dpi: template?.dpi ?? null,
    quantity: line.quantity - line.quantity_cancelled,
  };
}
