import { type Pence, sumPence, ZERO_PENCE } from '../lib/money.ts';

// The postings of each movement of money; the ledger writes them.

/**
 * The accounts of the books.
 * `customer_balance` is one for each customer account (the posting's `account_id` says which) and the only one whose
 * balance is cached; the others are the shop's and are summed.
 * `order_deposits` is what customers have paid for their orders on its way to what it was paid for, so that each charge
 * and each refund is one entry of a statement. Part payments of an order that waits for the rest stay there.
 * VAT is owed by its rate in basis points, `vat:2000`.
 * `refunds` is the contra of sales, setups and shipping: sales stay as they were, and what was given back of them is
 * posted there.
 */
export type LedgerAccount =
  | 'customer_balance'
  | 'bank'
  | 'card_clearing'
  | 'direct_debit_clearing'
  | 'receivables'
  | 'order_deposits'
  | 'manual_refunds_owed'
  | 'sales'
  | 'setup_fees'
  | 'shipping_income'
  | 'refunds'
  | `vat:${number}`
  | 'duty_owed'
  | 'payouts_in_transit'
  | 'vat_control'
  | 'suspense'
  | 'other_books'
  | 'duty_difference'
  | 'provider_fees'
  | 'bank_charges'
  | 'bank_interest'
  | 'written_off'
  | 'unclaimed_balances';

/**
 * The purpose of a posting.
 * `refund_owed` is an amount to be paid back by hand, `refund_paid` its payment; `sale_reversed` takes back the sale
 * that a refund is for. `charge_returned` is a returned payment: the provider took it back after it had counted.
 * `charge_recovered` is its money collected after all.
 * The last four belong to an entry of the books (`src/books`): `correction` takes back what was posted wrongly,
 * `withdrawal` pays a balance out, `write_off` gives up a receivable or an unclaimed balance, and `entry` is what a
 * statement of the bank, the payment provider, HMRC or a carrier shows.
 */
export type PostingKind =
  | 'top_up'
  | 'charge'
  | 'charge_returned'
  | 'charge_recovered'
  | 'sale'
  | 'refund'
  | 'refund_owed'
  | 'refund_paid'
  | 'sale_reversed'
  | 'correction'
  | 'withdrawal'
  | 'write_off'
  | 'entry';

/**
 * One double entry: `amountPence` moves from the debit side to the credit side.
 * The books thus sum to zero by construction.
 */
export type Posting = {
  readonly kind: PostingKind;
  readonly debit: LedgerAccount;
  readonly credit: LedgerAccount;
  readonly amountPence: Pence;
};

/** The VAT of one rate, in pence. */
export type VatAmount = { readonly rateBasisPoints: number; readonly vatPence: Pence };

/** The amounts of an order as the books see them. */
export type ChargedAmounts = {
  readonly subtotalPence: Pence;
  readonly setupPence: Pence;
  readonly shippingPence: Pence;
  readonly vatBreakdown: readonly VatAmount[];
  readonly dutyPence: Pence;
};

/**
 * The postings that charge an order to the customer's balance.
 * First the payment, then what it pays for; parts of zero are left out. `duePence` is what is left to be paid, all of
 * it when left out.
 */
export function chargePostings(amounts: ChargedAmounts, duePence?: Pence): Posting[] {
  const sale = salePostings(amounts);
  return [...balanceChargePostings(duePence ?? sumPence(sale.map(({ amountPence }) => amountPence))), ...sale];
}

/** A payment method that a provider charges. */
export type PaymentMethodKind = 'card' | 'direct_debit';

const CLEARING: Readonly<Record<PaymentMethodKind, LedgerAccount>> = {
  card: 'card_clearing',
  direct_debit: 'direct_debit_clearing',
};

/**
 * Postings of a payment by card or direct debit.
 * The money lies with the provider until the provider pays it out.
 */
export function methodChargePostings(method: PaymentMethodKind, amountPence: Pence): Posting[] {
  return posted('charge', CLEARING[method], 'order_deposits', amountPence);
}

/**
 * Postings of a returned payment: the provider took the money back, and the customer owes it.
 * The sale stays.
 */
export function chargeReturnedPostings(method: PaymentMethodKind, amountPence: Pence): Posting[] {
  return posted('charge_returned', 'receivables', CLEARING[method], amountPence);
}

/**
 * Postings when the debt for a returned payment is collected.
 * The money came by bank, or the provider has it again because the dispute was won.
 */
export function chargeRecoveredPostings(amountPence: Pence, by: 'bank' | PaymentMethodKind): Posting[] {
  return posted('charge_recovered', by === 'bank' ? 'bank' : CLEARING[by], 'receivables', amountPence);
}

/**
 * Postings when a refund that was set off against a returned payment is owed again.
 * The provider has the payment's money again, so the customer no longer has it.
 */
export function refundOwedAgainPostings(amountPence: Pence, by: PaymentMethodKind): Posting[] {
  return posted('charge_recovered', CLEARING[by], 'manual_refunds_owed', amountPence);
}

/**
 * Postings when a debt that was written off is collected after all: its payment's dispute was won.
 */
export function writeOffUndonePostings(amountPence: Pence, by: PaymentMethodKind): Posting[] {
  return posted('charge_recovered', CLEARING[by], 'written_off', amountPence);
}

