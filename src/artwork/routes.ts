import { type Route, route } from '../lib/route.ts';
import type { ArtworkContext } from './context.ts';
import { UploadValidation, ValidateUploadsBody } from './schema.ts';
import { validateUploads } from './validate-uploads.ts';

export const artworkRoutes: readonly Route<ArtworkContext>[] = [
  route({
    method: 'POST',
    path: '/uploads/validate',
    scope: 'orders:write',
    operationId: 'validateUploads',
    summary: 'Check artwork addresses as an order would, storing nothing',
    body: ValidateUploadsBody,
    replies: { 200: UploadValidation },
    handle: async (ctx, _caller, { body, signal }) => ({
      status: 200,
      body: await validateUploads(ctx, body, signal),
    }),
  }),
];
