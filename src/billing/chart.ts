import type { LedgerAccount } from './postings.ts';

type NamedAccount = Exclude<LedgerAccount, `vat:${number}`>;

/** An account of the chart, for a person who reads the books. */
export type ChartAccount = {
  readonly title: string;
  /** The side on which its balance normally is. */
  readonly side: 'debit' | 'credit';
  /** The statement of others, or the list, that its balance is compared with. */
  readonly statement: string;
};

const CHART: Readonly<Record<NamedAccount | 'vat_owed', ChartAccount>> = {
  customer_balance: {
    title: 'Balances of customers',
    side: 'credit',
    statement: 'the statements of the customers (`platen verify`)',
  },
  bank: { title: 'Bank', side: 'debit', statement: 'the bank statement' },
  card_clearing: {
    title: 'Cards, with the payment provider',
    side: 'debit',
    statement: "the provider's payout report, for cards",
  },
  direct_debit_clearing: {
    title: 'Direct debits, with the payment provider',
    side: 'debit',
    statement: "the provider's payout report, for direct debits",
  },
  payouts_in_transit: {
    title: 'Payouts on their way to the bank',
    side: 'debit',
    statement: 'payouts of the provider that the bank statement does not show yet',
  },
  receivables: {
    title: 'Receivables: payments that came back, and corrections that a balance did not cover',
    side: 'debit',
    statement: 'the tasks `payment_returned` and the entries with a receivable',
  },
  order_deposits: {
    title: 'Paid for orders that are not paid in full',
    side: 'credit',
    statement: 'the orders that wait for payment (`platen verify`)',
  },
  manual_refunds_owed: {
    title: 'Refunds that are to be paid by hand',
    side: 'credit',
    statement: 'the orders with `pending_manual_refund`',
  },
  vat_control: { title: 'VAT, with HMRC', side: 'credit', statement: 'the VAT account with HMRC' },
  suspense: {
    title: 'Suspense: what is not explained yet',
    side: 'debit',
    statement: 'nothing: it is brought to 0',
  },
  other_books: {
    title: 'Opening balances, and what is kept in other books',
    side: 'credit',
    statement: 'the accounting system: purchases, wages, money of the owner',
  },
  sales: { title: 'Sales of goods and prints', side: 'credit', statement: 'invoices and credit notes' },
  setup_fees: { title: 'Setup fees', side: 'credit', statement: 'invoices and credit notes' },
  shipping_income: { title: 'Shipping', side: 'credit', statement: 'invoices and credit notes' },
  refunds: {
    title: 'Given back of sales, setups and shipping',
    side: 'debit',
    statement: 'credit notes',
  },
  duty_owed: {
    title: 'Import duty, owed',
    side: 'credit',
    statement: "the duty invoices of the carriers or HMRC's duty statement",
  },
  duty_difference: {
    title: 'Duty paid above or below what was charged',
    side: 'debit',
    statement: 'nothing: a cost or an income',
  },
  provider_fees: { title: 'Fees of the payment provider', side: 'debit', statement: "the provider's fee invoices" },
  bank_charges: { title: 'Bank charges', side: 'debit', statement: 'the bank statement' },
  bank_interest: { title: 'Bank interest', side: 'credit', statement: 'the bank statement' },
  written_off: { title: 'Bad debts written off', side: 'debit', statement: 'the entries of write-offs' },
  unclaimed_balances: {
    title: 'Unclaimed balances, written off',
    side: 'credit',
    statement: 'the entries of write-offs',
  },
  // In a database that is older than VAT by rate; nothing is posted to it any more.
  vat_owed: { title: 'VAT owed, before it was kept by rate', side: 'credit', statement: 'the VAT return' },
};

/** The accounts that an entry of the shop may be posted to by name, beside `vat:…`. */
export const HOUSE_ACCOUNTS: readonly LedgerAccount[] = [
  'bank',
  'card_clearing',
  'direct_debit_clearing',
  'payouts_in_transit',
  'vat_control',
  'suspense',
  'other_books',
  'duty_owed',
  'duty_difference',
  'provider_fees',
  'bank_charges',
  'bank_interest',
  'written_off',
  'unclaimed_balances',
];

/** An account of the ledger by its name; undefined for a name that no account can have. */
export function chartAccount(name: string): ChartAccount | undefined {
  if (Object.hasOwn(CHART, name)) return CHART[name as keyof typeof CHART];
  const basisPoints = vatRateOf(name);
  if (basisPoints === undefined) return undefined;
  return { title: `VAT owed at ${basisPoints / 100} %`, side: 'credit', statement: 'the VAT return' };
}

/** The names of all accounts but those of VAT by rate. */
export const CHART_NAMES: readonly string[] = Object.keys(CHART);

/** The rate of an account `vat:…` in basis points; undefined for another name. */
export function vatRateOf(name: string): number | undefined {
  const basisPoints = /^vat:(0|[1-9]\d{0,4})$/.exec(name)?.[1];
  return basisPoints === undefined || Number(basisPoints) > 10_000 ? undefined : Number(basisPoints);
}

/** The title of an account of the ledger; undefined for a name that no account can have. */
export function titleOfAccount(name: string): string | undefined {
  return chartAccount(name)?.title;
}
