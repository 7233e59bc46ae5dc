import { type Route, route } from '../../lib/route.ts';
import type { OrdersContext } from '../../orders/context.ts';
import { Order } from '../../orders/schema.ts';
import { replaceArtwork } from './replace-artwork.ts';
import { LineParams, ReplaceArtworkBody } from './schema.ts';

/** What a customer sends in place of artwork that failed. */
export const newArtworkRoutes: readonly Route<OrdersContext>[] = [
  route({
    method: 'POST',
    path: '/orders/:id/lines/:line/artwork',
    access: { scope: 'orders:write' },
    operationId: 'replaceArtwork',
    summary: 'Replace artwork that failed',
    description: [
      'Until the line starts in production, and only where the print file could not be made or has expired:',
      '`artwork.areas[].actions.replace` of a line says so, and `failure` why. Area, method, position and price stay.',
      'The artwork is fetched at once and checked as that of an order; if it fails, nothing changes. `warnings` of the',
      'answer begin with what may not print as it looks. A repeat with the same picture is harmless. A personalised',
      'line is not replaced by a file.',
    ].join(' '),
    params: LineParams,
    body: ReplaceArtworkBody,
    errors: ['conflict'],
    replies: { 200: Order },
    replyHeaders: { 200: ['Idempotent-Replayed'] },
    handle: async (ctx, caller, { params, body, signal }) => {
      const request = { idOrReference: params.id, line: params.line, body, signal };
      const { kind, order } = await replaceArtwork(ctx, caller, request);
      if (kind === 'replaced') return { status: 200, body: order };
      return { status: 200, body: order, headers: { 'idempotent-replayed': 'true' } };
    },
  }),
];
