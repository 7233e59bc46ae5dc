import { pageQuery } from '../../lib/paging.ts';
import { oneOf, pageSchema, Timestamp } from '../../lib/schemas.ts';
import { type Static, Type } from '../../lib/typebox.ts';
import { TERRITORIES } from '../../pricing/territory.ts';
import { LACKING } from './exports-sql.ts';

/** An order without VAT, because it leaves the country, whose evidence is not complete. */
export const ExportEvidence = Type.Object(
  {
    order_id: Type.String(),
    reference: Type.String(),
    account_id: Type.String(),
    country_code: Type.String({ description: 'Where it goes.' }),
    territory: oneOf(TERRITORIES, {
      description: 'By which territory it was charged: Jersey and Guernsey are often written as GB.',
    }),
    supplied_at: { ...Timestamp, description: 'The tax point: when it was paid.' },
    due_at: {
      ...Timestamp,
      description: 'By when the goods must have left and the evidence be there: three months after the tax point.',
    },
    is_overdue: Type.Boolean({ description: 'That day has passed: VAT may be due on the order.' }),
    lacking: Type.Array(oneOf(LACKING), {
      description:
        'dispatch: not all of it has been sent. tracking_number, declaration: a parcel has none. invoice: none is issued.',
    }),
  },
  { title: 'ExportEvidence' },
);
export type ExportEvidence = Static<typeof ExportEvidence>;

export const ExportPage = pageSchema(ExportEvidence);

export const ListExportsQuery = Type.Object({
  ...pageQuery('ord'),
  lacking: Type.Optional(oneOf(LACKING, { description: 'Only those that lack this; all when left out.' })),
});
