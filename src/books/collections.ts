import type { Db } from '../lib/db.ts';
import { ApiError } from '../lib/errors.ts';
import { type Pence, pence, sumPence } from '../lib/money.ts';
import type { LockedOrder } from '../orders/move-sql.ts';
import { readMostOwedAgain } from '../payments/disputes/uncollected.ts';
import { type CollectionRow, findCollections, readPaidTwice } from './collections-sql.ts';
import type { Leg } from './plan.ts';

/** What the legs of a correction do to the collections of an order. */
export type CollectionChange = {
  /** What is owed for the order again. */
  readonly againPence: Pence;
  /** What counts as collected again, since the correction of it was a mistake. */
  readonly collectedPence: Pence;
  /** When the posting was made that is corrected. */
  readonly postedAt: Date;
};

/**
 * Splits the legs that take a collection by bank back, by the books as they are.
 * What the balance was credited because the order was paid twice is taken from the balance again: the customer has paid
 * once. The rest is owed for the order again, as far as the provider has the money. Throws 409 for a proposal that
 * does not name its order. The caller holds the lock of the order.
 */
export async function splitCollection(
  tx: Db,
  order: LockedOrder | undefined,
  legs: readonly Leg[],
): Promise<{ readonly legs: readonly Leg[]; readonly change: CollectionChange | undefined }> {
  const corrected = legs.flatMap(({ accountId, correctsId: id }) => (id === null ? [] : [{ accountId, id }]));
  const collections = await findCollections(tx, corrected);
  const [first] = collections;
  if (first === undefined) return { legs, change: undefined };
  if (order?.id !== first.order_id) {
    const detail =
      'This correction of a collection does not name its order: an earlier version has proposed it. Refuse it, and enter it again.';
    throw new ApiError('conflict', detail);
  }
  let twicePence: number = await readPaidTwice(tx, order.account_id, order.id);
  let mostPence: number = await readMostOwedAgain(tx, order);
  const split = legs.flatMap((leg): Leg[] => {
    if (!takesBack(leg, collections)) return [leg];
    const againPence = Math.min(Math.max(0, leg.amountPence - twicePence), mostPence);
    const fromBalancePence = leg.amountPence - againPence;
    twicePence = Math.max(0, twicePence - fromBalancePence);
    mostPence -= againPence;
    const parts: Leg[] = [
      { ...leg, amountPence: pence(againPence) },
      { ...leg, amountPence: pence(fromBalancePence), orderId: null, debit: 'customer_balance' },
    ];
    return parts.filter(({ amountPence }) => amountPence > 0);
  });
  const ofOrder = split.filter(({ orderId }) => orderId !== null);
  const sumOf = (of: readonly Leg[]): Pence => sumPence(of.map(({ amountPence }) => amountPence));
  const change = {
    againPence: sumOf(ofOrder.filter((leg) => takesBack(leg, collections))),
    collectedPence: sumOf(ofOrder.filter(({ debit }) => debit === 'bank')),
    postedAt: first.posted_at,
  };
  return { legs: split, change };
}

/** Whether a leg takes a collection back; otherwise it takes such a correction back. */
function takesBack({ correctsId, credit }: Leg, collections: readonly CollectionRow[]): boolean {
  return credit === 'bank' && collections.some(({ id }) => id === correctsId);
}
