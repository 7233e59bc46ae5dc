import { type InvoiceDocument, sellerOf } from '../billing/invoice.ts';
import type { Seller } from '../lib/config.ts';
import type { InvoiceSourceRow } from './invoice-sql.ts';

/** What an order's invoice shows: garments with their prints, setups, shipping; VAT by rate; duty apart. */
export function invoiceOf(order: InvoiceSourceRow, seller: Seller): InvoiceDocument {
  const { billing_address: address } = order;
  const garments = order.lines.map((line) => ({
    description: line.name,
    variant_sku: line.sku,
    quantity: line.quantity,
    unit_pence: line.unit_price_pence,
    net_pence: line.line_price_pence,
  }));
  const setups = order.setups.map((setup) => oneOff(`Setup, ${setup.method}`, setup.amount_pence));
  const shipping =
    order.shipping_pence === 0 ? [] : [oneOff(`Shipping, ${order.shipping.service}`, order.shipping_pence)];
  return {
    order_reference: order.reference,
    external_reference: order.external_reference ?? '',
    tax_point: order.paid_at.toISOString(),
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
    vat: order.vat_breakdown,
    net_pence: order.subtotal_pence + order.setup_pence + order.shipping_pence,
    vat_pence: order.vat_pence,
    duty_pence: order.duty_pence,
    total_pence: order.total_pence,
  };
}

function oneOff(description: string, amountPence: number) {
  return { description, variant_sku: '', quantity: 1, unit_pence: amountPence, net_pence: amountPence };
}
