import type { FastifyInstance } from 'fastify';
import type { ChannelsContext } from '../../channels/context.ts';
import { openChannel, takeShopRequest } from '../../channels/inbox/take-request.ts';
import type { Asker } from '../../lib/turns/owner.ts';
import { createTurns } from '../../lib/turns/turns.ts';
import { BODY_BYTES_MAX, readBody } from '../body.ts';
import { sendJson } from '../request-state.ts';
import { rejectImpossiblePath, signalOf } from '../take-request.ts';

/** Requests whose bodies are read at a time, each of at most 1 MiB. */
const PLACES = 16;
const PLACES_OF_EACH = 8;
const WAITING_MAX = 400;
const WAITING_MAX_OF_EACH = 100;
const WAIT_MS = 5_000;

/**
 * Mounts `POST /channels/{id}/orders`, by which connected shops send their orders.
 * The signature is over the raw bytes, so the body is read as bytes, in turn by account and only for a shop that is
 * connected. 202 means that the order is written and will be looked at, or was before.
 */
export function mountChannels(
  app: FastifyInstance,
  ctx: ChannelsContext,
  contextFor: (asker: Asker) => ChannelsContext,
): void {
  const turns = createTurns({
    resource: 'shop requests',
    capacity: PLACES,
    capOfEach: PLACES_OF_EACH,
    waitingMax: WAITING_MAX,
    waitingMaxOfEach: WAITING_MAX_OF_EACH,
    waitMs: WAIT_MS,
  });
  app.post<{ Params: { id: string } }>('/channels/:id/orders', async (request, reply) => {
    rejectImpossiblePath(request.params);
    const channel = await openChannel(ctx, request.params.id);
    request.state.accountId = channel.accountId;
    const { headers } = request;
    const one = (value: string | string[] | undefined): string | undefined =>
      typeof value === 'string' ? value : undefined;
    const terms = { owner: channel.accountId, signal: signalOf(reply.raw) };
    const acknowledged = await turns.inTurn(terms, async () => {
      const body = await readBody(request.raw, BODY_BYTES_MAX);
      return takeShopRequest(contextFor({ owner: channel.accountId }), channel, {
        headers: {
          id: one(headers['webhook-id']),
          timestamp: one(headers['webhook-timestamp']),
          signature: one(headers['webhook-signature']),
        },
        body,
      });
    });
    sendJson(reply, { status: 202, text: JSON.stringify(acknowledged) });
    return reply;
  });
}
