import type { FastifyInstance } from 'fastify';
import { ApiError } from '../lib/errors.ts';
import { takeCallback } from '../payments/callback.ts';
import type { PaymentsContext } from '../payments/context.ts';
import { readBody } from './body.ts';
import { sendJson } from './request-state.ts';

/** The provider's largest callbacks have a few tens of kibibytes. */
const CALLBACK_BYTES_MAX = 262_144;

/**
 * Mounts `POST /hooks/stripe` for the payment provider's callbacks.
 * Without a provider the path does not exist. The signature is over the raw bytes, so the body is read
 * as bytes. A wrong signature is 400; 200 means that the callback was handled or is not ours, 503 that
 * it must be sent again.
 */
export function mountStripeHook(app: FastifyInstance, ctx: PaymentsContext): void {
  if (ctx.payments === undefined) return;
  app.post('/hooks/stripe', async (request, reply) => {
    const signature = request.headers['stripe-signature'];
    const body = await readBody(request.raw, CALLBACK_BYTES_MAX);
    if (typeof signature !== 'string' || !(await takeCallback(ctx, body, signature))) {
      throw new ApiError('invalid_request', 'The signature of this callback is missing or not right.');
    }
    sendJson(reply, { status: 200, text: '{"received":true}' });
    return reply;
  });
}
