import { pageQuery } from '../lib/paging.ts';
import { Money, nullable, oneOf, pageSchema, Timestamp } from '../lib/schemas.ts';
import { type Static, Type } from '../lib/typebox.ts';

/** Decisions, "Account money". */
export const AccountBalance = Type.Object(
  {
    account_id: Type.String(),
    balance: Money,
    currency: oneOf(['GBP']),
    as_of: Timestamp,
  },
  { title: 'AccountBalance' },
);
export type AccountBalance = Static<typeof AccountBalance>;

/** One entry of an account's statement. */
export const Transaction = Type.Object(
  {
    id: Type.String(),
    type: oneOf(['top_up', 'charge', 'refund']),
    amount: Type.Number({
      description: 'GBP in major units: positive when it adds to the balance, negative when it takes from it.',
    }),
    balance_after: Money,
    currency: oneOf(['GBP']),
    order_id: nullable(Type.String()),
    reference: Type.String({ description: "The order's reference, or that of the top-up." }),
    description: Type.String({
      description: 'What it is, in plain words. For a correction, a payout or a write-off also why.',
    }),
    created_at: Timestamp,
  },
  { title: 'Transaction' },
);
export type Transaction = Static<typeof Transaction>;

export const TransactionPage = pageSchema(Transaction);
export const ListTransactionsQuery = Type.Object(pageQuery('txn'));
export type ListTransactionsQuery = Static<typeof ListTransactionsQuery>;

export const BalanceQuery = Type.Object({
  at: Type.Optional({ ...Timestamp, description: 'The balance as it was at this time; now by default.' }),
});
export type BalanceQuery = Static<typeof BalanceQuery>;
