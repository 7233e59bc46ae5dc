import { createHash } from 'node:crypto';
import type { Db } from '../lib/db.ts';
import { firstIdAt, HOUSE, newId, type Uuid } from '../lib/ids.ts';
import { insertTask, insertTaskIfNew, insertTaskOnce, insertTasks } from './task-sql.ts';

/** A matter that a person must look at, such as a returned direct debit or a cancel after a start. */
export type NewTask = {
  readonly accountId: Uuid;
  readonly orderId: Uuid | null;
  /** Machine-readable, one word: `payment_returned`, `cancelled_after_start`. */
  readonly kind: string;
  /** What happened and what to do about it, for a person. */
  readonly note: string;
  /** Until when it is to be done, where a customer was promised that. */
  readonly dueAt?: Date;
};

/**
 * Opens a task for the operators in the caller's transaction. Returns its id.
 * The task exists exactly if the change that causes it is committed.
 */
export async function openTask(tx: Db, task: NewTask, now: Date): Promise<Uuid> {
  const id = newId(now.getTime());
  await insertTask(tx, { dueAt: null, ...task, id, openedAt: now });
  return id;
}

/** As `openTask`, for any number of orders in one statement. Returns their ids in the order given. */
export async function openTasks(
  tx: Db,
  of: { readonly accountId: Uuid; readonly kind: string },
  about: readonly { readonly orderId: Uuid; readonly note: string }[],
  now: Date,
): Promise<Uuid[]> {
  const tasks = about.map((task) => ({ ...task, id: newId(now.getTime()) }));
  await insertTasks(tx, { ...of, openedAt: now }, tasks);
  return tasks.map(({ id }) => id);
}

/**
 * Opens a task that belongs to no account, at most one of its kind a day in UTC.
 * Its id is made from the day and the kind, so that any number of calls and nodes open it once.
 */
export async function openHouseTask(db: Db, task: Pick<NewTask, 'kind' | 'note'>, now: Date): Promise<void> {
  const id = houseTaskId(task.kind, now);
  await insertTaskIfNew(db, { ...task, id, accountId: HOUSE, orderId: null, openedAt: now });
}

const DAY_MS = 86_400_000;

function houseTaskId(kind: string, now: Date): Uuid {
  const day = firstIdAt(new Date(Math.floor(now.getTime() / DAY_MS) * DAY_MS));
  return `${day.slice(0, -12)}${createHash('sha256').update(kind).digest('hex').slice(0, 12)}` as Uuid;
}

/**
 * As `openTask`, but a no-op if the order ever had a task of the same kind and note, open or closed.
 * The caller holds the lock of the order.
 */
export async function openTaskOnce(tx: Db, task: NewTask, now: Date): Promise<void> {
  await insertTaskOnce(tx, { ...task, id: newId(now.getTime()), openedAt: now });
}
