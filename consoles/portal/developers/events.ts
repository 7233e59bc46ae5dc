import type { Input } from '../../shared/api/client.ts';

export type EventName = NonNullable<NonNullable<Input<'testWebhook'>['body']>['event']>;

/** What each event says. */
export const EVENT_WORDS: Readonly<Record<EventName, string>> = {
  'order.created': 'An order is placed and paid',
  'order.payment_failed': 'An order could not be paid',
  'order.on_hold': 'An order is on hold',
  'order.in_production': 'The first line of an order is started',
  'order.shipment_created': 'A parcel is on its way',
  'order.dispatched': 'The last parcel of an order is on its way',
  'order.cancelled': 'An order is cancelled',
};

export const EVENT_NAMES = Object.keys(EVENT_WORDS) as readonly EventName[];

/** The choices of a filter by event. */
export const EVENT_CHOICES = [
  { value: '', label: 'Every event' },
  ...EVENT_NAMES.map((name) => ({ value: name, label: name })),
];

/** The order that an event is about, as its data names it. */
export function orderOf(event: { readonly data: object }): string | undefined {
  const { reference } = event.data as { reference?: unknown };
  return typeof reference === 'string' ? reference : undefined;
}
