import type { LedgerAccount } from './postings.ts';

type NamedAccount = Exclude<LedgerAccount, `vat:${number}`>;

/** The title of each account of the ledger, for a person who reads the books. */
const TITLES: Readonly<Record<NamedAccount | 'vat_owed', string>> = {
  customer_balance: 'Balances of customers',
  bank: 'Bank',
  card_clearing: 'Cards, with the payment provider',
  direct_debit_clearing: 'Direct debits, with the payment provider',
  receivables: 'Receivables: payments that came back',
  order_deposits: 'Paid for orders that are not paid in full',
  manual_refunds_owed: 'Refunds that are to be paid by hand',
  sales: 'Sales of goods and prints',
  setup_fees: 'Setup fees',
  shipping_income: 'Shipping',
  refunds: 'Given back of sales, setups and shipping',
  duty_owed: 'Import duty, owed',
  // In a database that is older than VAT by rate; nothing is posted to it any more.
  vat_owed: 'VAT owed, before it was kept by rate',
};

/** The title of an account of the ledger; undefined for a name that no account can have. */
export function titleOfAccount(name: string): string | undefined {
  if (Object.hasOwn(TITLES, name)) return TITLES[name as keyof typeof TITLES];
  const basisPoints = /^vat:(0|[1-9]\d{0,4})$/.exec(name)?.[1];
  return basisPoints === undefined || Number(basisPoints) > 10_000
    ? undefined
    : `VAT owed at ${Number(basisPoints) / 100} %`;
}
