import type { Context } from '../../lib/context.ts';
import { type Route, route } from '../../lib/route.ts';
import { Type } from '../../lib/typebox.ts';
import { CHANGING_WEBHOOKS } from '../schema.ts';
import { deliveryRoutes, subscriptionParam } from './deliveries-routes.ts';
import { RotatedSecret, TestBody, WebhookTest } from './recovery-schema.ts';
import { replayRoutes } from './replay-routes.ts';
import { rotateSigningSecret } from './rotate-secret.ts';
import { sendTest } from './send-test.ts';

type RecoveryContext = Pick<Context, 'config' | 'database' | 'clock' | 'outbound' | 'secrets' | 'wake'>;

const params = Type.Object(subscriptionParam);

/** What a developer needs when deliveries fail (decisions, "Event log and recovery"). */
export const recoveryRoutes: readonly Route<RecoveryContext>[] = [
  ...deliveryRoutes,
  ...replayRoutes,
  route({
    method: 'POST',
    path: '/webhooks/:id/test',
    access: CHANGING_WEBHOOKS,
    operationId: 'testWebhook',
    summary: 'Send a test event',
    description: [
      'Sends a made-up event to the URL now, signed as a delivery, and returns what was sent and how it was answered',
      'within five seconds. Its body has `"test": true` and a reference that no order has, `PF-00000000`. Nothing is',
      'recorded or retried, and a failure does not count towards the 15. Works for a paused subscription, too; an account',
      'has one test at a time.',
    ].join(' '),
    params,
    body: TestBody,
    bodyIsOptional: true,
    errors: ['conflict'],
    replies: { 200: WebhookTest },
    handle: async (ctx: RecoveryContext, caller, request) => ({
      status: 200,
      body: await sendTest(ctx, caller, request.params.id, request.body),
    }),
  }),
  route({
    method: 'POST',
    path: '/webhooks/:id/rotate-secret',
    access: CHANGING_WEBHOOKS,
    operationId: 'rotateWebhookSecret',
    summary: 'Replace the signing secret',
    description: [
      'Returns a new secret, this once. For 24 hours deliveries carry both signatures: `svc-signature` stays that of the',
      'present secret, `svc-signature-next` is that of the new one, and `webhook-signature` has both. Put the new secret',
      'into your receiver meanwhile; then `svc-signature` is by the new one alone. Called again within the 24 hours, it',
      'replaces the new secret by another, and the 24 hours begin anew.',
    ].join(' '),
    params,
    replies: { 200: RotatedSecret },
    handle: async (ctx: RecoveryContext, caller, request) => ({
      status: 200,
      body: await rotateSigningSecret(ctx, caller, request.params.id),
    }),
  }),
];
