import { type OpsRoute, route } from '../lib/route.ts';
import { Type } from '../lib/typebox.ts';
import { type FlushContext, flushDeliveries } from './flush-deliveries.ts';

export const webhookOpsRoutes: readonly OpsRoute<FlushContext>[] = [
  route({
    method: 'POST',
    path: '/webhooks/flush',
    access: { roles: ['production'] },
    operationId: 'flushWebhooks',
    summary: 'Send waiting events now',
    description: 'First attempts that wait for the next flush start at once. Retries keep their schedule.',
    replies: { 200: Type.Object({ flushed: Type.Boolean({ description: 'Always true.' }) }, { title: 'Flushed' }) },
    handle: async (ctx, operator, { once }) => {
      await flushDeliveries(ctx, operator, once);
      return { status: 200, body: { flushed: true } };
    },
  }),
];
