import { type Route, route } from '../lib/route.ts';
import type { PreflightContext } from './context.ts';
import { UploadValidation, ValidateUploadsBody } from './schema.ts';
import { validateUploads } from './validate-uploads.ts';

export const artworkRoutes: readonly Route<PreflightContext>[] = [
  route({
    method: 'POST',
    path: '/uploads/validate',
    access: { scope: 'orders:write' },
    operationId: 'validateUploads',
    summary: 'Check artwork',
    description: [
      'Runs the checks that orders and products run on artwork: https from a public host, PNG, JPEG or WebP by',
      'content, at most 50 MB, 12,000 pixels a side and 60 megapixels. Answers 200 whatever `valid` says. With',
      '`base_product_id` and `print_area` it also says how large and how sharp the artwork prints there, and warns',
      'of what an order would be warned of.',
    ].join(' '),
    body: ValidateUploadsBody,
    replies: { 200: UploadValidation },
    handle: async (ctx, caller, { body, signal }) => ({
      status: 200,
      body: await validateUploads(ctx, caller, body, signal),
    }),
  }),
];
