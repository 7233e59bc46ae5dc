import { oneOf, Timestamp } from '../../lib/schemas.ts';
import { type Static, Type } from '../../lib/typebox.ts';
import { ARTWORK_BYTES_MAX } from '../sniff/header.ts';

/** A file that a person wants to leave in the drop. */
export const PermitUploadBody = Type.Object(
  {
    type: oneOf(['image/png', 'image/jpeg', 'image/webp'], { description: 'What the file is; its content decides.' }),
    size: Type.Integer({ minimum: 1, maximum: ARTWORK_BYTES_MAX, description: 'Its bytes, exactly.' }),
  },
  { title: 'PermitUploadRequest' },
);
export type PermitUploadBody = Static<typeof PermitUploadBody>;

/** Where the file goes, and where it is then. */
export const UploadPermit = Type.Object(
  {
    upload_url: Type.String({ description: 'PUT the file there, from a page of BASE_URL. Keep it to yourself.' }),
    headers: Type.Array(Type.Object({ name: Type.String(), value: Type.String() }), {
      description: 'The headers to send with the file, exactly so, beside the length that a browser adds.',
    }),
    upload_until: {
      ...Timestamp,
      description: 'Until when the file can be sent; until then a lost try can be repeated.',
    },
    url: Type.String({ description: 'The address of the file, to give as artwork. Keep it to yourself.' }),
    kept_until: Timestamp,
  },
  { title: 'UploadPermit' },
);
export type UploadPermit = Static<typeof UploadPermit>;
