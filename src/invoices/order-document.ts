import type { VatClass } from '../catalogue/document.ts';
import { sellerDay } from '../lib/seller-day.ts';
import type { Seller } from '../lib/settings/seller.ts';
import { territoryOf } from '../pricing/territory.ts';
import { rateIndexOf, setupVatClass } from '../pricing/vat.ts';
import { customerOf } from './customer.ts';
import type { InvoiceSourceRow } from './due-sql.ts';
import { type DocumentLine, type InvoiceDocument, type Issue, sellerOf } from './invoice.ts';

/**
 * Makes the invoice of an order.
 * Shows garments with their prints, setups and shipping, each with its rate of VAT; VAT by rate, with the price book's
 * note on a rate; duty apart; and both parties as they are at the time of issue. Of the recipient it has the country
 * alone, which VAT needs.
 */
export function invoiceOf(order: InvoiceSourceRow, seller: Seller, issue: Issue): InvoiceDocument {
  const { country_code: countryCode, postcode } = order.shipping_address;
  const charged = [...garmentsOf(order), ...setupsOf(order)];
  return {
    order_reference: order.reference,
    external_reference: order.external_reference ?? '',
    tax_point: sellerDay(issue.days, order.paid_at),
    issued_on: sellerDay(issue.days, issue.at),
    paid_with: [...(order.balance_paid_pence > 0 ? (['balance'] as const) : []), ...order.methods],
    seller: sellerOf(seller, order.vat_breakdown),
    customer: customerOf(order.buyer),
    delivery: { country_code: countryCode, territory: territoryOf({ countryCode, postcode }) },
    lines: [...charged, ...shippingOf(order, charged)],
    vat: order.vat_breakdown,
    net_pence: order.subtotal_pence + order.setup_pence + order.shipping_pence,
    vat_pence: order.vat_pence,
    duty_pence: order.duty_pence,
    total_pence: order.total_pence,
  };
}

function garmentsOf(order: InvoiceSourceRow): DocumentLine[] {
  return order.lines.map((line) => ({
    description: line.name,
    variant_sku: line.sku,
    quantity: line.quantity,
    unit_pence: line.unit_price_pence,
    net_pence: line.line_price_pence,
    ...rateOf(order, line.vat_class),
  }));
}

/** Taxes a setup as the goods that it is for. */
function setupsOf(order: InvoiceSourceRow): DocumentLine[] {
  return order.setups.map((setup) => {
    const users = order.lines.filter(({ designs }) =>
      designs.some(({ design_hash: hash, method }) => hash === setup.design_hash && method === setup.method),
    );
    // Written by the placing function from its checked catalogue.
    const classes = new Set(users.map((line) => line.vat_class as VatClass));
    return oneOff(`Setup, ${setup.method}`, setup.amount_pence, rateOf(order, setupVatClass(classes)));
  });
}

/** Shares shipping over the rates as the goods are: one line for each rate, with what remains at it. */
function shippingOf(order: InvoiceSourceRow, charged: readonly DocumentLine[]): DocumentLine[] {
  return order.vat_breakdown.flatMap((rate) => {
    const atRate = charged.filter(({ rate_bp: own }) => own === rate.rate_bp);
    const sharePence = rate.net_pence - atRate.reduce((sum, line) => sum + line.net_pence, 0);
    if (sharePence === 0) return [];
    return [oneOff(`Shipping, ${order.shipping.service}`, sharePence, { rate_bp: rate.rate_bp })];
  });
}

function rateOf(order: InvoiceSourceRow, vatClass: string): { rate_bp: number } {
  const rate = order.vat_breakdown[rateIndexOf(order.vat_breakdown, vatClass)];
  if (rate === undefined) throw new Error('a paid order has no rate of VAT');
  return { rate_bp: rate.rate_bp };
}

function oneOff(description: string, amountPence: number, rate: { rate_bp: number }): DocumentLine {
  return { description, variant_sku: '', quantity: 1, unit_pence: amountPence, net_pence: amountPence, ...rate };
}
