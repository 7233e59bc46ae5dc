import { pageQuery } from '../lib/paging.ts';
import { EoriNumber, IossNumber, Money, nullable, oneOf, pageSchema, Timestamp } from '../lib/schemas.ts';
import { type Static, Type } from '../lib/typebox.ts';
import { BillingIdentity } from './billing-identity/schema.ts';
import { VAT_STATUSES } from './vat-number.ts';

/** A matter that a person must look at. */
export const Task = Type.Object(
  {
    id: Type.String(),
    account_id: nullable(Type.String({ description: 'Null for a matter of the print shop itself.' })),
    order_id: nullable(Type.String()),
    kind: Type.String({ description: 'Machine-readable, one word.' }),
    note: Type.String({ description: 'What happened and what to do about it.' }),
    opened_at: Timestamp,
    due_at: nullable({ ...Timestamp, description: 'Until when it is to be done, where a customer was promised that.' }),
    closed_at: nullable(Timestamp),
  },
  { title: 'Task' },
);
export type Task = Static<typeof Task>;
export const TaskPage = pageSchema(Task);
export const TaskParams = Type.Object({ id: Type.String({ description: 'The task.' }) });
export const ListTasksQuery = Type.Object(pageQuery('task'));
export type ListTasksQuery = Static<typeof ListTasksQuery>;

/** One action of an operator. */
export const AuditEntry = Type.Object(
  {
    id: Type.String(),
    operator: Type.String({
      description:
        'The address of the operator; `command line` for a command of `platen`: detail.os_user ran it; `portal` for what a person of the account did: detail.user_id.',
    }),
    action: Type.String(),
    order_id: nullable(Type.String()),
    detail: Type.Object({}, { description: 'The members of the request.', additionalProperties: true }),
    idempotency_key: nullable(Type.String()),
    at: Timestamp,
  },
  { title: 'AuditEntry' },
);
export type AuditEntry = Static<typeof AuditEntry>;
export const AuditPage = pageSchema(AuditEntry);
export const ListAuditQuery = Type.Object({
  ...pageQuery('act'),
  order: Type.Optional(
    Type.String({ maxLength: 100, description: 'Only actions on the order with this id or reference.' }),
  ),
});
export type ListAuditQuery = Static<typeof ListAuditQuery>;

/** A customer account as operators see it. */
export const OpsAccount = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    balance_gbp: { ...Money, description: 'The current balance.' },
    payment_method: nullable(
      oneOf(['card', 'direct_debit'], { description: 'What is charged once the balance is used up.' }),
    ),
    vat_status: oneOf(VAT_STATUSES, { description: 'Decides the VAT on orders.' }),
    vat_number: Type.String({ description: 'Shown on invoices; "" where there is none.' }),
    eori_number: Type.String({ description: 'On customs forms of its orders; "" where there is none.' }),
    ioss_number: Type.String({ description: 'On customs forms of its parcels to the EU; "" where there is none.' }),
    billing: nullable({
      ...BillingIdentity,
      description: 'Whom its invoices are addressed to; null while that is not known.',
    }),
    suspended: Type.Boolean({ description: 'Whether its tokens, sessions and apps are refused.' }),
    suspended_at: nullable(Timestamp),
    suspended_reason: nullable(Type.String({ description: 'For operators alone.' })),
    created_at: Timestamp,
  },
  { title: 'OpsAccount' },
);
export type OpsAccount = Static<typeof OpsAccount>;
export const OpsAccountParams = Type.Object({ id: Type.String({ description: 'The account.' }) });

export const OpsAccountPage = pageSchema(OpsAccount);
export const ListAccountsQuery = Type.Object({
  ...pageQuery('acct'),
  name: Type.Optional(
    Type.String({
      maxLength: 200,
      description: 'Only accounts whose name begins with this text, in upper or lower case.',
    }),
  ),
  lacks: Type.Optional(
    oneOf(['billing'], {
      description: 'Only accounts whose legal name and address are not known, which invoices need.',
    }),
  ),
});
export type ListAccountsQuery = Static<typeof ListAccountsQuery>;

/** What an operator may change of an account; a member that is left out stays. */
export const ChangeAccountBody = Type.Object(
  {
    vat_number: Type.Optional(
      nullable(
        Type.String({
          maxLength: 40,
          description:
            'With its prefix: GB or XI, or that of a member of the EU. Blanks, dots and hyphens are ignored. Null removes it.',
        }),
      ),
    ),
    vat_status: Type.Optional(
      oneOf(VAT_STATUSES, { description: 'reverse_charge_eu needs a VAT number of a member of the EU.' }),
    ),
    eori_number: Type.Optional(
      nullable({ ...EoriNumber, description: 'The EORI number that its orders have from now on. Null removes it.' }),
    ),
    ioss_number: Type.Optional(
      nullable({ ...IossNumber, description: 'The IOSS number that its orders have from now on. Null removes it.' }),
    ),
  },
  { title: 'ChangeAccountRequest' },
);
export type ChangeAccountBody = Static<typeof ChangeAccountBody>;
