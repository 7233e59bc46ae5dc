import { Type } from 'typebox';
import type { Context } from '../lib/context.ts';
import { pageQuery } from '../lib/paging.ts';
import { type Route, route } from '../lib/route.ts';
import { changeSubscription } from './change-subscription.ts';
import { createSubscription } from './create-subscription.ts';
import { getSubscription } from './get-subscription.ts';
import { listSubscriptions } from './list-subscriptions.ts';
import { removeSubscription } from './remove-subscription.ts';
import {
  ChangeSubscriptionBody,
  CreatedSubscription,
  CreateSubscriptionBody,
  Subscription,
  SubscriptionDetail,
  SubscriptionPage,
} from './schema.ts';

const params = Type.Object({ id: Type.String({ description: 'The id of a subscription, whk_….' }) });

type WebhookContext = Pick<Context, 'database' | 'clock' | 'outbound' | 'secrets'>;

/** The operations of spec 4.5. */
export const webhookRoutes: readonly Route<WebhookContext>[] = [
  route({
    method: 'GET',
    path: '/webhooks',
    scope: 'orders:read',
    operationId: 'listWebhooks',
    summary: 'List webhook subscriptions, newest first',
    query: Type.Object(pageQuery('whk')),
    replies: { 200: SubscriptionPage },
    handle: async (ctx: WebhookContext, caller, { query }) => ({
      status: 200,
      body: await listSubscriptions(ctx, caller, query),
    }),
  }),
  route({
    method: 'POST',
    path: '/webhooks',
    scope: 'orders:write',
    operationId: 'createWebhook',
    summary: 'Subscribe a URL to order events; the reply shows the signing secret, this once',
    body: CreateSubscriptionBody,
    replies: { 201: CreatedSubscription },
    handle: async (ctx: WebhookContext, caller, { body }) => ({
      status: 201,
      body: await createSubscription(ctx, caller, body),
    }),
  }),
  route({
    method: 'GET',
    path: '/webhooks/:id',
    scope: 'orders:read',
    operationId: 'getWebhook',
    summary: 'Fetch a webhook subscription with its failure count and recent deliveries',
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
    scope: 'orders:write',
    operationId: 'changeWebhook',
    summary: 'Change, pause or resume a webhook subscription',
    params,
    body: ChangeSubscriptionBody,
    replies: { 200: Subscription },
    handle: async (ctx: WebhookContext, caller, request) => ({
      status: 200,
      body: await changeSubscription(ctx, caller, request.params.id, request.body),
    }),
  }),
  route({
    method: 'DELETE',
    path: '/webhooks/:id',
    scope: 'orders:write',
    operationId: 'removeWebhook',
    summary: 'Remove a webhook subscription for good',
    params,
    replies: { 204: null },
    handle: async (ctx: WebhookContext, caller, request) => {
      await removeSubscription(ctx, caller, request.params.id);
      return { status: 204 };
    },
  }),
];
