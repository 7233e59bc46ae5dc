import { notFound } from '../lib/errors.ts';
import { parseId } from '../lib/ids.ts';
import { createPaper } from '../lib/paper.ts';
import type { OrdersContext } from '../orders/context.ts';
import { opsOrderIdOf } from '../orders/read-ops-order.ts';
import { jobSheet } from './job-sheet.ts';
import { packingSlip } from './packing-slip.ts';
import { type PaperOrderRow, readPaperOrder } from './sql.ts';

/** The packing slip of an order or of one parcel of it, as PDF. Throws 404 for either, and 503 when too many papers wait. */
export async function drawPackingSlip(
  ctx: OrdersContext,
  idOrReference: string,
  shipment: string | undefined,
): Promise<Buffer> {
  const order = await readOrder(ctx, idOrReference);
  if (shipment === undefined) return createPaper(packingSlip(order, undefined, ctx.config.seller));
  const shipmentId = parseId('shp', shipment);
  const parcel = order.shipments.find(({ id }) => id === shipmentId);
  if (parcel === undefined) throw notFound();
  return createPaper(packingSlip(order, parcel, ctx.config.seller));
}

/** The job sheet of an order, as PDF. Throws 404, and 503 when too many papers wait. */
export async function drawJobSheet(ctx: OrdersContext, idOrReference: string): Promise<Buffer> {
  const order = await readOrder(ctx, idOrReference);
  const { catalogue } = await ctx.prices.latest();
  const methods = new Map(catalogue.methods.map(({ method, title }) => [method, title]));
  return createPaper(
    jobSheet(order, {
      area: (sku, printArea) => catalogue.bySku.get(sku)?.baseProduct.areas.get(printArea)?.title ?? printArea,
      method: (method) => methods.get(method) ?? method,
    }),
  );
}

async function readOrder(ctx: OrdersContext, idOrReference: string): Promise<PaperOrderRow> {
  const order = await readPaperOrder(ctx.database, await opsOrderIdOf(ctx, idOrReference));
  if (order === undefined) throw notFound();
  return order;
}
