import type { ArtworkContext } from '../../artwork/context.ts';
import { BrandDraft, BrandParams } from '../../brands/schema.ts';
import { PERSON_ROLES } from '../../lib/caller.ts';
import { type PersonRoute, route } from '../../lib/route.ts';
import { namedAs } from '../../lib/text/file-name.ts';
import { drawSampleSlip, drawSlipOfDraft } from './sample-slip.ts';

/** How a brand looks in print. */
export const sampleSlipPortalRoutes: readonly PersonRoute<ArtworkContext>[] = [
  route({
    method: 'GET',
    path: '/brands/:id/packing-slip',
    access: { people: PERSON_ROLES },
    operationId: 'drawSampleSlip',
    summary: 'Look at the packing slip of a brand',
    description: 'As it will be printed, of a made-up order.',
    params: BrandParams,
    replies: { 200: 'application/pdf' },
    handle: async (ctx, person, { params }) => {
      const { fileName, pdf } = await drawSampleSlip(ctx, person, params.id);
      return { status: 200, body: pdf, headers: namedAs(fileName) };
    },
  }),
  route({
    method: 'POST',
    path: '/brand-drafts/packing-slip',
    access: { people: ['owner', 'manager'] },
    operationId: 'drawSlipOfDraft',
    summary: 'Look at the packing slip of an unsaved brand',
    description: 'As it would be printed, of a made-up order. Nothing is stored.',
    body: BrandDraft,
    errors: ['not_found'],
    replies: { 200: 'application/pdf' },
    handle: async (ctx, person, { body }) => {
      const { fileName, pdf } = await drawSlipOfDraft(ctx, person, body);
      return { status: 200, body: pdf, headers: namedAs(fileName) };
    },
  }),
];
