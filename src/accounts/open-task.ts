import type { Db } from '../lib/db.ts';
import { newId, type Uuid } from '../lib/ids.ts';
import { insertTask, insertTaskOnce } from './task-sql.ts';

/** Something that a person has to look at, such as a direct debit that came back or a cancel after a start. */
export type NewTask = {
  readonly accountId: Uuid;
  readonly orderId: Uuid | null;
  /** One word for programs: `payment_returned`, `cancelled_after_start`. */
  readonly kind: string;
  /** What happened and what to do about it, for a person. */
  readonly note: string;
};

/** Opens a task for the operators in the caller's transaction: it is there exactly when what it tells of has happened. */
export async function openTask(tx: Db, task: NewTask, now: Date): Promise<Uuid> {
  const id = newId(now.getTime());
  await insertTask(tx, { ...task, id, openedAt: now });
  return id;
}

/**
 * As `openTask`, but a task of the same order, kind and words is opened once, and not again after somebody has closed it. The caller
 * holds the lock of the order.
 */
export async function openTaskOnce(tx: Db, task: NewTask, now: Date): Promise<void> {
  await insertTaskOnce(tx, { ...task, id: newId(now.getTime()), openedAt: now });
}
