import { publicId, type Uuid } from '../../lib/ids.ts';
import type { PdfBlock, PdfCell, PdfDocument } from '../../lib/pdf/document.ts';
import { sellerDay } from '../../lib/seller-day.ts';
import { type Seller, sellerAddress } from '../../lib/settings/seller.ts';
import { customsView } from '../../orders/customs.ts';
import type { PaperLineRow, PaperShipmentRow } from '../sql.ts';
import { inOneLine } from '../tracking.ts';
import { closingBlocks, helpLines, nameBlocks } from './brand-parts.ts';
import { customsPage } from './customs-page.ts';
import { addressText, documentHead, type SlipOrder, variantText } from './parts.ts';

/**
 * The slip of one parcel, or of a whole order when no parcel is named: who gets what.
 * The recipient reads it, so it has no price and no notes for the shop, and carries the brand of the order in place of
 * the print shop. The customs form of each
 * parcel shown that leaves the customs territory follows on a page of its own, which goes outside. The
 * documents of a parcel that has left show the address that it was sent to.
 */
export function packingSlip(order: SlipOrder, parcel: PaperShipmentRow | undefined, seller: Seller): PdfDocument {
  const shown = parcel === undefined ? order.shipments : [parcel];
  const { brand } = order;
  return {
    title: `Packing slip ${order.reference}`,
    issuedAt: parcel === undefined ? order.updated_at : new Date(parcel.shipped_at),
    footer: order.reference,
    blocks: [
      ...(brand === null
        ? documentHead('Packing slip', order.reference, shopLines(seller))
        : documentHead('Packing slip', order.reference, helpLines(brand), nameBlocks(brand))),
      ...deliveryBlocks(order, parcel),
      parcel === undefined ? orderTable(order.lines) : parcelTable(order.lines, parcel),
      ...(brand === null ? [] : closingBlocks(brand)),
      ...shown.flatMap((shipment) =>
        shipment.customs === null ? [] : customsPage(order, shipment, customsView(shipment.customs), seller),
      ),
    ],
  };
}

function shopLines(seller: Seller): string[] {
  const { lines, country = '' } = sellerAddress(seller);
  return [seller.name, ...lines, country];
}

function deliveryBlocks(order: SlipOrder, parcel: PaperShipmentRow | undefined): PdfBlock[] {
  const place = order.shipments.findIndex(({ id }) => id === parcel?.id) + 1;
  // The recipient knows the number that the seller gave to the order which is replaced.
  const known = order.external_reference ?? order.replaces?.external_reference ?? null;
  const facts = [
    `Order ${order.reference}`,
    ...(order.replaces === null ? [] : [`Replacement for ${order.replaces.reference}`]),
    ...(known === null ? [] : [`Reference ${known}`]),
    `Placed ${sellerDay(order.days, order.placed_at)}`,
    ...(parcel === undefined
      ? [`As of ${sellerDay(order.days, order.updated_at)}`, `Service ${order.shipping.service}`]
      : [`Sent ${sellerDay(order.days, new Date(parcel.shipped_at))}`, `Parcel ${place}`, inOneLine(parcel)]),
  ];
  return [
    {
      kind: 'columns',
      columns: [
        {
          widthMm: 100,
          blocks: [
            { kind: 'text', text: 'Deliver to', bold: true },
            { kind: 'text', text: addressText(parcel?.shipping_address ?? order.shipping_address), sizePt: 12 },
          ],
        },
        { widthMm: 80, blocks: [{ kind: 'text', text: facts.join('\n') }] },
      ],
    },
    { kind: 'gap', mm: 6 },
  ];
}

function orderTable(lines: readonly PaperLineRow[]): PdfBlock {
  return linesTable(
    'Pieces',
    lines.map((line) => {
      const { quantity, quantity_cancelled: cancelled, quantity_shipped: shipped } = line;
      const counts = [
        `${quantity} ordered`,
        ...(cancelled > 0 ? [`${cancelled} cancelled`] : []),
        ...(shipped > 0 ? [`${shipped} shipped`] : []),
      ];
      return { line, pieces: counts.join('\n') };
    }),
  );
}

function parcelTable(lines: readonly PaperLineRow[], parcel: PaperShipmentRow): PdfBlock {
  const inParcel = new Map<Uuid, number>(parcel.items.map((item) => [item.line_id, item.quantity]));
  return linesTable(
    'In this parcel',
    lines.flatMap((line) => {
      const quantity = inParcel.get(line.id);
      if (quantity === undefined) return [];
      return [{ line, pieces: [{ kind: 'text', text: `${quantity}`, sizePt: 14, bold: true, align: 'right' }] }];
    }),
  );
}

/** A row for each line: what its owner calls it, the barcode of its id for packing, and the pieces. */
function linesTable(
  pieces: string,
  rows: readonly { readonly line: PaperLineRow; readonly pieces: PdfCell }[],
): PdfBlock {
  return {
    kind: 'table',
    columns: [
      { title: 'Item', widthMm: 49 },
      { title: '', widthMm: 104 },
      { title: pieces, widthMm: 27, align: 'right' },
    ],
    rows: rows.map(({ line, pieces: counts }) => [
      `${variantText(line)}\n${line.sku}`,
      [{ kind: 'barcode', text: publicId('line', line.id) }],
      counts,
    ]),
  };
}
