import { type Db, statement } from '../lib/db.ts';
import type { Uuid } from '../lib/ids.ts';

// What operators have to look at, and the accounts they ask about: of all accounts, for operators alone.

const INSERT_TASK = statement<never>(
  'accounts_insert_task',
  'insert into ops_task (id, account_id, order_id, kind, note, opened_at) values ($1, $2, $3, $4, $5, $6)',
);

/** Writes an open task. */
export async function insertTask(
  db: Db,
  task: { id: Uuid; accountId: Uuid; orderId: Uuid | null; kind: string; note: string; openedAt: Date },
): Promise<void> {
  await db.all(INSERT_TASK, [task.id, task.accountId, task.orderId, task.kind, task.note, task.openedAt]);
}

export type TaskRow = {
  id: Uuid;
  account_id: Uuid;
  order_id: Uuid | null;
  kind: string;
  note: string;
  opened_at: Date;
  closed_at: Date | null;
};

const TASK_COLUMNS = 'id, account_id, order_id, kind, note, opened_at, closed_at';

const OPEN_TASKS = statement<TaskRow>(
  'accounts_open_tasks',
  `select ${TASK_COLUMNS} from ops_task where closed_at is null and id < $1 order by id desc limit $2`,
);

/** A page of the open tasks, the newest first, from after `before`. */
export async function listOpenTasks(db: Db, page: { before: Uuid; limit: number }): Promise<TaskRow[]> {
  return db.all(OPEN_TASKS, [page.before, page.limit]);
}

const TASK = statement<TaskRow>('accounts_task', `select ${TASK_COLUMNS} from ops_task where id = $1`);

/** A task by its id, open or closed. */
export async function findTask(db: Db, id: Uuid): Promise<TaskRow | undefined> {
  return db.one(TASK, [id]);
}

const CLOSE_TASK = statement<TaskRow>(
  'accounts_close_task',
  `update ops_task set closed_at = $2 where id = $1 and closed_at is null returning ${TASK_COLUMNS}`,
);

/** Closes a task; undefined when it is closed already or not there. */
export async function closeTaskRow(db: Db, id: Uuid, now: Date): Promise<TaskRow | undefined> {
  return db.one(CLOSE_TASK, [id, now]);
}

export type OpsAccountRow = {
  id: Uuid;
  name: string;
  vat_status: string;
  balance_pence: number;
  payment_method: 'card' | 'direct_debit' | null;
  suspended_at: Date | null;
  created_at: Date;
};

const OPS_ACCOUNT = statement<OpsAccountRow>(
  'accounts_ops_account',
  `select a.id, a.name, a.vat_status, b.balance_pence, m.kind as payment_method, a.suspended_at, a.created_at
   from account a join account_balance b on b.account_id = a.id left join payment_method m on m.account_id = a.id
   where a.id = $1`,
);

/** An account as operators see it. */
export async function findOpsAccount(db: Db, id: Uuid): Promise<OpsAccountRow | undefined> {
  return db.one(OPS_ACCOUNT, [id]);
}
