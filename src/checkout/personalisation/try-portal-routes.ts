import { PERSON_ROLES } from '../../lib/caller.ts';
import { type PersonRoute, route } from '../../lib/route.ts';
import { ProductParams } from '../../products/schema.ts';
import type { PreviewContext } from './preview-personalisation.ts';
import { PersonalisationPreview, PreviewPersonalisationBody } from './preview-schema.ts';
import { tryTemplate } from './try-template.ts';

/** A template is tried before it is published. */
export const tryPortalRoutes: readonly PersonRoute<PreviewContext>[] = [
  route({
    method: 'POST',
    path: '/templates/:id/preview',
    access: { people: PERSON_ROLES },
    operationId: 'tryTemplate',
    summary: 'Show a piece of the draft of a template',
    description: [
      'Draws what would be printed for these inputs if the draft were published, by the code that makes the print',
      'file, and returns an address that works for one hour. Proofs are drawn in turn by account; when none can be',
      'drawn within ten seconds the answer is 503.',
    ].join(' '),
    params: ProductParams,
    body: PreviewPersonalisationBody,
    replies: { 200: PersonalisationPreview },
    handle: async (ctx: PreviewContext, person, { params, body, unknownFields, signal }) => ({
      status: 200,
      body: await tryTemplate(ctx, person, params.id, { body, unknownFields, signal }),
    }),
  }),
];
