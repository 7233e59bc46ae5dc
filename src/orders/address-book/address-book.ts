import { lockAccount } from '../../accounts/lock-account.ts';
import type { Caller } from '../../lib/caller.ts';
import type { Context } from '../../lib/context.ts';
import { isCountryCode, unknownCountry } from '../../lib/countries.ts';
import { ApiError, notFound, validationFailed } from '../../lib/errors.ts';
import { newId, parseId, publicId } from '../../lib/ids.ts';
import { type Page, readPage, toPage } from '../../lib/paging.ts';
import { storedAddress } from '../order-columns.ts';
import type { ListAddressesQuery, SaveAddressBody, SavedAddress } from './address-book-schema.ts';
import {
  findSavedAddresses,
  insertSavedAddress,
  isBookFull,
  removeSavedAddress,
  SAVED_MAX,
  type SavedAddressRow,
} from './address-book-sql.ts';

/** A page of the saved addresses in which all words of a search occur, the newest first. */
export async function listSavedAddresses(
  ctx: Pick<Context, 'database'>,
  { accountId }: Caller,
  query: ListAddressesQuery,
): Promise<Page<SavedAddress>> {
  const { limit, after } = readPage('adr', query);
  const words = (query.search ?? '').split(/\s+/).filter((word) => word !== '');
  const rows = await findSavedAddresses(ctx.database, { accountId, words }, { before: after, limit: limit + 1 });
  return toPage(rows, limit, viewOf, ({ id }) => id);
}

/**
 * Keeps an address for later orders; one that is kept already only gets its new label.
 * Throws 422 for a country that does not exist, 409 when the account has as many as it may.
 */
export async function saveAddress(
  ctx: Pick<Context, 'database' | 'clock'>,
  { accountId }: Caller,
  { label, address: given }: SaveAddressBody,
): Promise<SavedAddress> {
  const { country_code: country } = given;
  if (!isCountryCode(country)) throw validationFailed([unknownCountry(country, 'address.country_code')]);
  const address = storedAddress(given);
  return ctx.database.transaction(async (tx) => {
    await lockAccount(tx, accountId);
    if (await isBookFull(tx, accountId, address)) {
      throw new ApiError('conflict', `The address book has ${SAVED_MAX} addresses. Remove one that you need no more.`);
    }
    const now = ctx.clock.now();
    const row = { id: newId(now.getTime()), label: label ?? null, address, created_at: now };
    const saved = await insertSavedAddress(tx, accountId, row);
    if (saved === undefined) throw new Error('an insert without a row');
    return viewOf(saved);
  });
}

/** Removes an address from the book; orders keep theirs. Throws 404. */
export async function removeAddress(
  ctx: Pick<Context, 'database'>,
  { accountId }: Caller,
  addressId: string,
): Promise<void> {
  const id = parseId('adr', addressId);
  if (id === undefined || !(await removeSavedAddress(ctx.database, accountId, id))) throw notFound();
}

function viewOf({ id, label, address }: SavedAddressRow): SavedAddress {
  return { id: publicId('adr', id), label, address };
}
