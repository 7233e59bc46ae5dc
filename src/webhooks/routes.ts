import type { Context } from '../lib/context.ts';
import { pageQuery } from '../lib/paging.ts';
import { type Route, route } from '../lib/route.ts';
import { Type } from '../lib/typebox.ts';
import { changeSubscription } from './change-subscription.ts';
import { subscriptionExtras, subscriptionProblems } from './check-subscription.ts';
import { createSubscription } from './create-subscription.ts';
import { getSubscription } from './get-subscription.ts';
import { listSubscriptions } from './list-subscriptions.ts';
import { removeSubscription } from './remove-subscription.ts';
import {
  CHANGING_WEBHOOKS,
  ChangedSubscription,
  ChangeSubscriptionBody,
  CreatedSubscription,
  CreateSubscriptionBody,
  SEEING_WEBHOOKS,
  SubscriptionDetail,
  SubscriptionPage,
} from './schema.ts';

const params = Type.Object({ id: Type.String({ description: 'The id of a subscription, whk_….' }) });

type WebhookContext = Pick<Context, 'asker' | 'database' | 'clock' | 'outbound' | 'secrets'>;

/** The operations of spec 4.5. */
export const webhookRoutes: readonly Route<WebhookContext>[] = [
  route({
    method: 'GET',
    path: '/webhooks',
    access: SEEING_WEBHOOKS,
    operationId: 'listWebhooks',
    summary: 'List webhook subscriptions',
    description: 'As `text/csv` it is a file for a spreadsheet, without `limit` the whole list.',
    query: Type.Object(pageQuery('whk')),
    replies: { 200: SubscriptionPage },
    csv: 'data',
    handle: async (ctx: WebhookContext, caller, { query }) => ({
      status: 200,
      body: await listSubscriptions(ctx, caller, query),
    }),
  }),
  route({
    method: 'POST',
    path: '/webhooks',
    access: CHANGING_WEBHOOKS,
    operationId: 'createWebhook',
    summary: 'Create a webhook subscription',
    description: [
      'Each order event is then sent to the URL as a signed POST; the section *Events* shows the payloads. Store',
      'the `secret` from the reply: it is shown only once. The URL must be https and public. An account can have',
      'up to 20 subscriptions.',
    ].join(' '),
    body: CreateSubscriptionBody,
    bodyProblems: subscriptionProblems,
    refusalExtras: subscriptionExtras,
    replies: { 201: CreatedSubscription },
    handle: async (ctx: WebhookContext, caller, request) => ({
      status: 201,
      body: await createSubscription(ctx, caller, request),
    }),
  }),
  route({
    method: 'GET',
    path: '/webhooks/:id',
    access: SEEING_WEBHOOKS,
    operationId: 'getWebhook',
    summary: 'Fetch a webhook subscription',
    description: [
      '`recent_deliveries` lists the latest deliveries and their results. After 15 failures in a row the',
      'subscription is disabled and `disabled_reason` is set.',
    ].join(' '),
    params,
    replies: { 200: SubscriptionDetail },
    handle: async (ctx: WebhookContext, caller, request) => ({
      status: 200,
      body: await getSubscription(ctx, caller, request.params.id),
    }),
  }),
  route({
    method: 'PATCH',
    path: '/webhooks/:id',
    access: CHANGING_WEBHOOKS,
    operationId: 'changeWebhook',
    summary: 'Change a webhook subscription',
    description: [
      'Changes only the members that are sent. `active: true` resumes a paused or disabled subscription and',
      'resets its failure count. Events from the time in between are not sent; read them from `GET /events`.',
    ].join(' '),
    params,
    body: ChangeSubscriptionBody,
    bodyProblems: subscriptionProblems,
    refusalExtras: subscriptionExtras,
    replies: { 200: ChangedSubscription },
    handle: async (ctx: WebhookContext, caller, request) => ({
      status: 200,
      body: await changeSubscription(ctx, caller, request.params.id, request),
    }),
  }),
  route({
    method: 'DELETE',
    path: '/webhooks/:id',
    access: CHANGING_WEBHOOKS,
    operationId: 'removeWebhook',
    summary: 'Remove a webhook subscription',
    params,
    replies: { 204: null },
    handle: async (ctx: WebhookContext, caller, request) => {
      await removeSubscription(ctx, caller, request.params.id);
      return { status: 204 };
    },
  }),
];
