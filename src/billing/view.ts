import { isoTime } from '../lib/clock.ts';
import { publicId, type Uuid } from '../lib/ids.ts';
import { type Pence, pence, toPounds } from '../lib/money.ts';
import type { EntryRow } from './ledger.ts';
import type { AccountBalance, Transaction } from './schema.ts';

export function balanceView(accountId: Uuid, balance: Pence, now: Date): AccountBalance {
  return {
    account_id: publicId('acct', accountId),
    balance: toPounds(balance),
    currency: 'GBP',
    as_of: isoTime(now),
  };
}

/** An entry of the statement; a charge is below zero. */
export function transactionView(accountId: Uuid, row: EntryRow): Transaction {
  return {
    id: publicId('txn', idOfEntry(accountId, row.entry)),
    type: typeOf(row),
    amount: pounds(row.is_credit ? row.amount_pence : -row.amount_pence),
    balance_after: pounds(row.balance_after_pence),
    currency: 'GBP',
    order_id: row.order_id === null ? null : publicId('ord', row.order_id),
    reference: row.reference,
    description: descriptionOf(row),
    created_at: isoTime(row.created_at),
  };
}

/** What an entry is and why, in plain words. A charge that is credited is a part of one given back. */
export function descriptionOf(row: EntryRow): string {
  const words = kindInWords(row);
  return row.reason === null ? words : `${row.kind === 'top_up' ? `${words}, by a correction` : words}: ${row.reason}`;
}

/** What entries of a kind are, in plain words. */
export function kindInWords(row: Pick<EntryRow, 'kind' | 'is_credit'>): string {
  return WORDS[row.kind] ?? (row.is_credit ? 'Charged too much, given back' : 'Charge');
}

const WORDS: Readonly<Partial<Record<EntryRow['kind'], string>>> = {
  top_up: 'Top-up',
  refund: 'Refund',
  charge_returned: 'Top-up taken back by the bank of the card',
  charge_recovered: 'Top-up that was taken back, given back',
  correction: 'Correction',
  withdrawal: 'Balance paid out',
  write_off: 'Balance written off',
  entry: 'Paid from the balance',
};

/** A charge that is credited is a part of it given back. */
function typeOf({ kind, is_credit: isCredit }: EntryRow): Transaction['type'] {
  if (kind === 'top_up' || kind === 'refund') return kind;
  return isCredit ? 'refund' : 'charge';
}

/**
 * The id of an entry, a UUID of version 8 (RFC 9562).
 * It is 48 bits of the entry's number, then the random part of the account's id. A statement is in the order in which
 * entries took the balance's lock, which the ids of postings are not. So a page can begin after an entry without a
 * look-up.
 */
export function idOfEntry(accountId: Uuid, entry: number): Uuid {
  const number = entry.toString(16).padStart(12, '0');
  return `${number.slice(0, 8)}-${number.slice(8)}-8${accountId.slice(15)}` as Uuid;
}

/** The number of an entry by its id. */
export function entryOfId(id: Uuid): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

function pounds(amountPence: number): number {
  return toPounds(pence(amountPence));
}
