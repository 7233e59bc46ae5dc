import type { Db } from '../../lib/db.ts';
import { FIRST_ID, type Uuid } from '../../lib/ids.ts';
import { emailKey, phoneKey } from '../../orders/search/contact-keys.ts';
import { compact } from '../../orders/search/search-terms.ts';
import { type RecipientName, recipientKey, recipientKeysOf } from '../ledger/entry.ts';
import { type AddressedOrder, listAddressedOrders, listOrdersByTerm, readSearchedThrough } from './find-orders-sql.ts';

/** Orders of an account that one page reads where the search does not know them yet. */
const PAGE = 500;

/**
 * The orders of an account that have a recipient in one of their addresses, page by page.
 * The search says which may; their own addresses say which do. Orders that the search does not know yet are read as
 * well, so none is missed. Memory does not grow with their number.
 */
export async function* findRecipientOrders(db: Db, accountId: Uuid, recipient: RecipientName): AsyncGenerator<Uuid[]> {
  const key = recipientKey(recipient);
  const isOf = ({ addresses }: AddressedOrder): boolean =>
    addresses.some((address) => recipientKeysOf(address).includes(key));
  // Read before the terms: an order that gets its terms meanwhile is found twice and not missed.
  const unsearched = await readSearchedThrough(db);
  for (const term of termsOf(recipient)) yield* findByTerm(db, accountId, term, isOf);
  for (let after = unsearched; ; ) {
    const orders = await listAddressedOrders(db, accountId, after, PAGE);
    yield orders.filter(isOf).map(({ id }) => id);
    const last = orders.at(-1);
    if (last === undefined || orders.length < PAGE) return;
    after = last.id;
  }
}

async function* findByTerm(
  db: Db,
  accountId: Uuid,
  term: { readonly kind: string; readonly term: string },
  isOf: (order: AddressedOrder) => boolean,
): AsyncGenerator<Uuid[]> {
  for (let after: Uuid | undefined = FIRST_ID as Uuid; after !== undefined; ) {
    const page: { orders: AddressedOrder[]; next: Uuid | undefined } = await listOrdersByTerm(
      db,
      accountId,
      term,
      after,
    );
    yield page.orders.filter(isOf).map(({ id }) => id);
    after = page.next;
  }
}

function termsOf(recipient: RecipientName): { kind: string; term: string }[] {
  switch (recipient.kind) {
    case 'name':
      return ['postcode', 'other_postcode'].map((kind) => ({ kind, term: compact(recipient.postcode) }));
    case 'email':
      return [{ kind: 'email', term: emailKey(recipient.email) }];
    case 'phone':
      return [{ kind: 'phone', term: phoneKey(recipient.phone) }];
  }
}
