import type { Db } from '../lib/db.ts';
import { notFound } from '../lib/errors.ts';
import type { Uuid } from '../lib/ids.ts';
import { type LockedOrder, lockAnyOrder } from './move-sql.ts';

/** Locks an order of any account for what an operator does to it, before every other lock but the key's. Throws 404. */
export async function lockForOps(tx: Db, orderId: Uuid): Promise<LockedOrder> {
  const order = await lockAnyOrder(tx, orderId);
  if (order === undefined) throw notFound();
  return order;
}
