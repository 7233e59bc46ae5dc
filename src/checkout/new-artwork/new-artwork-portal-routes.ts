import { type PersonRoute, route } from '../../lib/route.ts';
import type { OrdersContext } from '../../orders/context.ts';
import { lookAtArtwork } from './look-at-artwork.ts';
import { LineParams, NewArtworkLook, ReplaceArtworkBody } from './schema.ts';

/** A look at artwork before it replaces what failed. */
export const newArtworkPortalRoutes: readonly PersonRoute<OrdersContext>[] = [
  route({
    method: 'POST',
    path: '/orders/:id/lines/:line/artwork/look',
    access: { people: ['owner', 'manager', 'orders'] },
    operationId: 'lookAtArtwork',
    summary: 'Look at artwork before it replaces what failed',
    description: [
      'Fetches and checks it as `POST /orders/{id}/lines/{line}/artwork` does, and says how it prints at the position',
      'of the line. The order stays as it is.',
    ].join(' '),
    params: LineParams,
    body: ReplaceArtworkBody,
    errors: ['conflict'],
    replies: { 200: NewArtworkLook },
    handle: async (ctx, person, { params, body, signal }) => ({
      status: 200,
      body: await lookAtArtwork(ctx, person, { idOrReference: params.id, line: params.line, body, signal }),
    }),
  }),
];
