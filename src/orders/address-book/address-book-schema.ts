import { pageQuery } from '../../lib/paging.ts';
import { pageSchema } from '../../lib/schemas.ts';
import { type Static, Type } from '../../lib/typebox.ts';
import { Address, StoredAddress } from '../schema.ts';

/** An address that the account keeps. */
export const SavedAddress = Type.Object(
  { id: Type.String(), label: Type.String(), address: StoredAddress },
  { title: 'SavedAddress' },
);
export type SavedAddress = Static<typeof SavedAddress>;

export const SavedAddresses = pageSchema(SavedAddress);
export type SavedAddresses = Static<typeof SavedAddresses>;

/** The body of `POST /addresses`. */
export const SaveAddressBody = Type.Object(
  {
    label: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        pattern: '\\S',
        description: 'The name of its recipient when left out.',
      }),
    ),
    address: Address,
  },
  { title: 'SaveAddressRequest' },
);
export type SaveAddressBody = Static<typeof SaveAddressBody>;

export const ListAddressesQuery = Type.Object({
  ...pageQuery('adr'),
  search: Type.Optional(
    Type.String({ maxLength: 200, description: 'Only addresses in which each of its words occurs.' }),
  ),
});
export type ListAddressesQuery = Static<typeof ListAddressesQuery>;

export const SavedAddressParams = Type.Object({
  id: Type.String({ description: 'The id of a saved address, adr_….' }),
});
