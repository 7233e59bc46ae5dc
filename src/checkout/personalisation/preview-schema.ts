import { Timestamp, Warnings } from '../../lib/schemas.ts';
import { type Static, Type } from '../../lib/typebox.ts';
import { Inputs } from '../../products/schema.ts';

export const PreviewPersonalisationBody = Type.Object(
  {
    inputs: Inputs,
    variant_sku: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'The variant whose colour lies behind the print; the first active one when left out.',
      }),
    ),
    print_area: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 40,
        description: 'The print area to show; the first that the inputs fill when left out.',
      }),
    ),
  },
  { title: 'PreviewPersonalisationBody' },
);
export type PreviewPersonalisationBody = Static<typeof PreviewPersonalisationBody>;

export const PersonalisationPreview = Type.Object(
  {
    print_area: Type.String({ description: 'The print area that the proof shows.' }),
    print_areas: Type.Array(Type.String(), { description: 'All print areas that the inputs fill.' }),
    proof_url: Type.String({
      description: 'A JPEG of what will be printed, on the colour of the variant; signed, works for one hour.',
    }),
    expires_at: { ...Timestamp, description: 'When the proof ends. Ask for another then.' },
    warnings: Warnings,
  },
  { title: 'PersonalisationPreview' },
);
export type PersonalisationPreview = Static<typeof PersonalisationPreview>;
