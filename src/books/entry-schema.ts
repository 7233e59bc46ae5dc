import { pageQuery } from '../lib/paging.ts';
import { Money, nullable, oneOf, pageSchema, Timestamp } from '../lib/schemas.ts';
import { type Static, Type } from '../lib/typebox.ts';
import { ENTRY_KINDS, HOUSE_KINDS } from './entry-kinds.ts';

const TEXT_MAX = 1_000;
const REFERENCE_MAX = 200;

const Reason = Type.String({
  minLength: 1,
  maxLength: TEXT_MAX,
  pattern: '\\S',
  description: 'Why. Where a balance changes, the customer reads it on the statement.',
});

const Amount = Type.Number({ exclusiveMinimum: 0, description: 'In GBP, at most two decimals.' });

const Day = Type.String({
  pattern: '^\\d{4}-\\d{2}-\\d{2}$',
  description: 'The day on the statement, YYYY-MM-DD; today by default. It is posted now: a closed day never changes.',
  'x-message': 'must be a day such as 2026-11-22.',
});

const Reference = Type.String({
  minLength: 1,
  maxLength: REFERENCE_MAX,
  pattern: '\\S',
  description:
    'What the statement calls it, such as po_123. Each is used once for its kind (and account), unless the entry was refused or wholly corrected.',
});

/** Operating, corrections: what was entered wrongly is taken back by a posting of its own. */
export const CorrectionBody = Type.Object(
  {
    posting_id: Type.Optional(
      Type.String({ description: 'The posting to take back, as a ledger statement lists it.' }),
    ),
    account_id: Type.Optional(
      nullable(
        Type.String({ description: 'The account of that posting; null or left out for one of the shop itself.' }),
      ),
    ),
    entry_id: Type.Optional(
      Type.String({ description: 'In place of posting_id: an entry, of which all that is left is taken back.' }),
    ),
    amount_gbp: Type.Optional({
      ...Amount,
      description: 'A part of the posting, in GBP; all that is left of it by default.',
    }),
    move_to: Type.Optional(
      Type.String({ description: 'For a top-up: the account that it was for. It is credited there in the same step.' }),
    ),
    shortfall: Type.Optional(
      oneOf(['refuse', 'receivable'], {
        description:
          'Where the balance does not cover what is taken from it: refuse (default), or the rest becomes a receivable that the customer owes.',
      }),
    ),
    reason: Reason,
  },
  { title: 'CorrectionRequest' },
);
export type CorrectionBody = Static<typeof CorrectionBody>;

/** A balance that is paid out by bank. */
export const WithdrawalBody = Type.Object(
  { amount_gbp: Amount, reference: Reference, value_day: Type.Optional(Day), reason: Reason },
  { title: 'WithdrawalRequest' },
);
export type WithdrawalBody = Static<typeof WithdrawalBody>;

/** A debt that is given up, or a balance that is taken over. */
export const WriteOffBody = Type.Object(
  {
    of: oneOf(['receivable', 'balance'], {
      description: 'receivable: what the customer owes. balance: an unclaimed balance of the customer.',
    }),
    order: Type.Optional(
      Type.String({
        maxLength: 100,
        description:
          'Id or reference of the order whose payment came back; left out for what is owed apart from orders.',
      }),
    ),
    amount_gbp: Amount,
    reason: Reason,
  },
  { title: 'WriteOffRequest' },
);
export type WriteOffBody = Static<typeof WriteOffBody>;

const AccountName = Type.String({
  maxLength: 40,
  description: 'An account of the shop, such as `bank` or `vat:2000`.',
});

