import type { Context } from '../lib/context.ts';
import { noSuch } from '../lib/errors.ts';
import { OPERATOR_ROLES } from '../lib/operator.ts';
import { type OpsRoute, route } from '../lib/route.ts';
import { idOr, operatorActor } from './access/act-on-access.ts';
import { changeBillingIdentity } from './billing-identity/change-billing.ts';
import { ChangeBillingBody } from './billing-identity/schema.ts';
import { changeAccount } from './change-account.ts';
import { closeTask } from './close-task.ts';
import {
  AuditPage,
  ChangeAccountBody,
  ListAccountsQuery,
  ListAuditQuery,
  ListTasksQuery,
  OpsAccount,
  OpsAccountPage,
  OpsAccountParams,
  Task,
  TaskPage,
  TaskParams,
} from './ops-schema.ts';
import { getOpsAccount, listAudit, listOpsAccounts, listTasks } from './read-for-ops.ts';

export const accountsOpsRoutes: readonly OpsRoute<Context>[] = [
  route({
    method: 'GET',
    path: '/tasks',
    access: { roles: OPERATOR_ROLES },
    operationId: 'listTasks',
    summary: 'List open tasks',
    description: [
      'Open tasks of all accounts, such as a returned direct debit or a cancellation after production has',
      'started.',
    ].join(' '),
    query: ListTasksQuery,
    replies: { 200: TaskPage },
    csv: 'data',
    handle: async (ctx, _operator, { query }) => ({ status: 200, body: await listTasks(ctx, query) }),
  }),
  route({
    method: 'POST',
    path: '/tasks/:id/close',
    access: { roles: ['production', 'finance'] },
    operationId: 'closeTask',
    summary: 'Close a task',
    params: TaskParams,
    replies: { 200: Task },
    handle: async (ctx, operator, { params, once }) => ({
      status: 200,
      body: await closeTask(ctx, operator, { id: params.id, once }),
    }),
  }),
  route({
    method: 'GET',
    path: '/audit',
    access: { roles: OPERATOR_ROLES },
    operationId: 'listAudit',
    summary: 'Fetch the audit log',
    description: [
      'Every action of every operator, newest first, and what commands of `platen` did to access. Entries are never',
      'changed and never deleted: they are kept as long as the database.',
    ].join(' '),
    query: ListAuditQuery,
    replies: { 200: AuditPage },
    csv: 'data',
    handle: async (ctx, _operator, { query }) => ({ status: 200, body: await listAudit(ctx, query) }),
  }),
  route({
    method: 'GET',
    path: '/accounts',
    access: { roles: OPERATOR_ROLES },
    operationId: 'listAccounts',
    summary: 'List accounts',
    description: [
      'Sorted by name: all accounts, those whose name starts with a given text, or those that lack the name and address of',
      'their invoices.',
    ].join(' '),
    query: ListAccountsQuery,
    replies: { 200: OpsAccountPage },
    csv: 'data',
    handle: async (ctx, _operator, { query }) => ({ status: 200, body: await listOpsAccounts(ctx, query) }),
  }),
  route({
    method: 'GET',
    path: '/accounts/:id',
    access: { roles: OPERATOR_ROLES },
    operationId: 'getAccount',
    summary: 'Fetch an account',
    params: OpsAccountParams,
    replies: { 200: OpsAccount },
    handle: async (ctx, _operator, { params }) => ({ status: 200, body: await getOpsAccount(ctx, params.id) }),
  }),
  route({
    method: 'PATCH',
    path: '/accounts/:id',
    access: { roles: ['finance'] },
    operationId: 'changeAccount',
    summary: 'Change the VAT details of an account',
    description: 'The VAT number and status. They apply to orders charged and invoices issued from now on.',
    params: OpsAccountParams,
    body: ChangeAccountBody,
    replies: { 200: OpsAccount },
    handle: async (ctx, operator, { params, body, once }) => ({
      status: 200,
      body: await changeAccount(ctx, operator, params.id, { body, once }),
    }),
  }),
  route({
    method: 'PATCH',
    path: '/accounts/:id/billing',
    access: { roles: ['finance'] },
    operationId: 'changeBilling',
    summary: 'Change the billing identity of an account',
    description: [
      'Whom its invoices are addressed to: legal name, address, company number and contact for accounts. The first change needs name and address; later',
      'ones change what is sent. Invoices issued from now on have them; issued documents never change.',
    ].join(' '),
    params: OpsAccountParams,
    body: ChangeBillingBody,
    replies: { 200: OpsAccount },
    handle: async (ctx, operator, { params, body, once }) => {
      const id = idOr(noSuch('account'), 'acct', params.id);
      await changeBillingIdentity(ctx, operatorActor(operator, once), id, body);
      return { status: 200, body: await getOpsAccount(ctx, params.id) };
    },
  }),
];
