import type { ReportedParcel } from '../port.ts';
import { gidOf } from './ask.ts';

/** A line of a fulfilment order; `left` falls with what is taken of it. */
export type OpenLine = {
  readonly id: string;
  readonly lineId: string;
  readonly orderId: string;
  readonly locationId: string;
  left: number;
};

/** What one fulfilment sends of each fulfilment order, as Shopify takes it. */
export type OrderPart = readonly {
  readonly fulfillmentOrderId: string;
  readonly fulfillmentOrderLineItems: readonly { readonly id: string; readonly quantity: number }[];
}[];

/**
 * Splits a parcel into what is sent from each location: a fulfilment has one.
 * Takes from the lines what it sends, in their order; what the lines do not have is left out.
 */
export function orderPartsOf({ items }: Pick<ReportedParcel, 'items'>, lines: readonly OpenLine[]): OrderPart[] {
  const taken: { line: OpenLine; quantity: number }[] = [];
  for (const { shopItemId, quantity } of items) {
    let wanted = quantity;
    for (const line of lines.filter(({ lineId }) => lineId === gidOf('LineItem', shopItemId))) {
      const some = Math.min(wanted, line.left);
      if (some <= 0) continue;
      line.left -= some;
      wanted -= some;
      taken.push({ line, quantity: some });
    }
  }
  const locations = [...new Set(taken.map(({ line }) => line.locationId))];
  return locations.map((locationId) => {
    const here = taken.filter(({ line }) => line.locationId === locationId);
    const orders = [...new Set(here.map(({ line }) => line.orderId))];
    return orders.map((fulfillmentOrderId) => ({
      fulfillmentOrderId,
      fulfillmentOrderLineItems: here
        .filter(({ line }) => line.orderId === fulfillmentOrderId)
        .map(({ line, quantity }) => ({ id: line.id, quantity })),
    }));
  });
}
