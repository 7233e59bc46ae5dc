import type { Context } from '../lib/context.ts';
import { type Route, route } from '../lib/route.ts';
import { EventPage, ListEventsQuery } from '../webhooks/event-schema.ts';
import { listEvents } from './list-events.ts';

/** The log of what subscriptions are told of. It stands with the orders because it can be read by an order's reference. */
export const eventRoutes: readonly Route<Pick<Context, 'database' | 'clock'>>[] = [
  route({
    method: 'GET',
    path: '/events',
    access: { scope: 'orders:read' },
    operationId: 'listEvents',
    summary: 'List events',
    description: [
      'Every event that a webhook would tell, subscribed or not, in the form in which it is delivered.',
      'To follow the log, read pages until `has_more` is false, keep the `id` of the last event, and ask again later with',
      'it as `cursor`. An event may show a moment after its delivery, and never before one that is shown already: nothing',
      'is skipped. Events of an order carry a `sequence`; between orders the order of the log is that of the recording,',
      'which may differ from `created_at` by seconds.',
    ].join(' '),
    query: ListEventsQuery,
    replies: { 200: EventPage },
    handle: async (ctx, caller, { query }) => ({ status: 200, body: await listEvents(ctx, caller, query) }),
  }),
];