/** A line of a statement of the shop. */
export const EntryBody = Type.Object(
  {
    kind: oneOf(HOUSE_KINDS, {
      description: [
        '`payout` of the provider (amount_gbp is before fees), `payout_arrived` at the bank, `provider_fee`, `bank_charge`,',
        '`bank_interest`; `vat_return` (what is owed at a rate goes to the account with HMRC), `input_vat` (claimed on',
        'purchases), `vat_paid`, `vat_refunded`; `duty_paid`, `duty_shortfall` (paid above what was charged),',
        '`duty_surplus`; `receivable_paid` (apart from orders); `opening_balance`; `adjustment` between accounts of the shop.',
      ].join(' '),
    }),
    amount_gbp: Amount,
    fees_gbp: Type.Optional(
      Type.Number({ minimum: 0, description: 'Of a payout: the fees that the provider kept, in GBP.' }),
    ),
    method: Type.Optional(
      oneOf(['card', 'direct_debit'], { description: 'Of a payout, or a fee through clearing: what was charged.' }),
    ),
    through: Type.Optional(
      oneOf(['bank', 'payouts_in_transit', 'clearing', 'balance'], {
        description:
          'A payout goes to bank (default) or payouts_in_transit; a fee is paid from bank or clearing; a receivable is paid by bank or from the balance.',
      }),
    ),
    vat_rate: Type.Optional(
      Type.Number({ minimum: 0, maximum: 100, description: 'Of a vat_return: the rate, per cent.' }),
    ),
    account: Type.Optional({ ...AccountName, description: 'Of an opening balance: the account.' }),
    side: Type.Optional(oneOf(['debit', 'credit'], { description: 'Of an opening balance: the side of the account.' })),
    debit: Type.Optional({ ...AccountName, description: 'Of an adjustment: the account that is debited.' }),
    credit: Type.Optional({ ...AccountName, description: 'Of an adjustment: the account that is credited.' }),
    account_id: Type.Optional(Type.String({ description: 'Of receivable_paid: the customer.' })),
    value_day: Type.Optional(Day),
    reference: Reference,
    reason: Reason,
  },
  { title: 'BookEntryRequest' },
);
export type EntryBody = Static<typeof EntryBody>;

export const ApproveBody = Type.Object(
  { reason: Type.Optional({ ...Reason, description: 'Why, for the audit log.' }) },
  { title: 'ApproveEntryRequest' },
);
export const RefuseBody = Type.Object(
  { reason: { ...Reason, description: 'Why it is not posted.' } },
  { title: 'RefuseEntryRequest' },
);

const EntryPosting = Type.Object({
  id: nullable(Type.String({ description: 'Null while it is only proposed.' })),
  account_id: nullable(Type.String({ description: 'The customer; null for the shop itself.' })),
  debit: Type.String(),
  credit: Type.String(),
  amount: Money,
  corrects: nullable(Type.String({ description: 'The posting that it takes back, whole or in part.' })),
  corrected: { ...Money, description: 'What of it was corrected since.' },
});

/** An entry of the books beside the money of orders. */
export const BookEntry = Type.Object(
  {
    id: Type.String(),
    kind: oneOf(ENTRY_KINDS),
    status: oneOf(['proposed', 'posted', 'refused', 'expired'], {
      description: 'proposed: nothing is posted until another person approves it, within 30 days.',
    }),
    amount: Money,
    currency: oneOf(['GBP']),
    value_day: Type.String({ description: 'The day on the statement, YYYY-MM-DD.' }),
    reference: Type.String(),
    reason: Type.String(),
    account_id: nullable(Type.String()),
    order_id: nullable(Type.String()),
    postings: Type.Array(EntryPosting),
    proposed_by: Type.String({ description: 'Who entered it.' }),
    proposed_at: Timestamp,
    expires_at: nullable(Timestamp),
    decided_by: nullable(Type.String({ description: 'Who posted, approved or refused it.' })),
    decided_at: nullable(Timestamp),
    decision_reason: Type.String(),
    own_approval: Type.Boolean({ description: 'Approved by who proposed it, in a shop with no other such operator.' }),
  },
  { title: 'BookEntry' },
);
export type BookEntry = Static<typeof BookEntry>;

export const BookEntryPage = pageSchema(BookEntry);
export const EntryParams = Type.Object({ id: Type.String({ description: 'The entry.' }) });
export const ListEntriesQuery = Type.Object({
  ...pageQuery('ent'),
  status: Type.Optional(oneOf(['proposed'], { description: 'Only those that wait for a second person.' })),
  account: Type.Optional(Type.String({ maxLength: 100, description: 'Only those about this customer.' })),
});
export type ListEntriesQuery = Static<typeof ListEntriesQuery>;
