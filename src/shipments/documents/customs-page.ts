import { countryName } from '../../lib/countries.ts';
import type { PdfBlock } from '../../lib/pdf/document.ts';
import { sellerDay } from '../../lib/seller-day.ts';
import { type Seller, sellerAddress, vatNumberAt } from '../../lib/settings/seller.ts';
import type { Customs } from '../../orders/customs.ts';
import type { PaperShipmentRow } from '../sql.ts';
import { inOneLine } from '../tracking.ts';
import { addressText, type PaperOrder } from './parts.ts';

const money = new Intl.NumberFormat('en-GB', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const weight = new Intl.NumberFormat('en-GB', { minimumFractionDigits: 3, maximumFractionDigits: 3 });
const GRAMS_PER_KG = 1_000;

/**
 * The customs form of a parcel, on a page of its own.
 * It has the fields of the Universal Postal Union's forms.
 */
export function customsPage(
  order: Pick<PaperOrder, 'reference' | 'type' | 'days'>,
  shipment: PaperShipmentRow,
  customs: Customs,
  seller: Seller,
): PdfBlock[] {
  const { lines, country } = sellerAddress(seller);
  // The shop is in the United Kingdom, also if its address does not say so.
  const from = [seller.name, ...lines, country ?? countryName('GB')];
  const vatNumber = vatNumberAt(seller, new Date(shipment.shipped_at));
  const vat = vatNumber === '' ? [] : [`VAT number ${vatNumber}`];
  return [
    { kind: 'page' },
    { kind: 'text', text: `Customs declaration ${customs.form}`, sizePt: 18, bold: true },
    { kind: 'text', text: 'May be opened officially', sizePt: 9 },
    { kind: 'gap', mm: 4 },
    {
      kind: 'columns',
      framed: true,
      columns: [
        { widthMm: 88, blocks: [{ kind: 'text', text: 'From', bold: true }, textOf([...from, ...vat])] },
        {
          widthMm: 90,
          blocks: [{ kind: 'text', text: 'To', bold: true }, textOf([addressText(shipment.shipping_address)])],
        },
      ],
    },
    { kind: 'gap', mm: 4 },
    textOf([
      ...sellerText(customs),
      `Order ${order.reference}, ${inOneLine(shipment)}`,
      `Date of issue: ${sellerDay(order.days, new Date(shipment.shipped_at))}`,
      `Category: ${order.type === 'sample' ? 'commercial sample' : 'sale of goods'}`,
      `Terms: ${customs.incoterm}, ${customs.incoterm === 'DDP' ? 'duty is paid by the sender' : 'duty is due on delivery'}`,
    ]),
    { kind: 'gap', mm: 4 },
    {
      kind: 'table',
      columns: [
        { title: 'Quantity', widthMm: 20, align: 'right' },
        { title: 'Description and material', widthMm: 58 },
        { title: 'HS code', widthMm: 24 },
        { title: 'Origin', widthMm: 26 },
        { title: 'Net kg', widthMm: 24, align: 'right' },
        { title: 'Value GBP', widthMm: 28, align: 'right' },
      ],
      rows: [
        ...customs.items.map((item) => [
          `${item.quantity}`,
          [item.description, item.material].filter((part) => part !== '').join('\n'),
          item.hs_code,
          countryName(item.origin_country),
          kilograms(item.weight_grams),
          money.format(item.value),
        ]),
        ['', 'Total', '', '', kilograms(customs.net_weight_grams), money.format(customs.declared_value)],
      ],
    },
    { kind: 'gap', mm: 4 },
    textOf([`Gross weight ${kilograms(customs.gross_weight_grams)} kg`]),
    { kind: 'gap', mm: 4 },
    textOf([
      'I certify that the particulars given in this declaration are correct and that this parcel contains no dangerous article, and none that the law or the rules of post or customs prohibit.',
    ]),
    { kind: 'gap', mm: 14 },
    textOf(['Date and signature']),
    { kind: 'rule' },
  ];
}

/** The seller of record with its numbers, which customs look for. */
function sellerText({ seller }: Customs): string[] {
  if (seller === null) return [];
  const numbers = [
    ...(seller.eori_number === '' ? [] : [`EORI ${seller.eori_number}`]),
    ...(seller.ioss_number === '' ? [] : [`IOSS ${seller.ioss_number}`]),
  ];
  return [[`Seller: ${seller.name}`, ...numbers].join(', ')];
}

function textOf(lines: readonly string[]): { kind: 'text'; text: string } {
  return { kind: 'text', text: lines.filter((line) => line !== '').join('\n') };
}

function kilograms(grams: number): string {
  return weight.format(grams / GRAMS_PER_KG);
}
