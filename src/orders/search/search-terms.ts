import type { StoredAddress } from '../order-columns.ts';
import { emailKey, phoneKey } from './contact-keys.ts';

/** What operators search for in orders. The order here is that of how few orders a term usually has. */
export const SEARCH_KINDS = [
  'external_reference',
  'email',
  'phone',
  'postcode',
  'other_postcode',
  'recipient',
  'amount',
] as const;
type SearchKind = (typeof SEARCH_KINDS)[number];

/** A normalised text by which an order is found. */
export type SearchTerm = { readonly kind: SearchKind; readonly term: string };

type SearchedAddress = Pick<StoredAddress, 'contact_name' | 'company_name' | 'postcode'> &
  Partial<Pick<StoredAddress, 'phone' | 'email'>>;

type Searched = {
  readonly shipping_address: SearchedAddress;
  /** The address for billing, and those that its parcels left for. */
  readonly other_addresses?: readonly SearchedAddress[];
  readonly external_reference: string | null;
  readonly total_pence: number;
};

/** More words than a name and a company have; the rest are not found. */
const WORDS_MAX = 16;
const WORD_LENGTH_MAX = 40;

/**
 * The terms by which an order is found, each once.
 * Operators find it by the address that it goes to. Of its other addresses it has what names a person, for requests
 * about personal data: these are compared with the whole address.
 */
export function searchTermsOf(order: Searched): SearchTerm[] {
  const { contact_name: name, company_name: company, postcode } = order.shipping_address;
  const others = order.other_addresses ?? [];
  const terms = [
    ...(order.external_reference === null ? [] : [term('external_reference', compact(order.external_reference))]),
    term('postcode', compact(postcode)),
    ...others.map((address) => term('other_postcode', compact(address.postcode))),
    ...[order.shipping_address, ...others].flatMap(({ phone = '', email = '' }) => [
      term('phone', phoneKey(phone)),
      term('email', emailKey(email)),
    ]),
    ...wordsOf(`${name} ${company}`).map((word) => term('recipient', word)),
    term('amount', String(order.total_pence)),
  ];
  const isOwn = (one: SearchTerm): boolean => one.kind === 'other_postcode' && one.term === compact(postcode);
  // An erased address has no terms.
  const given = terms.filter((one) => one.term !== '' && !isOwn(one));
  return [...new Map(given.map((one) => [`${one.kind} ${one.term}`, one])).values()];
}

/**
 * The words of a name: in capitals, without accents and punctuation, each once.
 * `O'Brien-Müller` is `O`, `BRIEN`, `MULLER`.
 */
export function wordsOf(text: string): string[] {
  const plain = text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toUpperCase();
  const words = (plain.match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => word.slice(0, WORD_LENGTH_MAX));
  return [...new Set(words)].slice(0, WORDS_MAX);
}

/** A text in capitals and without white space. */
export function compact(text: string): string {
  return text.normalize('NFKC').replaceAll(/\s/gu, '').toUpperCase();
}

/** The term that is likely to have the fewest orders comes first: of several words, the longest. */
export function likelyRarestFirst(terms: readonly SearchTerm[]): SearchTerm[] {
  return terms.toSorted(
    (a, b) => SEARCH_KINDS.indexOf(a.kind) - SEARCH_KINDS.indexOf(b.kind) || b.term.length - a.term.length,
  );
}

function term(kind: SearchKind, text: string): SearchTerm {
  return { kind, term: text };
}
