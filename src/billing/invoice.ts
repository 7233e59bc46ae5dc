import type { Seller } from '../lib/config.ts';

/** A VAT invoice as it is kept: everything that it shows but its number and date. Amounts are pence. */
export type InvoiceDocument = {
  readonly order_reference: string;
  readonly external_reference: string;
  /** When the order was paid, ISO. */
  readonly tax_point: string;
  readonly seller: InvoiceParty;
  readonly customer: InvoiceParty;
  readonly lines: readonly {
    readonly description: string;
    /** `""` for what is no garment. */
    readonly variant_sku: string;
    readonly quantity: number;
    readonly unit_pence: number;
    readonly net_pence: number;
  }[];
  readonly vat: readonly { readonly rate_bp: number; readonly net_pence: number; readonly vat_pence: number }[];
  readonly net_pence: number;
  readonly vat_pence: number;
  readonly duty_pence: number;
  readonly total_pence: number;
};

export type InvoiceParty = {
  readonly name: string;
  readonly lines: readonly string[];
  readonly vat_number: string;
};

/** The seller of an invoice, as the operator's settings name it. */
export function sellerOf(seller: Seller): InvoiceParty {
  return { name: seller.name, lines: seller.addressLines, vat_number: seller.vatNumber };
}
