import type { Context } from '../lib/context.ts';
import { type Route, route } from '../lib/route.ts';
import { EventPage, ListEventsQuery } from '../webhooks/event-schema.ts';
import { listEvents } from './list-events.ts';

/** The event log. It is in this slice because an order's reference can select from it. */
export const eventRoutes: readonly Route<Pick<Context, 'config' | 'database' | 'clock'>>[] = [
  route({
    method: 'GET',
    path: '/events',
    access: { scope: 'orders:read' },
    operationId: 'listEvents',
    summary: 'List events',
    description: [
      'Every event that webhooks can deliver, in the same form, whether or not you subscribe to it. To follow',
      'the log, read pages until `has_more` is false, keep the `id` of the last event, and send it later as',
      '`cursor`. Events are only ever added at the end, so none is skipped; an event may appear here shortly',
      'after its webhook delivery. The events of one order carry a `sequence`. Across orders, events are listed',
      'as they were recorded, which may differ from `created_at` by seconds. As `text/csv` it is a file for a',
      'spreadsheet, without `limit` the whole list.',
    ].join(' '),
    query: ListEventsQuery,
    replies: { 200: EventPage },
    csv: 'data',
    handle: async (ctx, caller, { query }) => ({ status: 200, body: await listEvents(ctx, caller, query) }),
  }),
];
