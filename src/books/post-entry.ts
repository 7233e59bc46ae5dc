import { closeTasksOf } from '../accounts/close-task.ts';
import { lockBalances, postEntry, readAccountReceivable, readReceivable, readWrittenOff } from '../billing/ledger.ts';
import { type Db, hasSqlState } from '../lib/db.ts';
import { ApiError, noSuch } from '../lib/errors.ts';
import { HOUSE, publicId, type Uuid } from '../lib/ids.ts';
import { pence, poundsText, sumPence } from '../lib/money.ts';
import { moveOrder } from '../orders/move-order.ts';
import type { LockedOrder } from '../orders/move-sql.ts';
import { lockForOps } from '../orders/operate.ts';
import { PAYMENT_RETURNED } from '../payments/disputes/returned.ts';
import { collectAgain, reopenCollected } from '../payments/disputes/uncollected.ts';
import { type CollectionChange, splitCollection } from './collections.ts';
import type { BooksContext } from './context.ts';
import { lockLeftToCorrect, releaseReferences } from './entries-sql.ts';
import type { EntryKind } from './entry-kinds.ts';
import { coverShortfall, type Leg, takenFromBalance } from './plan.ts';

/** What is posted for an entry. */
export type ToPost = {
  readonly id: Uuid;
  readonly kind: EntryKind;
  readonly reason: string;
  readonly orderId: Uuid | null;
  readonly legs: readonly Leg[];
  readonly shortfall: 'refuse' | 'receivable';
  /** Who posts it, for the history of an order. */
  readonly actor: string;
};

const UNIQUE_VIOLATION = '23505';

/**
 * Posts an entry in the caller's transaction, as the books are now.
 * Throws as `judgeLegs`, and 409 for a top-up that the other account has already.
 */
export async function postLegs(
  ctx: Pick<BooksContext, 'config' | 'wakeDeliveries'>,
  tx: Db,
  entry: ToPost,
  now: Date,
): Promise<void> {
  const { order, corrected, legs, change } = await judgeLegs(tx, entry);
  try {
    for (const part of partsOf(legs)) await postEntry(tx, { entryId: entry.id, ...part, now });
  } catch (error) {
    if (!hasSqlState(error, UNIQUE_VIOLATION)) throw error;
    throw new ApiError(
      'conflict',
      'The account to which the top-up would be moved has a top-up of this reference already.',
    );
  }
  await releaseReferences(tx, corrected);
  if (order === undefined) return;
  const { account_id: accountId, id: orderId } = order;
  const action =
    entry.kind === 'write_off' ? 'write_off' : change === undefined ? 'correct_write_off' : 'correct_collection';
  const move = { to: order.state, action, actor: entry.actor, reason: entry.reason, events: [] };
  const moved = await moveOrder(tx, ctx.config, order, move, now);
  if (change !== undefined) {
    const { againPence, collectedPence, postedAt } = change;
    await reopenCollected(ctx, tx, { order: moved, amountPence: againPence, postedAt }, now);
    await collectAgain(tx, { order: moved, amountPence: collectedPence, postedAt }, now);
  }
  if ((await readReceivable(tx, accountId, orderId)) > 0) return;
  await closeTasksOf(tx, { accountId, orderId, kind: PAYMENT_RETURNED }, now);
}

type Judged = {
  readonly order: LockedOrder | undefined;
  /** The entries whose postings are corrected. */
  readonly corrected: Uuid[];
  readonly legs: readonly Leg[];
  readonly change: CollectionChange | undefined;
};

/**
 * Judges what an entry would post by the books as they are now.
 * Returns its legs with what a balance does not cover as a receivable, where the entry asks for that.
 * Locks the order, the corrected postings, then the balances by account. Throws 409 when more would be corrected than
 * is left, when a balance does not cover what is taken from it, and when more would be given up or collected than a
 * customer owes, or taken back of a write-off than is left of it; 404 for an unknown account.
 */
