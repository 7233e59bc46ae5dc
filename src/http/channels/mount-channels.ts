import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ChannelsContext } from '../../channels/context.ts';
import { type OpenedChannel, openChannel, takeShopRequest } from '../../channels/inbox/take-request.ts';
import { takeConsent } from '../../channels/linked/take-consent.ts';
import { takeInstall } from '../../channels/linked/take-install.ts';
import { takeNotice } from '../../channels/linked/take-notice.ts';
import { takePrivacyRequest } from '../../channels/linked/take-privacy-request.ts';
import { CONNECTABLE } from '../../channels/platforms/platforms.ts';
import type { SignedIn } from '../../lib/caller.ts';
import { notFound } from '../../lib/errors.ts';
import type { Asker } from '../../lib/turns/owner.ts';
import { createTurns, type Turns } from '../../lib/turns/turns.ts';
import { BODY_BYTES_MAX, parseJson, readBody } from '../body.ts';
import { sendJson } from '../request-state.ts';
import { rejectImpossiblePath, signalOf } from '../take-request.ts';

/** Requests whose bodies are read at a time, each of at most 1 MiB. */
const PLACES = 16;
const PLACES_OF_EACH = 8;
const WAITING_MAX = 400;
const WAITING_MAX_OF_EACH = 100;
const WAIT_MS = 5_000;
/** A key and what belongs to it. */
const CONSENT_BYTES_MAX = 16_384;

/**
 * Mounts what shops call.
 * They send orders by `POST /channels/{id}/orders`; those of a platform say that one has changed by
 * `POST /channels/{id}/notices`, and let us in by `/channels/consents/{platform}`: they post a key, or the browser of
 * their people brings a code. Shopify leads them to `/channels/installs/shopify` as they install the app.
 * A signature is over the raw bytes, so a body is read as bytes, in turn by account and only for a shop that is
 * connected. 202 means that the order is written and will be looked at, or was before.
 */
export function mountChannels(
  app: FastifyInstance,
  ctx: ChannelsContext,
  {
    contextFor,
    personOf,
  }: {
    readonly contextFor: (asker: Asker) => ChannelsContext;
    /** Who is signed in in the browser of a request. */
    readonly personOf: (request: FastifyRequest) => Promise<SignedIn | undefined>;
  },
): void {
  const turns = createTurns({
    resource: 'shop requests',
    capacity: PLACES,
    capOfEach: PLACES_OF_EACH,
    waitingMax: WAITING_MAX,
    waitingMaxOfEach: WAITING_MAX_OF_EACH,
    waitMs: WAIT_MS,
  });

  mountPrivacy(app, ctx, turns);

  /** Reads the body of a request for a connected shop, and answers it. */
  async function answer(
    request: FastifyRequest<{ Params: { id: string } }>,
    reply: FastifyReply,
    take: (channel: OpenedChannel, body: Buffer) => Promise<{ readonly status: number; readonly body: object }>,
  ): Promise<FastifyReply> {
    rejectImpossiblePath(request.params);
    const channel = await openChannel(ctx, request.params.id);
    request.state.accountId = channel.accountId;
    const terms = { owner: channel.accountId, signal: signalOf(reply.raw) };
    const { status, body } = await turns.inTurn(terms, async () =>
      take(channel, await readBody(request.raw, BODY_BYTES_MAX)),
    );
    sendJson(reply, { status, text: JSON.stringify(body) });
    return reply;
  }

  app.post<{ Params: { id: string } }>('/channels/:id/orders', async (request, reply) =>
    answer(request, reply, async (channel, body) => {
      const headers = {
        id: headerOf(request, 'webhook-id'),
        timestamp: headerOf(request, 'webhook-timestamp'),
        signature: headerOf(request, 'webhook-signature'),
      };
      const own = contextFor({ owner: channel.accountId });
      return { status: 202, body: await takeShopRequest(own, channel, { headers, body }) };
    }),
  );
  app.post<{ Params: { id: string } }>('/channels/:id/notices', async (request, reply) =>
    answer(request, reply, async (channel, body) => {
      const header = (name: string): string | undefined => headerOf(request, name);
      await takeNotice(contextFor({ owner: channel.accountId }), channel, { header, body });
      // Some platforms take no other success.
      return { status: 200, body: {} };
    }),
  );
  app.post<{ Params: { platform: string } }>('/channels/consents/:platform', async (request, reply) => {
    rejectImpossiblePath(request.params);
    const platform = CONNECTABLE.find((name) => name === request.params.platform);
    if (platform === undefined) throw notFound();
    const terms = { owner: `address:${request.ip}` as const, signal: signalOf(reply.raw) };
    await turns.inTurn(terms, async () => {
      const body = await readBody(request.raw, CONSENT_BYTES_MAX);
      await takeConsent(ctx, platform, { content: parseJson(body).value, signal: terms.signal });
    });
    sendJson(reply, { status: 200, text: '{}' });
    return reply;
  });
  app.get<{ Params: { platform: string } }>('/channels/consents/:platform', async (request, reply) => {
    rejectImpossiblePath(request.params);
    const platform = CONNECTABLE.find((name) => name === request.params.platform);
    if (platform === undefined) throw notFound();
    const terms = { owner: `address:${request.ip}` as const, signal: signalOf(reply.raw) };
    await turns.inTurn(terms, async () => {
      const browserOf = (await personOf(request))?.accountId ?? null;
      await takeConsent(ctx, platform, { content: request.query, browserOf, signal: terms.signal });
    });
    return reply.redirect(`${ctx.config.baseUrl}/portal/shops`, 302);
  });
  app.get('/channels/installs/shopify', async (request, reply) => {
    const terms = { owner: `address:${request.ip}` as const, signal: signalOf(reply.raw) };
    const to = await turns.inTurn(terms, async () => {
      const person = await personOf(request);
      const own = person === undefined ? ctx : contextFor({ owner: person.accountId });
      return takeInstall(own, { query: request.query, person });
    });
    return reply.redirect(to, 302);
  });
}

/** Mounts `POST /channels/shopify/privacy`, where Shopify asks for what is held of buyers. */
function mountPrivacy(app: FastifyInstance, ctx: ChannelsContext, turns: Turns): void {
  app.post('/channels/shopify/privacy', async (request, reply) => {
    const terms = { owner: `address:${request.ip}` as const, signal: signalOf(reply.raw) };
    await turns.inTurn(terms, async () => {
      const body = await readBody(request.raw, BODY_BYTES_MAX);
      await takePrivacyRequest(ctx, { header: (name) => headerOf(request, name), body });
    });
    sendJson(reply, { status: 200, text: '{}' });
    return reply;
  });
}

function headerOf({ headers }: FastifyRequest, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}
