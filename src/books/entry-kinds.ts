import { HOUSE_ACCOUNTS, vatRateOf } from '../billing/chart.ts';
import type { LedgerAccount } from '../billing/postings.ts';
import type { Problem } from '../lib/errors.ts';
import { HOUSE, type Uuid } from '../lib/ids.ts';
import { type Pence, pence, ZERO_PENCE } from '../lib/money.ts';
import { isLedgerAccount, type Leg } from './plan.ts';

/** What the shop enters from a statement: the words of `POST /books/entries`. */
export const HOUSE_KINDS = [
  'payout',
  'payout_arrived',
  'provider_fee',
  'bank_charge',
  'bank_interest',
  'vat_return',
  'input_vat',
  'vat_paid',
  'vat_refunded',
  'duty_paid',
  'duty_shortfall',
  'duty_surplus',
  'receivable_paid',
  'opening_balance',
  'adjustment',
] as const;
export type HouseKind = (typeof HOUSE_KINDS)[number];

/** All kinds of entries. */
export const ENTRY_KINDS = ['correction', 'withdrawal', 'write_off', ...HOUSE_KINDS] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

/**
 * The kinds that another person approves above the limit.
 * The others copy a line of a statement that the shop does not write: a wrong one differs from that statement.
 */
const BY_TWO: ReadonlySet<EntryKind> = new Set([
  'correction',
  'withdrawal',
  'write_off',
  'opening_balance',
  'adjustment',
]);

/** Whether an entry of a kind needs a second person from the limit on. */
export function isForTwo(kind: EntryKind): boolean {
  return BY_TWO.has(kind);
}

/** What an entry of the shop says beside its kind. */
export type HouseEntry = {
  readonly kind: HouseKind;
  readonly amountPence: Pence;
  readonly feesPence: Pence;
  readonly method: 'card' | 'direct_debit' | undefined;
  readonly through: 'bank' | 'payouts_in_transit' | 'clearing' | 'balance' | undefined;
  /** In basis points. */
  readonly vatRate: number | undefined;
  readonly account: string | undefined;
  readonly side: 'debit' | 'credit' | undefined;
  readonly debit: string | undefined;
  readonly credit: string | undefined;
  readonly customerId: Uuid | undefined;
  readonly reference: string;
};

type Through = NonNullable<HouseEntry['through']>;
type Member = 'fees_gbp' | 'method' | 'through' | 'vat_rate' | 'account' | 'side' | 'debit' | 'credit' | 'account_id';

type Form = {
  /** Members that must be there, and members that may. */
  readonly needs: readonly Member[];
  readonly takes?: readonly Member[];
  readonly through?: readonly Through[];
  readonly moves: (entry: HouseEntry) => readonly (readonly [debit: LedgerAccount, credit: LedgerAccount, Pence])[];
};

const clearingOf = ({ method }: HouseEntry): LedgerAccount =>
  method === 'direct_debit' ? 'direct_debit_clearing' : 'card_clearing';

const between = (debit: LedgerAccount, credit: LedgerAccount): Form => ({
  needs: [],
  moves: ({ amountPence }) => [[debit, credit, amountPence]],
});

/** Only names that `formProblems` has checked come here. */
function checked(name: string | undefined): LedgerAccount {
  if (name === undefined || !isLedgerAccount(name)) throw new Error(`${String(name)} is no account of the ledger`);
  return name;
}

