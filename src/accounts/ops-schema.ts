import { type Static, Type } from 'typebox';
import { pageQuery } from '../lib/paging.ts';
import { Money, nullable, oneOf, pageSchema, Timestamp } from '../lib/schemas.ts';

/** Something that a person has to look at. */
export const Task = Type.Object(
  {
    id: Type.String(),
    account_id: Type.String(),
    order_id: nullable(Type.String()),
    kind: Type.String({ description: 'One word for programs.' }),
    note: Type.String({ description: 'What happened and what to do about it.' }),
    opened_at: Timestamp,
    closed_at: nullable(Timestamp),
  },
  { title: 'Task' },
);
export type Task = Static<typeof Task>;
export const TaskPage = pageSchema(Task);
export const TaskParams = Type.Object({ id: Type.String({ description: 'The task.' }) });
export const ListTasksQuery = Type.Object(pageQuery('task'));
export type ListTasksQuery = Static<typeof ListTasksQuery>;

/** What an operator did. */
export const AuditEntry = Type.Object(
  {
    id: Type.String(),
    operator: Type.String({ description: 'The address of the operator.' }),
    action: Type.String(),
    order_id: nullable(Type.String()),
    detail: Type.Object(
      {},
      { description: 'What was asked, in the words of the request.', additionalProperties: true },
    ),
    idempotency_key: nullable(Type.String()),
    at: Timestamp,
  },
  { title: 'AuditEntry' },
);
export type AuditEntry = Static<typeof AuditEntry>;
export const AuditPage = pageSchema(AuditEntry);
export const ListAuditQuery = Type.Object({
  ...pageQuery('act'),
  order: Type.Optional(Type.String({ maxLength: 100, description: 'Only what was done to the order of this id.' })),
});
export type ListAuditQuery = Static<typeof ListAuditQuery>;

/** A customer account as operators see it. */
export const OpsAccount = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    balance_gbp: { ...Money, description: 'What is left of what was paid in.' },
    payment_method: nullable(
      oneOf(['card', 'direct_debit'], { description: 'What is charged once the balance is used up.' }),
    ),
    vat_status: Type.String(),
    suspended_at: nullable(Timestamp),
    created_at: Timestamp,
  },
  { title: 'OpsAccount' },
);
export type OpsAccount = Static<typeof OpsAccount>;
export const OpsAccountParams = Type.Object({ id: Type.String({ description: 'The account.' }) });
