import type { Static } from '../lib/typebox.ts';
import type { EVENT_DATA } from './event-schema.ts';

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

/** The `data` of each event (spec 6.3), as its schema has it. */
export type EventData = { [Name in EventName]: Static<(typeof EVENT_DATA)[Name]> };

/** An event with the data that belongs to it. */
export type OrderEvent = { [Name in EventName]: { readonly event: Name; readonly data: EventData[Name] } }[EventName];

/** The names in a list that are not events, with their indexes. */
export function findUnknownEvents(names: readonly string[]): { name: string; index: number }[] {
  const known: ReadonlySet<string> = new Set(EVENT_NAMES);
  return names.flatMap((name, index) => (known.has(name) ? [] : [{ name, index }]));
}
