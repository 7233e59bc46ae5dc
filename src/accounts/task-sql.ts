import { type Db, statement } from '../lib/db.ts';
import { FIRST_ID, type Uuid } from '../lib/ids.ts';
import type { BillingRow } from './billing-identity/sql.ts';
import type { VatStatus } from './vat-number.ts';

// Tasks and accounts as operators see them: of all accounts, for operators alone.

const INSERT_TASK = statement<never>(
  'accounts_insert_task',
  'insert into ops_task (id, account_id, order_id, kind, note, opened_at, due_at) values ($1, $2, $3, $4, $5, $6, $7)',
);

const INSERT_TASK_IF_NEW = statement<never>(
  'accounts_insert_task_if_new',
  `insert into ops_task (id, account_id, order_id, kind, note, opened_at) values ($1, $2, $3, $4, $5, $6)
   on conflict do nothing`,
);

/** Writes an open task, unless one has its id. */
export async function insertTaskIfNew(
  db: Db,
  task: { id: Uuid; accountId: Uuid; orderId: Uuid | null; kind: string; note: string; openedAt: Date },
): Promise<void> {
  await db.all(INSERT_TASK_IF_NEW, [task.id, task.accountId, task.orderId, task.kind, task.note, task.openedAt]);
}

/** Writes an open task. */
export async function insertTask(
  db: Db,
  task: {
    id: Uuid;
    accountId: Uuid;
    orderId: Uuid | null;
    kind: string;
    note: string;
    openedAt: Date;
    dueAt: Date | null;
  },
): Promise<void> {
  const { id, accountId, orderId, kind, note, openedAt, dueAt } = task;
  await db.all(INSERT_TASK, [id, accountId, orderId, kind, note, openedAt, dueAt]);
}

const INSERT_TASKS = statement<never>(
  'accounts_insert_tasks',
  `insert into ops_task (id, account_id, order_id, kind, note, opened_at)
   select t.id, $1, t.order_id, $2, t.note, $3 from unnest($4::uuid[], $5::uuid[], $6::text[]) as t(id, order_id, note)`,
);

/** Writes open tasks of one kind and account, in one statement. */
export async function insertTasks(
  tx: Db,
  of: { accountId: Uuid; kind: string; openedAt: Date },
  tasks: readonly { id: Uuid; orderId: Uuid; note: string }[],
): Promise<void> {
  const columns = [tasks.map(({ id }) => id), tasks.map(({ orderId }) => orderId), tasks.map(({ note }) => note)];
  await tx.all(INSERT_TASKS, [of.accountId, of.kind, of.openedAt, ...columns]);
}

const INSERT_TASK_ONCE = statement<never>(
  'accounts_insert_task_once',
  `insert into ops_task (id, account_id, order_id, kind, note, opened_at)
   select $1, $2, $3, $4, $5, $6
   where not exists (select from ops_task where account_id = $2 and order_id = $3 and kind = $4 and note = $5)`,
);

/** Writes an open task, unless the same task was ever written for its order. */
export async function insertTaskOnce(
  tx: Db,
  task: { id: Uuid; accountId: Uuid; orderId: Uuid | null; kind: string; note: string; openedAt: Date },
): Promise<void> {
  await tx.all(INSERT_TASK_ONCE, [task.id, task.accountId, task.orderId, task.kind, task.note, task.openedAt]);
}

export type TaskRow = {
  id: Uuid;
  account_id: Uuid;
  order_id: Uuid | null;
  kind: string;
  note: string;
  opened_at: Date;
  due_at: Date | null;
  closed_at: Date | null;
};

const TASK_COLUMNS = 'id, account_id, order_id, kind, note, opened_at, due_at, closed_at';

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

const CLOSE_TASKS_OF = statement<never>(
  'accounts_close_tasks_of',
  'update ops_task set closed_at = $4 where order_id = $2 and account_id = $1 and kind = $3 and closed_at is null',
);

/** Closes the open tasks of a kind that an order has. */
export async function closeTaskRowsOf(
  tx: Db,
  of: { accountId: Uuid; orderId: Uuid; kind: string },
  now: Date,
): Promise<void> {
  await tx.all(CLOSE_TASKS_OF, [of.accountId, of.orderId, of.kind, now]);
}

