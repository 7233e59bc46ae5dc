import { chartAccount } from '../billing/chart.ts';
import type { LedgerAccount, PostingKind } from '../billing/postings.ts';
import type { Uuid } from '../lib/ids.ts';
import { type Pence, pence, sumPence } from '../lib/money.ts';

/** One posting that an entry of the books makes. */
export type Leg = {
  /** The customer whose posting it is; `HOUSE` for the shop. */
  readonly accountId: Uuid;
  readonly orderId: Uuid | null;
  readonly kind: PostingKind;
  readonly debit: LedgerAccount;
  readonly credit: LedgerAccount;
  readonly amountPence: Pence;
  /** The posting of the same account that it takes back a part of. */
  readonly correctsId: Uuid | null;
  readonly reference: string;
};

/** A leg as an entry keeps it. */
export type StoredLeg = {
  account_id: Uuid;
  order_id: Uuid | null;
  kind: PostingKind;
  debit: LedgerAccount;
  credit: LedgerAccount;
  pence: number;
  corrects: Uuid | null;
  reference: string;
};

/** The legs of an entry as it keeps them. */
export function storedLegs(legs: readonly Leg[]): StoredLeg[] {
  return legs.map((leg) => ({
    account_id: leg.accountId,
    order_id: leg.orderId,
    kind: leg.kind,
    debit: leg.debit,
    credit: leg.credit,
    pence: leg.amountPence,
    corrects: leg.correctsId,
    reference: leg.reference,
  }));
}

/** The legs that an entry has kept. */
export function legsOf(stored: readonly StoredLeg[]): Leg[] {
  return stored.map((leg) => ({
    accountId: leg.account_id,
    orderId: leg.order_id,
    kind: leg.kind,
    debit: leg.debit,
    credit: leg.credit,
    amountPence: pence(leg.pence),
    correctsId: leg.corrects,
    reference: leg.reference,
  }));
}

/** What of a leg an account's balance must give, in pence. */
export function takenFromBalance(legs: readonly Leg[], accountId: Uuid): Pence {
  return sumPence(
    legs.flatMap((leg) => (leg.accountId === accountId && leg.debit === 'customer_balance' ? [leg.amountPence] : [])),
  );
}

/**
 * Takes from the receivables what a balance does not cover.
 * The legs that debit the balance of `accountId` get `balancePence` at most, in their order; the rest of each debits
 * the receivables of the customer. A leg that would move a receivable to itself is left out.
 */
export function coverShortfall(legs: readonly Leg[], accountId: Uuid, balancePence: Pence): Leg[] {
  let leftPence: number = balancePence;
  return legs.flatMap((leg) => {
    if (leg.accountId !== accountId || leg.debit !== 'customer_balance') return [leg];
    const covered = Math.min(leg.amountPence, leftPence);
    leftPence -= covered;
    const parts: Leg[] = [];
    if (covered > 0) parts.push({ ...leg, amountPence: pence(covered) });
    const rest = leg.amountPence - covered;
    if (rest > 0 && leg.credit !== 'receivables') {
      parts.push({ ...leg, debit: 'receivables', amountPence: pence(rest) });
    }
    return parts;
  });
}

/** Whether a text is the name of an account of the ledger. */
export function isLedgerAccount(name: string): name is LedgerAccount {
  return chartAccount(name) !== undefined && name !== 'vat_owed';
}
