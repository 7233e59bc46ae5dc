import { readSellerDays } from '../../billing/seller-days.ts';
import { readSlipBrand } from '../../brands/slip-brand.ts';
import { notFound } from '../../lib/errors.ts';
import { parseId } from '../../lib/ids.ts';
import { type RenderedPdf, renderPdf } from '../../lib/pdf/document.ts';
import type { OrdersContext } from '../../orders/context.ts';
import { opsOrderIdOf } from '../../orders/read-ops-order.ts';
import { readPaperOrder } from '../sql.ts';
import { jobSheet, linesToMake } from './job-sheet.ts';
import { packingSlip } from './packing-slip.ts';
import type { PaperOrder, SlipOrder } from './parts.ts';
import { readJobPictures } from './pictures.ts';

/**
 * The packing slip of an order or of one parcel of it, as PDF.
 * Its name has the order's reference and the parcel's number. Throws 404 for an unknown order or
 * parcel, and 503 when too many documents wait.
 */
export async function drawPackingSlip(
  ctx: OrdersContext,
  idOrReference: string,
  shipment: string | undefined,
): Promise<RenderedPdf> {
  const order = await readSlipOrder(ctx, idOrReference);
  const { seller } = ctx.config;
  const name = `${order.reference}-packing-slip`;
  if (shipment === undefined) {
    return { fileName: `${name}.pdf`, pdf: await renderPdf(packingSlip(order, undefined, seller), ctx.asker) };
  }
  const shipmentId = parseId('shp', shipment);
  const index = order.shipments.findIndex(({ id }) => id === shipmentId);
  const parcel = order.shipments[index];
  if (parcel === undefined) throw notFound();
  return { fileName: `${name}-${index + 1}.pdf`, pdf: await renderPdf(packingSlip(order, parcel, seller), ctx.asker) };
}

/**
 * The job sheet of an order, as PDF, with previews of the print files that are ready.
 *
 * Throws 404, and 503 when too many documents wait.
 */
export async function drawJobSheet(ctx: OrdersContext, idOrReference: string): Promise<RenderedPdf> {
  const order = await readOrder(ctx, idOrReference);
  const { catalogue } = await ctx.prices.latest();
  const methods = new Map(catalogue.methods.map(({ method, title }) => [method, title]));
  const pictures = await readJobPictures(
    ctx,
    linesToMake(order).flatMap(({ jobs }) => jobs),
  );
  const titles = {
    blank: (sku: string) => {
      const blank = catalogue.bySku.get(sku);
      const words = [blank?.baseProduct.entry.title, blank?.variant.entry.colour, blank?.variant.entry.size];
      return words.filter((word) => word !== undefined && word !== '').join(', ');
    },
    area: (sku: string, printArea: string) =>
      catalogue.bySku.get(sku)?.baseProduct.areas.get(printArea)?.title ?? printArea,
    method: (method: string) => methods.get(method) ?? method,
  };
  const pdf = await renderPdf(jobSheet(order, titles, pictures), ctx.asker);
  return { fileName: `${order.reference}-job-sheet.pdf`, pdf };
}

async function readSlipOrder(ctx: OrdersContext, idOrReference: string): Promise<SlipOrder> {
  const order = await readOrder(ctx, idOrReference);
  if (order.brand === null) return { ...order, brand: null };
  const brand = await readSlipBrand(ctx, order.account_id, order.brand.revision_id);
  return { ...order, brand: brand ?? null };
}

async function readOrder(ctx: OrdersContext, idOrReference: string): Promise<PaperOrder> {
  const order = await readPaperOrder(ctx.database, await opsOrderIdOf(ctx, idOrReference));
  if (order === undefined) throw notFound();
  return { ...order, days: await readSellerDays(ctx) };
}
