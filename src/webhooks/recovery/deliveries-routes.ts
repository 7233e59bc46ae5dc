import type { Context } from '../../lib/context.ts';
import { type Route, route } from '../../lib/route.ts';
import { Type } from '../../lib/typebox.ts';
import { CHANGING_WEBHOOKS, SEEING_WEBHOOKS } from '../schema.ts';
import { Delivery, DeliveryDetail, DeliveryPage, ListDeliveriesQuery } from './deliveries-schema.ts';
import { OPEN_REDELIVERIES_MAX } from './deliveries-sql.ts';
import { getDelivery } from './get-delivery.ts';
import { listDeliveries } from './list-deliveries.ts';
import { redeliver } from './redeliver.ts';

/** The parameter that names a subscription. */
export const subscriptionParam = { id: Type.String({ description: 'The id of a subscription, whk_….' }) };

const deliveryParams = Type.Object({
  ...subscriptionParam,
  delivery: Type.String({ description: 'The id of a delivery, dlv_….' }),
});

/** The deliveries of a subscription (decisions, "Event log and recovery"). */
export const deliveryRoutes: readonly Route<Pick<Context, 'config' | 'database' | 'clock' | 'wake'>>[] = [
  route({
    method: 'GET',
    path: '/webhooks/:id/deliveries',
    access: SEEING_WEBHOOKS,
    operationId: 'listWebhookDeliveries',
    summary: 'List the deliveries of a subscription',
    description:
      'Newest first, as far back as the event log reaches (30 days, or longer as the print shop sets it), those that wait for their first attempt included. As `text/csv` it is a file for a spreadsheet, without `limit` the whole list.',
    params: Type.Object(subscriptionParam),
    query: ListDeliveriesQuery,
    replies: { 200: DeliveryPage },
    csv: 'data',
    handle: async (ctx: Pick<Context, 'database'>, caller, { params, query }) => ({
      status: 200,
      body: await listDeliveries(ctx, caller, params.id, query),
    }),
  }),
  route({
    method: 'GET',
    path: '/webhooks/:id/deliveries/:delivery',
    access: SEEING_WEBHOOKS,
    operationId: 'getWebhookDelivery',
    summary: 'Fetch a delivery with its request',
    description:
      'The body that was sent and the headers that all attempts had alike. Of an answer the status is kept, not the text.',
    params: deliveryParams,
    replies: { 200: DeliveryDetail },
    handle: async (ctx: Pick<Context, 'database'>, caller, { params }) => ({
      status: 200,
      body: await getDelivery(ctx, caller, params),
    }),
  }),
  route({
    method: 'POST',
    path: '/webhooks/:id/deliveries/:delivery/redeliver',
    access: CHANGING_WEBHOOKS,
    operationId: 'redeliverWebhook',
    summary: 'Send a delivery again',
    description: [
      'Makes a new delivery of the same event, with the same event id, and sends it at once: 201. A delivery that still',
      'waits for an attempt is brought forward instead: 200, and its next attempt starts now. So is a redelivery of the same',
      'event that has not ended, whichever delivery you name, so that a repeat of this request sends nothing twice. Failures of a',
      `redelivery are retried as usual and do not count towards the 15 that disable the subscription. At most ${OPEN_REDELIVERIES_MAX} redeliveries`,
      'of a subscription may be under way; one more is 409 `conflict`.',
    ].join(' '),
    params: deliveryParams,
    errors: ['conflict'],
    replies: { 200: Delivery, 201: Delivery },
    handle: async (ctx: Pick<Context, 'config' | 'database' | 'clock' | 'wake'>, caller, { params }) => {
      const { kind, delivery } = await redeliver(ctx, caller, params);
      return { status: kind === 'made' ? 201 : 200, body: delivery };
    },
  }),
];
