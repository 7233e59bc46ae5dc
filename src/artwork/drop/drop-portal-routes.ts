import type { Context } from '../../lib/context.ts';
import { type PersonRoute, route } from '../../lib/route.ts';
import { PermitUploadBody, UploadPermit } from './drop-schema.ts';
import { permitUpload } from './permit-upload.ts';

/** How a file of a person's computer gets an address. */
export const dropPortalRoutes: readonly PersonRoute<Context>[] = [
  route({
    method: 'POST',
    path: '/uploads',
    access: { people: ['owner', 'manager', 'orders'] },
    operationId: 'permitUpload',
    summary: 'Permit an upload',
    description: [
      'Permits one file in the drop, a server with an origin of its own, or in a bucket. PUT the file to `upload_url` with',
      '`headers`, within ten minutes; a permit brings one file. It then has an https address for 24 hours, which artwork is',
      'fetched from like any other. No operation of this service takes bytes.',
    ].join(' '),
    body: PermitUploadBody,
    errors: ['conflict'],
    replies: { 201: UploadPermit },
    handle: async (ctx, person, { body }) => ({ status: 201, body: await permitUpload(ctx, person, body) }),
  }),
];