const CLOSE_TASKS = statement<never>(
  'accounts_close_tasks',
  'update ops_task set closed_at = $2 where id = any($1::uuid[]) and closed_at is null',
);

/** Closes those of the given tasks that are open. */
export async function closeTaskRows(tx: Db, ids: readonly Uuid[], now: Date): Promise<void> {
  await tx.all(CLOSE_TASKS, [ids, now]);
}

export type OpsAccountRow = {
  id: Uuid;
  name: string;
  vat_status: VatStatus;
  vat_number: string;
  eori_number: string;
  ioss_number: string;
  balance_pence: number;
  payment_method: 'card' | 'direct_debit' | null;
  billing: BillingRow | null;
  suspended_at: Date | null;
  suspended_reason: string | null;
  created_at: Date;
};

const OPS_ACCOUNTS = `
   select a.id, a.name, a.vat_status, a.vat_number, a.eori_number, a.ioss_number, b.balance_pence, m.kind as payment_method,
     to_json(i) as billing, a.suspended_at, a.suspended_reason, a.created_at
   from account a join account_balance b on b.account_id = a.id left join payment_method m on m.account_id = a.id
     left join account_billing i on i.account_id = a.id`;

const OPS_ACCOUNT = statement<OpsAccountRow>('accounts_ops_account', `${OPS_ACCOUNTS} where a.id = $1`);

/** An account as operators see it. */
export async function findOpsAccount(db: Db, id: Uuid): Promise<OpsAccountRow | undefined> {
  return db.one(OPS_ACCOUNT, [id]);
}

// All names that begin with a text lie between the text and the text followed by the greatest code point.
const accountList = (name: string, which: string) =>
  statement<OpsAccountRow>(
    name,
    `with begin as (select lower(name) collate "C" as name, id from account where id = $2)
   ${OPS_ACCOUNTS}
   where ${which} lower(a.name) collate "C" >= lower($1::text) collate "C"
     and lower(a.name) collate "C" < lower($1::text) || chr(1114111) collate "C"
     and (lower(a.name) collate "C", a.id) > (
       coalesce((select name from begin), ''), coalesce((select id from begin), '${FIRST_ID}'::uuid))
   order by lower(a.name) collate "C", a.id limit $3`,
  );

const OPS_ACCOUNT_LIST = accountList('accounts_ops_account_list', '');
const OPS_ACCOUNTS_WITHOUT_BILLING = accountList('accounts_ops_accounts_without_billing', 'not a.has_billing and');

/** A page of the accounts whose name begins with a text, in any case. */
export type AccountPage = { readonly name: string; readonly after: Uuid | undefined; readonly limit: number };

/** Accounts in the order of their names. The page begins after `after`. */
export async function listOpsAccountRows(db: Db, page: AccountPage): Promise<OpsAccountRow[]> {
  return db.all(OPS_ACCOUNT_LIST, [page.name, page.after ?? null, page.limit]);
}

/** As `listOpsAccountRows`, of the accounts whose billing identity is not known. */
export async function listAccountsWithoutBilling(db: Db, page: AccountPage): Promise<OpsAccountRow[]> {
  return db.all(OPS_ACCOUNTS_WITHOUT_BILLING, [page.name, page.after ?? null, page.limit]);
}

export type AccountTaxRow = { vat_status: VatStatus; vat_number: string; eori_number: string; ioss_number: string };

const LOCK_TAX = statement<AccountTaxRow>(
  'accounts_lock_tax',
  'select vat_status, vat_number, eori_number, ioss_number from account where id = $1 for no key update',
);

/** Locks an account and reads what it is for VAT and customs. */
export async function lockAccountTax(tx: Db, id: Uuid): Promise<AccountTaxRow | undefined> {
  return tx.one(LOCK_TAX, [id]);
}

const UPDATE_TAX = statement<never>(
  'accounts_update_tax',
  'update account set vat_status = $2, vat_number = $3, eori_number = $4, ioss_number = $5 where id = $1',
);

/** Sets what a locked account is for VAT and customs. */
export async function updateAccountTax(tx: Db, id: Uuid, tax: AccountTaxRow): Promise<void> {
  await tx.all(UPDATE_TAX, [id, tax.vat_status, tax.vat_number, tax.eori_number, tax.ioss_number]);
}