const FORMS: Readonly<Record<HouseKind, Form>> = {
  payout: {
    needs: ['method'],
    takes: ['fees_gbp', 'through'],
    through: ['bank', 'payouts_in_transit'],
    moves: (entry) => [
      [
        entry.through === 'payouts_in_transit' ? 'payouts_in_transit' : 'bank',
        clearingOf(entry),
        pence(entry.amountPence - entry.feesPence),
      ],
      ['provider_fees', clearingOf(entry), entry.feesPence],
    ],
  },
  payout_arrived: between('bank', 'payouts_in_transit'),
  provider_fee: {
    needs: ['through'],
    takes: ['method'],
    through: ['bank', 'clearing'],
    moves: (entry) => [['provider_fees', entry.through === 'clearing' ? clearingOf(entry) : 'bank', entry.amountPence]],
  },
  bank_charge: between('bank_charges', 'bank'),
  bank_interest: between('bank', 'bank_interest'),
  vat_return: {
    needs: ['vat_rate'],
    moves: (entry) => [[checked(`vat:${entry.vatRate}`), 'vat_control', entry.amountPence]],
  },
  input_vat: between('vat_control', 'other_books'),
  vat_paid: between('vat_control', 'bank'),
  vat_refunded: between('bank', 'vat_control'),
  duty_paid: between('duty_owed', 'bank'),
  duty_shortfall: between('duty_difference', 'duty_owed'),
  duty_surplus: between('duty_owed', 'duty_difference'),
  receivable_paid: {
    needs: ['account_id', 'through'],
    through: ['bank', 'balance'],
    moves: (entry) => [[entry.through === 'balance' ? 'customer_balance' : 'bank', 'receivables', entry.amountPence]],
  },
  opening_balance: {
    needs: ['account', 'side'],
    moves: ({ account, side, amountPence }) => [
      side === 'debit'
        ? [checked(account), 'other_books', amountPence]
        : ['other_books', checked(account), amountPence],
    ],
  },
  adjustment: {
    needs: ['debit', 'credit'],
    moves: ({ debit, credit, amountPence }) => [[checked(debit), checked(credit), amountPence]],
  },
};

const MEMBERS: readonly Member[] = [
  'fees_gbp',
  'method',
  'through',
  'vat_rate',
  'account',
  'side',
  'debit',
  'credit',
  'account_id',
];

/** What is wrong with the members of an entry for its kind; `body` is the request. */
export function formProblems(body: { readonly kind: HouseKind } & Readonly<Record<string, unknown>>): Problem[] {
  const form = FORMS[body.kind];
  const takes = [...form.needs, ...(form.takes ?? [])];
  return MEMBERS.flatMap((member): Problem[] => {
    const value = body[member];
    if (value === undefined) {
      if (!form.needs.includes(member)) return [];
      return [{ path: member, code: 'required', message: `is required for ${body.kind}.` }];
    }
    if (!takes.includes(member)) {
      return [{ path: member, code: 'unknown_field', message: `is not a member of ${body.kind}. Leave it out.` }];
    }
    if (member === 'through' && form.through?.some((word) => word === value) !== true) {
      const words = form.through ?? [];
      return [{ path: member, code: 'unknown_value', message: `must be ${words.join(' or ')}.`, valid_values: words }];
    }
    return accountProblems(body, member, value);
  });
}

/** Only accounts of the shop are named: those of customers and orders have operations of their own. */
function accountProblems(body: Readonly<Record<string, unknown>>, member: Member, value: unknown): Problem[] {
  if (member !== 'account' && member !== 'debit' && member !== 'credit') return [];
  const name = String(value);
  if (!HOUSE_ACCOUNTS.some((known) => known === name) && vatRateOf(name) === undefined) {
    const message = `must be an account of the shop: ${HOUSE_ACCOUNTS.join(', ')}, or vat: and a rate in basis points.`;
    return [{ path: member, code: 'unknown_value', message, valid_values: [...HOUSE_ACCOUNTS] }];
  }
  if (member === 'credit' && body.debit === value) {
    return [{ path: member, code: 'out_of_bounds', message: 'must be another account than debit.' }];
  }
  if (member === 'account' && name === 'other_books') {
    return [{ path: member, code: 'out_of_bounds', message: 'is the other side of every opening balance.' }];
  }
  return [];
}

/** The legs of an entry whose members are right for its kind; parts of zero are left out. */
export function houseLegs(entry: HouseEntry): Leg[] {
  return FORMS[entry.kind]
    .moves(entry)
    .filter(([, , amountPence]) => amountPence > ZERO_PENCE)
    .map(([debit, credit, amountPence]) => ({
      accountId: entry.customerId ?? HOUSE,
      orderId: null,
      kind: 'entry',
      debit,
      credit,
      amountPence,
      correctsId: null,
      reference: entry.reference,
    }));
}
