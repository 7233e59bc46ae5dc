import { ARTWORK_REPORT, PrintedArtwork } from '../../artwork/schema.ts';
import { nullable, oneOf, Timestamp } from '../../lib/schemas.ts';
import { type Static, Type } from '../../lib/typebox.ts';

const State = oneOf(['pending', 'ready', 'expired'], {
  description: 'ready once the print file is made; expired once it was deleted because its time was over.',
});

/** A small picture of a line, for lists. */
export const ThumbnailUrl = nullable(
  Type.String({
    description: 'The mock, 192 pixels wide, or else the first print on a drawn garment. Signed, valid for one hour.',
  }),
);

const SOURCE = {
  source: nullable(
    Type.Object(ARTWORK_REPORT, {
      title: 'ArtworkSource',
      description: 'The image that it is made from; null for a personalised piece, which may have several.',
    }),
  ),
  print: nullable(PrintedArtwork),
};

/** What would be printed on a line that is only estimated. */
export const PlannedArtwork = Type.Object(
  { print_area: Type.String(), method: Type.String(), ...SOURCE },
  { title: 'PlannedArtwork' },
);
export type PlannedArtwork = Static<typeof PlannedArtwork>;

/** What is printed on a line (decisions, addition 3). */
export const LineArtwork = Type.Object(
  {
    state: State,
    areas: Type.Array(
      Type.Object(
        {
          print_area: Type.String(),
          method: Type.String(),
          state: State,
          ...SOURCE,
          proof_url: nullable(
            Type.String({
              description:
                'A JPEG of the print file, 640 pixels wide, on the colour of the variant; signed, valid for one hour.',
            }),
          ),
          failure: nullable(
            Type.String({ description: 'Why the print file could not be made; null while it may be, and once it is.' }),
          ),
          replaced_at: nullable({ ...Timestamp, description: 'When its artwork was last replaced; else null.' }),
          actions: Type.Object(
            {
              replace: Type.Object({
                available: Type.Boolean({
                  description:
                    'Whether other artwork would be taken now: it failed or has expired, and nothing started.',
                }),
              }),
            },
            { title: 'AreaActions' },
          ),
        },
        { title: 'AreaArtwork' },
      ),
    ),
  },
  {
    title: 'LineArtwork',
    description:
      'What is printed on the line. Lists of operators leave it out, and so does the answer to placing an order.',
  },
);
export type LineArtwork = Static<typeof LineArtwork>;
