/** The events of an order (spec 6.1). There is no `order.delivered` and no `order.returned`. */
export const EVENT_NAMES = [
  'order.created',
  'order.payment_failed',
  'order.in_production',
  'order.shipment_created',
  'order.dispatched',
  'order.cancelled',
  'order.on_hold',
] as const;

type EventName = (typeof EVENT_NAMES)[number];

/** The `data` of each event: the fields of spec 6.3 and no others. Amounts are GBP in major units, as on the wire. */
export type EventData = {
  'order.created': {
    readonly order_id: string;
    readonly reference: string;
    /** `""` when the order has none. */
    readonly external_reference: string;
    readonly status: string;
    readonly total: number;
    readonly currency: 'GBP';
    /** The number of lines. */
    readonly item_count: number;
  };
  'order.payment_failed': {
    readonly order_id: string;
    readonly reference: string;
    readonly amount_gbp: number;
    readonly paid_gbp: number;
    readonly remaining_gbp: number;
    readonly failed_method: string;
    readonly reason: string;
  };
  'order.in_production': { readonly order_id: string; readonly reference: string; readonly status: string };
  'order.shipment_created': {
    readonly reference: string;
    readonly status: string;
    readonly shipment: {
      readonly tracking_number: string;
      readonly carrier: string;
      readonly tracking_url: string | null;
      readonly items: readonly { readonly variant_sku: string; readonly name: string; readonly quantity: number }[];
    };
  };
  'order.dispatched': {
    readonly reference: string;
    readonly status: string;
    readonly carrier: string;
    readonly tracking_numbers: readonly string[];
  };
  'order.cancelled': {
    readonly order_id: string;
    readonly reference: string;
    readonly status: string;
    readonly refunded_gbp: number;
    readonly cancelled_by: string;
  };
  'order.on_hold': { readonly reference: string; readonly status: string; readonly reason: string };
};

/** An event with the data that belongs to it. */
export type OrderEvent = { [Name in EventName]: { readonly event: Name; readonly data: EventData[Name] } }[EventName];

/** The names in a list that are no events, with the places they stand at. */
export function findUnknownEvents(names: readonly string[]): { name: string; index: number }[] {
  const known: ReadonlySet<string> = new Set(EVENT_NAMES);
  return names.flatMap((name, index) => (known.has(name) ? [] : [{ name, index }]));
}
