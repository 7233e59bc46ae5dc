import { type Pence, sumPence, ZERO_PENCE } from '../lib/money.ts';

// What is posted for what happens to money; the ledger writes it.

/**
 * The accounts of the books. `customer_balance` is one for each customer account (the posting's `account_id` says which) and
 * the only one whose balance is cached; the rest are the house's and are summed. `order_deposits` is what customers have paid
 * for their orders on its way to what it was paid for, so that each charge and each refund is one entry of a statement; what
 * was paid for an order that still waits for the rest lies there. VAT is owed by its rate in basis points, `vat:2000`. `refunds`
 * is the contra of sales, setups and shipping: what was sold stays as it was sold, and what was given back of it stands there.
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
  | 'duty_owed';

/**
 * What a posting is for. `refund_owed` is what will be paid back by hand, `refund_paid` that it was; `sale_reversed` takes back
 * what money was given back for. `charge_returned` is a payment that the provider took back after it had counted, `charge_recovered`
 * that its money was collected after all.
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
  | 'sale_reversed';

/** One double entry: `amountPence` moves from the debit side to the credit side, so the books sum to zero by construction. */
export type Posting = {
  readonly kind: PostingKind;
  readonly debit: LedgerAccount;
  readonly credit: LedgerAccount;
  readonly amountPence: Pence;
};

/** The VAT of one rate, in pence. */
export type VatAmount = { readonly rateBasisPoints: number; readonly vatPence: Pence };

/** The money of an order as the books see it. */
export type ChargedAmounts = {
  readonly subtotalPence: Pence;
  readonly setupPence: Pence;
  readonly shippingPence: Pence;
  readonly vatBreakdown: readonly VatAmount[];
  readonly dutyPence: Pence;
};

/**
 * The postings that charge an order to the customer's balance: what was paid, then what for, but for parts of zero. `duePence`
 * is what is left to be paid, all of it when left out.
 */
export function chargePostings(amounts: ChargedAmounts, duePence?: Pence): Posting[] {
  const sale = salePostings(amounts);
  return [...balanceChargePostings(duePence ?? sumPence(sale.map(({ amountPence }) => amountPence))), ...sale];
}

/** A way to pay that a provider charges. */
export type PaymentMethodKind = 'card' | 'direct_debit';

const CLEARING: Readonly<Record<PaymentMethodKind, LedgerAccount>> = {
  card: 'card_clearing',
  direct_debit: 'direct_debit_clearing',
};

/** What a card or direct debit has paid for an order: it lies with the provider until it is paid out. */
export function methodChargePostings(method: PaymentMethodKind, amountPence: Pence): Posting[] {
  return posted('charge', CLEARING[method], 'order_deposits', amountPence);
}

/** What the provider has taken back of a payment: the customer owes it. What was sold stays sold. */
export function chargeReturnedPostings(method: PaymentMethodKind, amountPence: Pence): Posting[] {
  return posted('charge_returned', 'receivables', CLEARING[method], amountPence);
}

/**
 * What a customer owed because a payment came back has been collected: it came by bank, or the provider has it again, whose dispute was
 * won.
 */
export function chargeRecoveredPostings(amountPence: Pence, by: 'bank' | PaymentMethodKind): Posting[] {
  return posted('charge_recovered', by === 'bank' ? 'bank' : CLEARING[by], 'receivables', amountPence);
}

/**
 * What was set off against what a customer owed is owed to him again: the provider has the payment's money once more, and he has it no
 * longer.
 */
export function refundOwedAgainPostings(amountPence: Pence, by: PaymentMethodKind): Posting[] {
  return posted('charge_recovered', CLEARING[by], 'manual_refunds_owed', amountPence);
}

/** A payment that the customer has made up for by bank is with the provider once more: what he paid twice is on his balance. */
export function paidTwicePostings(amountPence: Pence, by: PaymentMethodKind): Posting[] {
  return posted('top_up', CLEARING[by], 'customer_balance', amountPence);
}

/** What is taken from the customer's balance for an order, all of its total or the part that the balance pays. */
export function balanceChargePostings(amountPence: Pence): Posting[] {
  return posted('charge', 'customer_balance', 'order_deposits', amountPence);
}

/** What an order was paid for, posted once, when all of its total is in the deposits. */
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

/** What a sale is made smaller by: goods, setups and shipping without VAT; the VAT on them by rate; duty. */
export type ReversedAmounts = {
  readonly netPence: Pence;
  readonly vatBreakdown: readonly VatAmount[];
  readonly dutyPence: Pence;
};

/** The postings that take a part of a sale back, or all of it, to the deposits, from where its money is given back. */
export function reversalPostings(amounts: ReversedAmounts): Posting[] {
  const parts: [LedgerAccount, Pence][] = [
    ['refunds', amounts.netPence],
    ...vatParts(amounts.vatBreakdown),
    ['duty_owed', amounts.dutyPence],
  ];
  return parts.flatMap(([account, amountPence]) => posted('sale_reversed', account, 'order_deposits', amountPence));
}

/**
 * The postings that give money back: to the balance at once, the rest is owed until somebody has paid it out. What the customer owes
 * because a payment came back is set off against it.
 */
export function refundPostings(back: {
  readonly balancePence: Pence;
  readonly owedPence: Pence;
  readonly setOffPence?: Pence;
}): Posting[] {
  return [
    ...posted('refund', 'order_deposits', 'customer_balance', back.balancePence),
    ...posted('refund', 'order_deposits', 'receivables', back.setOffPence ?? ZERO_PENCE),
    ...posted('refund_owed', 'order_deposits', 'manual_refunds_owed', back.owedPence),
  ];
}

/** What was owed to a customer has been paid out by hand, or is set off against a payment that came back. */
export function refundPaidPostings(amountPence: Pence, by: 'bank' | 'receivables'): Posting[] {
  return posted('refund_paid', 'manual_refunds_owed', by, amountPence);
}

/** The remainder of an order came by bank: money received on the account, which the order is charged to at once. */
export function settlementPostings(amountPence: Pence): Posting[] {
  return [...posted('top_up', 'bank', 'customer_balance', amountPence), ...balanceChargePostings(amountPence)];
}

function vatParts(rates: readonly VatAmount[]): [LedgerAccount, Pence][] {
  return rates.map(({ rateBasisPoints, vatPence }) => [`vat:${rateBasisPoints}`, vatPence]);
}

function posted(kind: PostingKind, debit: LedgerAccount, credit: LedgerAccount, amountPence: Pence): Posting[] {
  return amountPence === 0 ? [] : [{ kind, debit, credit, amountPence }];
}

/** VAT of one rate: what it is on, and how much it is. */
export type VatBreakdownRow = {
  rate_bp: number;
  net_pence: number;
  vat_pence: number;
  /** What an invoice says of this rate; absent when that is nothing. */
  note?: string;
};