/**
 * Postings when a customer has paid twice: the second payment is credited to the balance.
 * The customer has replaced a returned payment by bank, and the provider has its money again.
 */
export function paidTwicePostings(amountPence: Pence, by: PaymentMethodKind): Posting[] {
  return posted('top_up', CLEARING[by], 'customer_balance', amountPence);
}

/**
 * Postings when the provider takes a top-up by card back, by a dispute or a refund.
 * The balance pays as far as it goes, and the account owes the rest.
 */
export function topUpTakenBackPostings(coveredPence: Pence, owedPence: Pence): Posting[] {
  return [
    ...posted('charge_returned', 'customer_balance', 'card_clearing', coveredPence),
    ...posted('charge_returned', 'receivables', 'card_clearing', owedPence),
  ];
}

/** Postings when the provider gives it back: first what is still owed for it, then to the balance. */
export function topUpGivenBackPostings(owedPence: Pence, restPence: Pence): Posting[] {
  return [
    ...posted('charge_recovered', 'card_clearing', 'receivables', owedPence),
    ...posted('charge_recovered', 'card_clearing', 'customer_balance', restPence),
  ];
}

/** Postings that pay for an order from the balance: its total, or the balance's part of it. */
export function balanceChargePostings(amountPence: Pence): Posting[] {
  return posted('charge', 'customer_balance', 'order_deposits', amountPence);
}

/**
 * Postings that return a part of what the balance paid for an order that waits.
 * The order has become cheaper than that, and the part is charged no longer.
 */
export function chargeUndonePostings(amountPence: Pence): Posting[] {
  return posted('charge', 'order_deposits', 'customer_balance', amountPence);
}

/**
 * Postings of what an order's total pays for.
 * They are made once, when all of the total is in the deposits.
 */
export function salePostings(amounts: ChargedAmounts): Posting[] {
  const parts: [LedgerAccount, Pence][] = [
    ['sales', amounts.subtotalPence],
    ['setup_fees', amounts.setupPence],
    ['shipping_income', amounts.shippingPence],
    ...vatParts(amounts.vatBreakdown),
    ['duty_owed', amounts.dutyPence],
  ];
  return parts.flatMap(([account, amountPence]) => posted('sale', 'order_deposits', account, amountPence));
}

/**
 * The amounts by which a sale is reduced.
 * Goods, setups and shipping without VAT; the VAT on them by rate; duty.
 */
export type ReversedAmounts = {
  readonly netPence: Pence;
  readonly vatBreakdown: readonly VatAmount[];
  readonly dutyPence: Pence;
};

/**
 * Postings that take a sale, or a part of it, back to the deposits.
 * Its money is refunded from there.
 */
export function reversalPostings(amounts: ReversedAmounts): Posting[] {
  const parts: [LedgerAccount, Pence][] = [
    ['refunds', amounts.netPence],
    ...vatParts(amounts.vatBreakdown),
    ['duty_owed', amounts.dutyPence],
  ];
  return parts.flatMap(([account, amountPence]) => posted('sale_reversed', account, 'order_deposits', amountPence));
}

/**
 * Postings of a refund: a part to the balance at once, the rest as owed until it is paid out.
 * What the customer owes for a returned payment is set off against it, and so is what was written off of that: a debt
 * for what is not sold any more is no loss.
 */
export function refundPostings(back: {
  readonly balancePence: Pence;
  readonly owedPence: Pence;
  readonly setOffPence?: Pence;
  readonly writtenOffPence?: Pence;
}): Posting[] {
  return [
    ...posted('refund', 'order_deposits', 'customer_balance', back.balancePence),
    ...posted('refund', 'order_deposits', 'receivables', back.setOffPence ?? ZERO_PENCE),
    ...posted('refund', 'order_deposits', 'written_off', back.writtenOffPence ?? ZERO_PENCE),
    ...posted('refund_owed', 'order_deposits', 'manual_refunds_owed', back.owedPence),
  ];
}

/** Postings when an owed refund is paid out by hand, or set off against a returned payment. */
export function refundPaidPostings(amountPence: Pence, by: 'bank' | 'receivables'): Posting[] {
  return posted('refund_paid', 'manual_refunds_owed', by, amountPence);
}

/**
 * Postings when the remainder of an order comes by bank.
 * It is received on the account, and charged to the order at once.
 */
export function settlementPostings(amountPence: Pence): Posting[] {
  return [...posted('top_up', 'bank', 'customer_balance', amountPence), ...balanceChargePostings(amountPence)];
}

function vatParts(rates: readonly VatAmount[]): [LedgerAccount, Pence][] {
  return rates.map(({ rateBasisPoints, vatPence }) => [`vat:${rateBasisPoints}`, vatPence]);
}

function posted(kind: PostingKind, debit: LedgerAccount, credit: LedgerAccount, amountPence: Pence): Posting[] {
  return amountPence === 0 ? [] : [{ kind, debit, credit, amountPence }];
}

/** VAT of one rate: the net amount and the VAT on it. */
export type VatBreakdownRow = {
  rate_bp: number;
  net_pence: number;
  vat_pence: number;
  /** The note on this rate for an invoice; absent when there is none. */
  note?: string;
  /** The seller was not registered for VAT when the order was placed; absent otherwise. */
  unregistered?: true;
};
