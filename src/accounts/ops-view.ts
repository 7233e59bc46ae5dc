import { isoTime } from '../lib/clock.ts';
import { HOUSE, publicId } from '../lib/ids.ts';
import { pence, toPounds } from '../lib/money.ts';
import { billingView } from './billing-identity/view.ts';
import type { ActionRow } from './operator-sql.ts';
import type { AuditEntry, OpsAccount, Task } from './ops-schema.ts';
import type { OpsAccountRow, TaskRow } from './task-sql.ts';

/** A task as operators see it. */
export function taskView(task: TaskRow): Task {
  return {
    id: publicId('task', task.id),
    account_id: task.account_id === HOUSE ? null : publicId('acct', task.account_id),
    order_id: task.order_id && publicId('ord', task.order_id),
    kind: task.kind,
    note: task.note,
    opened_at: isoTime(task.opened_at),
    due_at: task.due_at && isoTime(task.due_at),
    closed_at: task.closed_at && isoTime(task.closed_at),
  };
}

/** A row of the audit log. */
export function auditView(action: ActionRow): AuditEntry {
  return {
    id: publicId('act', action.id),
    operator: action.operator_email ?? ('os_user' in action.detail ? 'command line' : 'portal'),
    action: action.action,
    order_id: action.order_id && publicId('ord', action.order_id),
    detail: action.detail,
    idempotency_key: action.idempotency_key,
    at: isoTime(action.created_at),
  };
}

/** An account with its balance. */
export function opsAccountView(account: OpsAccountRow): OpsAccount {
  return {
    id: publicId('acct', account.id),
    name: account.name,
    balance_gbp: toPounds(pence(account.balance_pence)),
    payment_method: account.payment_method,
    vat_status: account.vat_status,
    vat_number: account.vat_number,
    eori_number: account.eori_number,
    ioss_number: account.ioss_number,
    billing: account.billing === null ? null : billingView(account.billing),
    suspended: account.suspended_at !== null,
    suspended_at: account.suspended_at && isoTime(account.suspended_at),
    suspended_reason: account.suspended_reason,
    created_at: isoTime(account.created_at),
  };
}