export async function judgeLegs(tx: Db, entry: Pick<ToPost, 'orderId' | 'legs' | 'shortfall'>): Promise<Judged> {
  const order = entry.orderId === null ? undefined : await lockForOps(tx, entry.orderId);
  const corrected = await refuseOverCorrected(tx, entry.legs);
  const { legs: split, change } = await splitCollection(tx, order, entry.legs);
  const accountIds = [...new Set(entry.legs.flatMap(({ accountId }) => (accountId === HOUSE ? [] : [accountId])))];
  const balances = await lockBalances(tx, accountIds.toSorted());
  let legs = split;
  for (const accountId of accountIds) {
    const balancePence = balances.get(accountId);
    if (balancePence === undefined) throw noSuch('account');
    const takenPence = takenFromBalance(legs, accountId);
    if (takenPence > balancePence && entry.shortfall === 'refuse') {
      throw new ApiError(
        'conflict',
        `The balance of ${publicId('acct', accountId)} is £${poundsText(balancePence)}, and £${poundsText(takenPence)} would be taken from it. Take less, or let a correction book what is missing as a receivable (shortfall: receivable).`,
      );
    }
    legs = coverShortfall(legs, accountId, balancePence);
  }
  await refuseAboveReceivable(tx, legs);
  await refuseAboveWrittenOff(tx, legs);
  return { order, corrected, legs, change };
}

/** Returns the entries whose postings are corrected. */
async function refuseOverCorrected(tx: Db, legs: readonly Leg[]): Promise<Uuid[]> {
  const correcting = legs.flatMap(({ correctsId, accountId, amountPence }) =>
    correctsId === null ? [] : [{ correctsId, accountId, amountPence }],
  );
  if (correcting.length === 0) return [];
  const accounts = [...new Set(correcting.map(({ accountId }) => accountId))];
  const left = await lockLeftToCorrect(tx, accounts, [...new Set(correcting.map(({ correctsId }) => correctsId))]);
  for (const { correctsId, amountPence } of correcting) {
    const leftPence = left.find(({ id }) => id === correctsId)?.left_pence ?? 0;
    if (amountPence <= leftPence) continue;
    throw new ApiError(
      'conflict',
      `Of the posting ${publicId('pst', correctsId)} £${poundsText(pence(leftPence))} is left to correct, and this would correct £${poundsText(amountPence)}.`,
    );
  }
  return left.flatMap(({ book_entry_id: id }) => id ?? []);
}

/** A receivable is given up or collected at most as far as it is owed. */
async function refuseAboveReceivable(tx: Db, legs: readonly Leg[]): Promise<void> {
  for (const part of partsOf(legs.filter(({ credit }) => credit === 'receivables'))) {
    const owedPence = await (part.orderId === null
      ? readAccountReceivable(tx, part.accountId)
      : readReceivable(tx, part.accountId, part.orderId));
    const amountPence = sumPence(part.postings.map((posting) => posting.amountPence));
    if (amountPence <= owedPence) continue;
    const what = part.orderId === null ? 'apart from its orders' : `for the order ${publicId('ord', part.orderId)}`;
    const isCollected = part.postings.some(({ debit }) => debit === 'bank');
    const cure = isCollected
      ? ` What came by bank above that is a top-up: POST /accounts/${publicId('acct', part.accountId)}/credits.`
      : '';
    throw new ApiError(
      'conflict',
      `The customer owes £${poundsText(owedPence)} ${what}, and this is about £${poundsText(amountPence)}.${cure}`,
    );
  }
}

/** A write-off of an order's debt is taken back at most as far as nothing else has undone it. */
async function refuseAboveWrittenOff(tx: Db, legs: readonly Leg[]): Promise<void> {
  for (const part of partsOf(legs.filter(({ credit }) => credit === 'written_off'))) {
    if (part.orderId === null) continue;
    const leftPence = await readWrittenOff(tx, part.accountId, part.orderId);
    const amountPence = sumPence(part.postings.map((posting) => posting.amountPence));
    if (amountPence <= leftPence) continue;
    throw new ApiError(
      'conflict',
      `Of the debt for the order ${publicId('ord', part.orderId)} £${poundsText(leftPence)} is still written off, and this is about £${poundsText(amountPence)}: a won dispute or a refund has undone the rest.`,
    );
  }
}

/** The legs of each account and order, in their order. */
function partsOf(legs: readonly Leg[]) {
  const keys = [...new Set(legs.map(({ accountId, orderId }) => `${accountId} ${orderId}`))];
  return keys.flatMap((key) => {
    const postings = legs.filter(({ accountId, orderId }) => `${accountId} ${orderId}` === key);
    const [first] = postings;
    return first === undefined ? [] : [{ accountId: first.accountId, orderId: first.orderId, postings }];
  });
}
