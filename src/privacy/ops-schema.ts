import { pageQuery } from '../lib/paging.ts';
import { nullable, oneOf, pageSchema, Timestamp } from '../lib/schemas.ts';
import { type Static, Type } from '../lib/typebox.ts';
import { ERASURE_SCOPES } from './ledger/entry.ts';

const REASON_CHARACTERS_MAX = 500;
const NAME_CHARACTERS_MAX = 200;
const POSTCODE_CHARACTERS_MAX = 20;

export const PersonAccountParams = Type.Object({ id: Type.String({ description: 'The account.' }) });
export const ErasureParams = Type.Object({ id: Type.String({ description: 'The erasure, `ers_…`.' }) });

const Named = (maxLength: number, description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength, pattern: '\\S', description }));

const Recipient = Type.Object(
  {
    name: Named(
      NAME_CHARACTERS_MAX,
      'The name as in `contact_name`; goes with `postcode`. Case and order do not matter.',
    ),
    postcode: Named(POSTCODE_CHARACTERS_MAX, 'The postcode.'),
    email: Named(254, 'The e-mail address, alone.'),
    phone: Named(60, 'The phone number, alone.'),
  },
  { title: 'RecipientName', description: '`name` with `postcode`, or `email`, or `phone`.' },
);

/** Whose data a request is about: exactly one of the three. */
export const PersonBody = Type.Object(
  {
    order: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'One order, by its id or reference, with its replacements.',
      }),
    ),
    recipient: Type.Optional(Recipient),
    whole_account: Type.Optional(Type.Literal(true, { description: 'The account and all of its orders.' })),
    reason: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: REASON_CHARACTERS_MAX,
        pattern: '\\S',
        description: 'Why, for the audit log, such as the number of the request. Name no person.',
        'x-message': `must be a text of 1 to ${REASON_CHARACTERS_MAX} characters that is not blank.`,
      }),
    ),
  },
  { title: 'PersonRequest' },
);
export type PersonBody = Static<typeof PersonBody>;

export const ErasureReceipt = Type.Object(
  {
    id: Type.String({ description: 'The erasure, `ers_…`.' }),
    account_id: Type.String(),
    scope: oneOf(ERASURE_SCOPES),
    state: oneOf(['in_progress', 'done'], {
      description: '`in_progress` while orders or files wait. It goes on by itself.',
    }),
    orders_erased: Type.Integer(),
    orders_waiting: Type.Integer({
      description: 'Orders that are still being made: each is erased once it has ended.',
    }),
    waiting_for: Type.Array(Type.String(), { description: 'The references of the first of them.' }),
    files_removed: Type.Integer({ description: 'Stored files that nothing else uses.' }),
    files_waiting: Type.Integer({ description: 'Stored files that may be in use at this moment: looked at again.' }),
    to_settle: Type.Array(Type.String(), {
      description: 'Of an account: what is to be done about its money before its name goes.',
    }),
    kept: Type.Array(Type.String(), { description: 'What stays, and why.' }),
    requested_at: Timestamp,
    done_at: nullable(Timestamp),
  },
  { title: 'ErasureReceipt' },
);
export type ErasureReceipt = Static<typeof ErasureReceipt>;
export const ErasurePage = pageSchema(ErasureReceipt);

export const ListErasuresQuery = Type.Object(pageQuery('ers'));
export type ListErasuresQuery = Static<typeof ListErasuresQuery>;
