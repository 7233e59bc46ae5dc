import type { GROUNDS, KEPT, PURPOSES } from './terms.ts';

/** Whose data it is. */
export const PEOPLE = ['recipient', 'customer', 'operator', 'caller'] as const;
export type Person = (typeof PEOPLE)[number];

/** What one column, file or field holds of people, and what becomes of it. */
export type Personal = {
  readonly of: Person;
  /** What it holds, in the words of a reader who knows no tables. */
  readonly what: string;
  readonly purpose: keyof typeof PURPOSES;
  readonly ground: keyof typeof GROUNDS;
  readonly kept: keyof typeof KEPT;
  /** What an erasure of the order, of the recipient or of the account does to it. */
  readonly erasure: string;
};

/** The columns of a table: those without personal data, in one text, and the others. */
export type TableEntry = {
  readonly about: string;
  readonly plain: string;
  readonly personal?: Readonly<Record<string, Personal>>;
};

/** A place outside of the tables: a kind of file, log line or message. */
export type PlaceEntry = {
  readonly place: string;
  readonly about: string;
  readonly personal?: Personal;
};

/** What belongs to the recipient of an order. */
export function ofRecipient(what: string, erasure = 'cleared with the order'): Personal {
  return { of: 'recipient', what, purpose: 'fulfil', ground: 'contract', kept: 'order', erasure };
}

/** A free text about an order, in which a person may be named. */
export function freeText(what: string, erasure = 'cleared with the order'): Personal {
  return {
    of: 'recipient',
    what: `${what}; free text`,
    purpose: 'explain',
    ground: 'contract',
    kept: 'order',
    erasure,
  };
}

/** What belongs to people of a customer. */
export function ofCustomer(what: string, erasure = 'cleared with the account'): Personal {
  return { of: 'customer', what, purpose: 'account', ground: 'contract', kept: 'account', erasure };
}

/** What an operator does: who did what is kept as evidence. */
export function ofOperator(what: string): Personal {
  const erasure = 'stays: it is evidence of who acted for the shop';
  return { of: 'operator', what, purpose: 'audit', ground: 'interest', kept: 'audit', erasure };
}
