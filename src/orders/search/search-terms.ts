import type { StoredAddress } from '../order-columns.ts';

/** What operators search for in orders. The order here is that of how few orders a term usually has. */
export const SEARCH_KINDS = ['external_reference', 'postcode', 'recipient', 'amount'] as const;
type SearchKind = (typeof SEARCH_KINDS)[number];

/** A normalised text by which an order is found. */
export type SearchTerm = { readonly kind: SearchKind; readonly term: string };

type Searched = {
  readonly shipping_address: Pick<StoredAddress, 'contact_name' | 'company_name' | 'postcode'>;
  readonly external_reference: string | null;
  readonly total_pence: number;
};

/** More words than a name and a company have; the rest are not found. */
const WORDS_MAX = 16;
const WORD_LENGTH_MAX = 40;

/** The terms by which an order is found. */
export function searchTermsOf(order: Searched): SearchTerm[] {
  const { contact_name: name, company_name: company } = order.shipping_address;
  return [
    ...(order.external_reference === null ? [] : [term('external_reference', compact(order.external_reference))]),
    term('postcode', compact(order.shipping_address.postcode)),
    ...wordsOf(`${name} ${company}`).map((word) => term('recipient', word)),
    term('amount', String(order.total_pence)),
  ];
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

/** The term that has the fewest orders comes first: of several words, the longest. */
export function rarestFirst(terms: readonly SearchTerm[]): SearchTerm[] {
  return terms.toSorted(
    (a, b) => SEARCH_KINDS.indexOf(a.kind) - SEARCH_KINDS.indexOf(b.kind) || b.term.length - a.term.length,
  );
}

function term(kind: SearchKind, text: string): SearchTerm {
  return { kind, term: text };
}
