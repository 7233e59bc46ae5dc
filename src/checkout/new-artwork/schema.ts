import { ARTWORK_REPORT, PrintedArtwork } from '../../artwork/schema.ts';
import { URL_LENGTH_MAX } from '../../lib/outbound/addresses.ts';
import { Warnings } from '../../lib/schemas.ts';
import { type Static, Type } from '../../lib/typebox.ts';

/** The line whose artwork is replaced. */
export const LineParams = Type.Object({
  id: Type.String({ description: 'Order id or reference.' }),
  line: Type.String({ description: 'A line of the order: items[].id.' }),
});

/** The body of `POST /orders/{id}/lines/{line}/artwork`. */
export const ReplaceArtworkBody = Type.Object(
  {
    print_area: Type.String({ minLength: 1, maxLength: 40, description: 'A print area of the line.' }),
    url: Type.String({
      minLength: 1,
      maxLength: URL_LENGTH_MAX,
      description: 'The https URL of the new artwork, fetched at once and checked as that of an order is.',
    }),
  },
  { title: 'ReplaceArtworkBody' },
);
export type ReplaceArtworkBody = Static<typeof ReplaceArtworkBody>;

/** How artwork would print in place of what failed. */
export const NewArtworkLook = Type.Object(
  {
    print_area: Type.String(),
    method: Type.String(),
    source: Type.Object(ARTWORK_REPORT, { title: 'NewArtworkSource' }),
    print: PrintedArtwork,
    picture_url: Type.String({
      description:
        'The artwork on the garment, or on a panel where its picture does not show the area. Signed, valid for one hour.',
    }),
    warnings: Warnings,
  },
  { title: 'NewArtworkLook' },
);
export type NewArtworkLook = Static<typeof NewArtworkLook>;
