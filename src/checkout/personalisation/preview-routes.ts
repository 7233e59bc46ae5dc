import { type Route, route } from '../../lib/route.ts';
import { ProductParams } from '../../products/schema.ts';
import { type PreviewContext, previewPersonalisation } from './preview-personalisation.ts';
import { PersonalisationPreview, PreviewPersonalisationBody } from './preview-schema.ts';

/** Addition 6 of decisions: a proof of a personalised piece before it is ordered. */
export const previewRoutes: readonly Route<PreviewContext>[] = [
  route({
    method: 'POST',
    path: '/products/:id/personalisation/preview',
    access: { scope: 'products:read' },
    operationId: 'previewPersonalisation',
    summary: 'Show a personalised piece',
    description: [
      'Draws what would be printed for these inputs, by the code that makes the print file, and returns an address of',
      'the picture that works for one hour. The inputs are checked as those of an order are, with the same warnings.',
      'Inputs that name addresses are fetched, which needs the scope `orders:write`, too: else 403 `insufficient_scope`.',
      'Nothing is ordered, and no picture of the inputs is kept. Proofs are drawn in turn by account; when none can be',
      'drawn within ten seconds the answer is 503. What a repeat cannot change has other codes: inputs that cannot be drawn are',
      '422 `not_drawable`, and a picture of the product that is no longer stored is 409 `conflict`. Call it once a buyer pauses, not for each key.',
    ].join(' '),
    params: ProductParams,
    body: PreviewPersonalisationBody,
    errors: ['conflict'],
    replies: { 200: PersonalisationPreview },
    handle: async (ctx, caller, { params, body, unknownFields, signal }) => ({
      status: 200,
      body: await previewPersonalisation(ctx, caller, params.id, { body, unknownFields, signal }),
    }),
  }),
];
