import type { Caller } from '../../lib/caller.ts';
import type { Db } from '../../lib/db.ts';
import { notFound } from '../../lib/errors.ts';
import { parseId, parseOrderReference, type Uuid } from '../../lib/ids.ts';
import { type LockedOrder, lockOrder } from '../move-sql.ts';
import { findOrderId } from '../read-sql.ts';

/**
 * The id of an order by its id or reference; undefined where there is none.
 * An id of another account's order is returned as it is: the lock finds that out.
 */
export async function ownOrderId(
  { database }: { readonly database: Db },
  { accountId }: Caller,
  idOrReference: string,
): Promise<Uuid | undefined> {
  const id = parseId('ord', idOrReference);
  if (id !== undefined) return id;
  const reference = parseOrderReference(idOrReference);
  return reference === undefined ? undefined : findOrderId(database, accountId, reference);
}

/** Locks an order of the caller's. Throws 404 for an unknown one and another account's. */
export async function lockOwnOrder(tx: Db, { accountId }: Caller, id: Uuid | undefined): Promise<LockedOrder> {
  const order = id === undefined ? undefined : await lockOrder(tx, accountId, id);
  if (order === undefined) throw notFound();
  return order;
}
