import type { Db } from '../lib/db.ts';
import { newId, type Uuid } from '../lib/ids.ts';
import { insertTask, insertTaskOnce } from './task-sql.ts';

/** A matter that a person must look at, such as a returned direct debit or a cancel after a start. */
export type NewTask = {
  readonly accountId: Uuid;
  readonly orderId: Uuid | null;
  /** Machine-readable, one word: `payment_returned`, `cancelled_after_start`. */
  readonly kind: string;
  /** What happened and what to do about it, for a person. */
  readonly note: string;
};

/**
 * Opens a task for the operators in the caller's transaction. Returns its id.
 * The task exists exactly if the change that causes it is committed.
 */
export async function openTask(tx: Db, task: NewTask, now: Date): Promise<Uuid> {
  const id = newId(now.getTime());
  await insertTask(tx, { ...task, id, openedAt: now });
  return id;
}

/**
 * As `openTask`, but a no-op if the order ever had a task of the same kind and note, open or closed.
 * The caller holds the lock of the order.
 */
export async function openTaskOnce(tx: Db, task: NewTask, now: Date): Promise<void> {
  await insertTaskOnce(tx, { ...task, id: newId(now.getTime()), openedAt: now });
}
