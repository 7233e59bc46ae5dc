import { type InvoiceDocument, sellerOf } from '../billing/invoice.ts';
import { issueInvoice } from '../billing/issue-invoice.ts';
import type { Invoice } from '../billing/schema.ts';
import { invoiceView } from '../billing/view.ts';
import type { Caller } from '../lib/caller.ts';
import type { Seller } from '../lib/config.ts';
import { ApiError, notFound } from '../lib/errors.ts';
import type { OrdersContext } from './context.ts';
import { findOrder } from './read-orders.ts';
import { type InvoiceSourceRow, type OrderRow, readInvoiceSource } from './sql.ts';

/**
 * The VAT invoice of an order, issued when it is first asked for and the same ever after. 404 for an unknown order and another
 * account's, 409 while the order is not paid, and once all of it was refunded without an invoice: there is nothing to invoice.
 */
export async function getInvoice(ctx: OrdersContext, caller: Caller, idOrReference: string): Promise<Invoice> {
  const { accountId } = caller;
  const order = await findOrder(ctx, caller, idOrReference);
  if (order === undefined) throw notFound();
  const { paid_at: paidAt } = order;
  if (paidAt === null) {
    throw new ApiError('conflict', 'This order has not been paid, so there is no invoice for it yet.');
  }
  const invoice = await issueInvoice(ctx, { accountId, orderId: order.id }, async () => {
    if (order.refunded_pence + order.refund_owed_pence >= order.total_pence) {
      throw new ApiError(
        'conflict',
        'All of this order was refunded before it was invoiced, so there is nothing to invoice.',
      );
    }
    const source = await readInvoiceSource(ctx.database, accountId, order.id);
    if (source === undefined) throw new Error('an order that was just read is gone');
    return invoiceOf(order, paidAt, source, ctx.config.seller);
  });
  return invoiceView(invoice);
}

/** What an order's invoice shows: garments with their prints, setups, shipping; VAT by rate; duty apart. */
function invoiceOf(order: OrderRow, paidAt: Date, source: InvoiceSourceRow, seller: Seller): InvoiceDocument {
  const { billing_address: address } = source;
  const garments = order.lines.map((line) => ({
    description: line.name,
    variant_sku: line.sku,
    quantity: line.quantity,
    unit_pence: line.unit_price_pence,
    net_pence: line.line_price_pence,
  }));
  const setups = source.setups.map((setup) => oneOff(`Setup, ${setup.method}`, setup.amount_pence));
  const shipping =
    order.shipping_pence === 0 ? [] : [oneOff(`Shipping, ${order.shipping.service}`, order.shipping_pence)];
  return {
    order_reference: order.reference,
    external_reference: order.external_reference ?? '',
    tax_point: paidAt.toISOString(),
    seller: sellerOf(seller),
    customer: {
      name: address.company_name === '' ? address.contact_name : address.company_name,
      lines: [
        address.line1,
        address.line2,
        address.city,
        address.county,
        address.postcode,
        address.country_code,
      ].filter((line) => line !== ''),
      vat_number: '',
    },
    lines: [...garments, ...setups, ...shipping],
    vat: source.vat_breakdown,
    net_pence: order.subtotal_pence + order.setup_pence + order.shipping_pence,
    vat_pence: order.vat_pence,
    duty_pence: order.duty_pence,
    total_pence: order.total_pence,
  };
}

function oneOff(description: string, amountPence: number) {
  return { description, variant_sku: '', quantity: 1, unit_pence: amountPence, net_pence: amountPence };
}
