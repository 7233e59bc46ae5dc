import { PERSON_ROLES } from '../../lib/caller.ts';
import type { Context } from '../../lib/context.ts';
import { type PersonRoute, route } from '../../lib/route.ts';
import { listSavedAddresses, removeAddress, saveAddress } from './address-book.ts';
import {
  ListAddressesQuery,
  SaveAddressBody,
  SavedAddress,
  SavedAddresses,
  SavedAddressParams,
} from './address-book-schema.ts';

/** Addresses that an account sends to again. */
export const addressBookPortalRoutes: readonly PersonRoute<Context>[] = [
  route({
    method: 'GET',
    path: '/addresses',
    access: { people: PERSON_ROLES },
    operationId: 'listAddresses',
    summary: 'Search the address book',
    description: 'The newest first.',
    query: ListAddressesQuery,
    replies: { 200: SavedAddresses },
    csv: 'data',
    handle: async (ctx, person, { query }) => ({ status: 200, body: await listSavedAddresses(ctx, person, query) }),
  }),
  route({
    method: 'POST',
    path: '/addresses',
    access: { people: ['owner', 'manager', 'orders'] },
    operationId: 'saveAddress',
    summary: 'Keep an address',
    description: 'An address that is kept already is not kept twice; it gets the label.',
    body: SaveAddressBody,
    errors: ['conflict'],
    replies: { 201: SavedAddress },
    handle: async (ctx, person, { body }) => ({ status: 201, body: await saveAddress(ctx, person, body) }),
  }),
  route({
    method: 'DELETE',
    path: '/addresses/:id',
    access: { people: ['owner', 'manager', 'orders'] },
    operationId: 'removeAddress',
    summary: 'Remove an address',
    description: 'Orders keep theirs.',
    params: SavedAddressParams,
    replies: { 204: null },
    handle: async (ctx, person, { params }) => {
      await removeAddress(ctx, person, params.id);
      return { status: 204 };
    },
  }),
];
