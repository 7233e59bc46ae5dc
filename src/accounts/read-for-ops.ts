import type { Context } from '../lib/context.ts';
import { noSuch } from '../lib/errors.ts';
import { LAST_ID, parseId, parseOrderReference, type Uuid } from '../lib/ids.ts';
import { type Page, readPage, toPage } from '../lib/paging.ts';
import { findOrderOfReference, listOperatorActions } from './operator-sql.ts';
import type { AuditEntry, ListAccountsQuery, ListAuditQuery, ListTasksQuery, OpsAccount, Task } from './ops-schema.ts';
import { auditView, opsAccountView, taskView } from './ops-view.ts';
import { findOpsAccount, listAccountsWithoutBilling, listOpenTasks, listOpsAccountRows } from './task-sql.ts';

type ReadContext = Pick<Context, 'database'>;

/** A page of the open tasks of all accounts, newest first. */
export async function listTasks(ctx: ReadContext, query: ListTasksQuery): Promise<Page<Task>> {
  const { limit, after } = readPage('task', query);
  const rows = await listOpenTasks(ctx.database, { before: after ?? BEGINNING, limit: limit + 1 });
  return toPage(rows, limit, taskView, (task) => task.id);
}

/**
 * A page of the audit log, newest first.
 * A filter that is neither the id nor the reference of an order gives an empty page.
 */
export async function listAudit(ctx: ReadContext, query: ListAuditQuery): Promise<Page<AuditEntry>> {
  const { limit, after } = readPage('act', query);
  const orderId = query.order === undefined ? undefined : await orderIdOf(ctx, query.order);
  if (query.order !== undefined && orderId === undefined) return { data: [], has_more: false, next_cursor: null };
  const rows = await listOperatorActions(ctx.database, { before: after ?? BEGINNING, limit: limit + 1, orderId });
  return toPage(rows, limit, auditView, (entry) => entry.id);
}

async function orderIdOf(ctx: ReadContext, idOrReference: string): Promise<Uuid | undefined> {
  const reference = parseOrderReference(idOrReference);
  return reference === undefined ? parseId('ord', idOrReference) : findOrderOfReference(ctx.database, reference);
}

const BEGINNING = LAST_ID as Uuid;

/**
 * A page of the accounts whose name begins with a text, in the order of their names.
 * All accounts when no text is given, or those that lack a billing identity.
 */
export async function listOpsAccounts(ctx: ReadContext, query: ListAccountsQuery): Promise<Page<OpsAccount>> {
  const { limit, after } = readPage('acct', query);
  const page = { name: query.name ?? '', after, limit: limit + 1 };
  const rows = await (query.lacks === undefined
    ? listOpsAccountRows(ctx.database, page)
    : listAccountsWithoutBilling(ctx.database, page));
  return toPage(rows, limit, opsAccountView, (account) => account.id);
}

/** An account with its balance. Throws 404 for an unknown one. */
export async function getOpsAccount(ctx: ReadContext, id: string): Promise<OpsAccount> {
  const accountId = parseId('acct', id);
  const account = accountId === undefined ? undefined : await findOpsAccount(ctx.database, accountId);
  if (account === undefined) throw noSuch('account');
  return opsAccountView(account);
}
