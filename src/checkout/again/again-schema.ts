import { dictionary, nullable, oneOf } from '../../lib/schemas.ts';
import { type Static, Type } from '../../lib/typebox.ts';

const AreaAgain = Type.Object(
  {
    print_area: Type.String(),
    method: Type.String(),
    artwork_url: nullable(
      Type.String({
        description: 'The stored artwork, to be sent as `artwork_url`; null when it is not kept: supply it anew.',
      }),
    ),
    picture_url: nullable(Type.String({ description: 'A small picture of it. Signed, valid for one hour.' })),
    mock_url: nullable(Type.String({ description: 'The mock of the line, to be sent with its first area.' })),
    position: Type.Object({ x: Type.Number(), y: Type.Number(), scale: Type.Number(), rotation: Type.Number() }),
  },
  { title: 'AreaAgain' },
);

/** What of a line is not as it was. */
export const AGAIN_NOTES = [
  'not_orderable',
  'variant_dropped',
  'area_dropped',
  'artwork_gone',
  'inputs_gone',
  'template_changed',
  'erased',
] as const;
export type AgainNote = (typeof AGAIN_NOTES)[number];

const LineAgain = Type.Object(
  {
    line_id: Type.String(),
    product_id: Type.String(),
    variant_sku: Type.String(),
    quantity: Type.Integer(),
    name: Type.String({ description: 'As it was labelled; "" where that is the name of the product.' }),
    colour: Type.String(),
    size: Type.String(),
    declared_unit_price: nullable(Type.Number({ description: 'GBP, for customs.' })),
    can_be_ordered: Type.Boolean({ description: 'Whether its product can be ordered now.' }),
    artwork: oneOf(['stored', 'own', 'inputs', 'none'], {
      description:
        'stored: what the product has now. own: artwork of this order, in `areas`. inputs: of a personalised product. none: blank.',
    }),
    print_jobs: Type.Array(Type.Object({ area: Type.String(), method: Type.String() })),
    areas: Type.Array(AreaAgain, { description: 'The artwork of a line with its own.' }),
    inputs: dictionary(Type.String(), {
      maxProperties: 500,
      description: 'What was filled in of a personalised product, by layer, as an order takes it.',
    }),
    notes: Type.Array(
      Type.Object({
        code: oneOf(AGAIN_NOTES),
        message: Type.String({ description: 'In words: what is not as it was, and what to do.' }),
      }),
    ),
  },
  { title: 'LineAgain' },
);

/** The lines of an order as they were placed. */
export const OrderAgain = Type.Object(
  { reference: Type.String(), lines: Type.Array(LineAgain) },
  { title: 'OrderAgain' },
);
export type OrderAgain = Static<typeof OrderAgain>;
export type LineAgain = OrderAgain['lines'][number];
