import { Timestamp } from '../schemas.ts';
import { Type } from '../typebox.ts';

/** One problem of a request. */
export const ProblemMember = Type.Object(
  {
    path: Type.String({
      description: 'The place in the request, such as items[0].quantity; empty for the body itself.',
      examples: ['items[0].quantity'],
    }),
    code: Type.String({
      description: 'Identifies the problem for programs. /docs/errors lists the codes; more may be added.',
      examples: ['out_of_bounds'],
    }),
    message: Type.String({ description: 'What is wrong and what would be valid, for a person.' }),
    valid_values: Type.Optional(
      Type.Array(Type.String(), { description: 'The valid values, where the choice is finite.' }),
    ),
  },
  { title: 'Problem', description: 'One problem of a request.' },
);

/** A variant of which a basket has more pieces than there are. */
export const OversoldMember = Type.Object(
  {
    variant_sku: Type.String(),
    requested: Type.Integer({ description: 'Pieces requested in all lines of this variant.' }),
    available: Type.Integer({ description: 'Pieces that can be ordered now.' }),
    lines: Type.Array(Type.Integer(), { description: 'Indexes into items.' }),
  },
  { title: 'OversoldVariant' },
);

/** A line of which a parcel has pieces that are not finished. */
export const UnfinishedLine = Type.Object(
  {
    line_id: Type.String(),
    finished: Type.Integer({ description: 'Pieces done at every print job, shipped ones included.' }),
    shipped: Type.Integer({ description: 'Pieces in earlier parcels.' }),
    requested: Type.Integer({ description: 'Pieces in this parcel.' }),
  },
  { title: 'UnfinishedLine' },
);

/** A line of which a request has spoiled pieces that are not being made again yet. */
export const LackingLine = Type.Object(
  {
    line_id: Type.String(),
    variant_sku: Type.String(),
    requested: Type.Integer({ description: 'Pieces in the request.' }),
    ready: Type.Integer({ description: 'Pieces that the request could have.' }),
    short: Type.Integer({ description: 'Spoiled pieces for which there is no blank.' }),
    to_start: Type.Integer({ description: 'Spoiled pieces whose blanks have come in and are not started.' }),
  },
  { title: 'LackingLine' },
);

/** A delivery note that was booked before. */
export const BookedReceipt = Type.Object(
  {
    reference: Type.String({ description: 'As it was written then.' }),
    items: Type.Array(Type.Object({ sku: Type.String(), quantity: Type.Integer() })),
    actor: Type.String({ description: 'operator and an address.' }),
    created_at: Timestamp,
  },
  { title: 'BookedReceipt' },
);

/** A print area whose artwork was deleted. */
export const ExpiredArea = Type.Object(
  { line_id: Type.String(), print_area: Type.String(), method: Type.String() },
  { title: 'ExpiredArea' },
);
