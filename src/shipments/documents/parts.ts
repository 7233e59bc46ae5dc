import type { SlipBrand } from '../../brands/slip-brand.ts';
import { countryName } from '../../lib/countries.ts';
import type { PdfBlock, PdfColumnBlock } from '../../lib/pdf/document.ts';
import type { SellerDays } from '../../lib/seller-day.ts';
import type { StoredAddress } from '../../orders/order-columns.ts';
import { cityLines } from '../../orders/postal-address.ts';
import type { PaperOrderRow } from '../sql.ts';

// What the documents of an order have in common.

/** The head of a document: what stands above, its title, its owner, and the order's reference to scan. */
export function documentHead(
  title: string,
  reference: string,
  from: readonly string[],
  above: readonly PdfColumnBlock[] = [],
): PdfBlock[] {
  return [
    {
      kind: 'columns',
      columns: [
        {
          widthMm: 125,
          blocks: [
            ...above,
            { kind: 'text', text: title, sizePt: 20, bold: true },
            { kind: 'text', text: from.filter((line) => line !== '').join('\n'), sizePt: 9 },
          ],
        },
        { widthMm: 55, blocks: [{ kind: 'barcode', text: reference }] },
      ],
    },
    { kind: 'gap', mm: 3 },
    { kind: 'rule' },
    { kind: 'gap', mm: 3 },
  ];
}

/** An address as on an envelope, the country in words and letters: a foreign post reads both. */
export function addressText(address: StoredAddress): string {
  const { contact_name, company_name, line1, line2, country_code: code } = address;
  const country = `${countryName(code)} (${code})`;
  const phone = address.phone === '' ? '' : `Phone ${address.phone}`;
  return [contact_name, company_name, line1, line2, ...cityLines(address), country, phone]
    .filter((line) => line !== '')
    .join('\n');
}

/** The name of a line with its colour and size. */
export function variantText(line: { readonly name: string; readonly colour: string; readonly size: string }): string {
  const variant = [line.colour, line.size].filter((label) => label !== '').join(', ');
  return variant === '' ? line.name : `${line.name}\n${variant}`;
}

/** An order on paper, with the days of the seller by which it is dated. */
export type PaperOrder = PaperOrderRow & { readonly days: SellerDays };

/** An order on its packing slip, with what is printed of its brand. */
export type SlipOrder = Omit<PaperOrder, 'brand'> & { readonly brand: SlipBrand | null };
