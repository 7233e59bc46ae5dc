import type { Seller } from '../lib/config.ts';
import type { Uuid } from '../lib/ids.ts';
import type { Paper, PaperBlock } from '../lib/paper.ts';
import { customsView } from '../orders/customs.ts';
import { customsPage } from './customs-page.ts';
import { addressText, dayOf, paperHead, variantText } from './paper-parts.ts';
import type { PaperLineRow, PaperOrderRow, PaperShipmentRow } from './sql.ts';

/**
 * The slip that lies in a parcel, or of a whole order when no parcel is named: who gets what. It goes to the recipient, so it has no
 * price and not the notes that are for the shop. The customs form of each parcel shown that leaves the customs territory follows on a
 * page of its own, which goes outside.
 */
export function packingSlip(order: PaperOrderRow, parcel: PaperShipmentRow | undefined, seller: Seller): Paper {
  const shown = parcel === undefined ? order.shipments : [parcel];
  return {
    title: `Packing slip ${order.reference}`,
    footer: order.reference,
    blocks: [
      ...paperHead('Packing slip', order.reference, [seller.name, ...seller.addressLines]),
      ...deliveryBlocks(order, parcel),
      parcel === undefined ? orderTable(order.lines) : parcelTable(order.lines, parcel),
      ...shown.flatMap((shipment) =>
        shipment.customs === null ? [] : customsPage(order, shipment, customsView(shipment.customs), seller),
      ),
    ],
  };
}

function deliveryBlocks(order: PaperOrderRow, parcel: PaperShipmentRow | undefined): PaperBlock[] {
  const place = order.shipments.findIndex(({ id }) => id === parcel?.id) + 1;
  const facts = [
    `Order ${order.reference}`,
    ...(order.external_reference === null ? [] : [`Reference ${order.external_reference}`]),
    `Placed ${dayOf(order.placed_at)}`,
    ...(parcel === undefined
      ? [`Service ${order.shipping.service}`]
      : [`Parcel ${place}`, `${parcel.carrier} ${parcel.tracking_number}`]),
  ];
  return [
    {
      kind: 'columns',
      columns: [
        {
          widthMm: 100,
          blocks: [
            { kind: 'text', text: 'Deliver to', bold: true },
            { kind: 'text', text: addressText(order.shipping_address), sizePt: 12 },
          ],
        },
        { widthMm: 80, blocks: [{ kind: 'text', text: facts.join('\n') }] },
      ],
    },
    { kind: 'gap', mm: 6 },
  ];
}

function orderTable(lines: readonly PaperLineRow[]): PaperBlock {
  return {
    kind: 'table',
    columns: [
      { title: 'SKU', widthMm: 45 },
      { title: 'Item', widthMm: 72 },
      { title: 'Ordered', widthMm: 21, align: 'right' },
      { title: 'Cancelled', widthMm: 21, align: 'right' },
      { title: 'Shipped', widthMm: 21, align: 'right' },
    ],
    rows: lines.map((line) => [
      line.sku,
      variantText(line),
      `${line.quantity}`,
      `${line.quantity_cancelled}`,
      `${line.quantity_shipped}`,
    ]),
  };
}

function parcelTable(lines: readonly PaperLineRow[], parcel: PaperShipmentRow): PaperBlock {
  const inParcel = new Map<Uuid, number>(parcel.items.map((item) => [item.line_id, item.quantity]));
  return {
    kind: 'table',
    columns: [
      { title: 'SKU', widthMm: 45 },
      { title: 'Item', widthMm: 105 },
      { title: 'In this parcel', widthMm: 30, align: 'right' },
    ],
    rows: lines.flatMap((line) => {
      const quantity = inParcel.get(line.id);
      return quantity === undefined ? [] : [[line.sku, variantText(line), `${quantity}`]];
    }),
  };
}
