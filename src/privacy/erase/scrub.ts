import type { StoredAddress } from '../../orders/order-columns.ts';

// What an erasure leaves of a text, a document or an address. Pure.

/** An address of which only the country is left, by which VAT and customs were decided. */
export function countryOnly(address: Pick<StoredAddress, 'country_code'>): StoredAddress {
  return {
    contact_name: '',
    company_name: '',
    line1: '',
    line2: '',
    city: '',
    county: '',
    postcode: '',
    country_code: address.country_code,
    phone: '',
    email: '',
  };
}

/** Public ids and references of orders: what a record keeps of its texts. */
const NAMES_A_RECORD = /^([a-z]+_[0-7][0-9a-hjkmnp-tv-z]{25}|PF-[2-9A-HJKMNP-TV-Z]{8})$/;
/** Members whose values are words of our own. */
const OWN_WORDS: ReadonlySet<string> = new Set(['code', 'outcome', 'refund', 'method', 'area', 'state', 'carrier']);
const DEPTH_MAX = 8;

/** The detail of an operator's act without free text: numbers, flags, ids and words of our own stay. */
export function withoutText(detail: unknown, depth = 0): unknown {
  if (typeof detail === 'string') return NAMES_A_RECORD.test(detail) ? detail : undefined;
  if (typeof detail !== 'object' || detail === null) return detail;
  if (depth === DEPTH_MAX) return undefined;
  if (Array.isArray(detail)) {
    return detail.map((item: unknown) => withoutText(item, depth + 1)).filter((item) => item !== undefined);
  }
  return Object.fromEntries(
    Object.entries<unknown>({ ...detail }).flatMap(([name, value]) => {
      const isOwn = OWN_WORDS.has(name) && typeof value === 'string' && /^[a-z_]+$/.test(value);
      const left = isOwn ? value : withoutText(value, depth + 1);
      return left === undefined ? [] : [[name, left]];
    }),
  );
}

/** The data of an event, in its members and their order, with nothing in those that lead to a person. */
export function eventWithoutPerson(data: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => {
      if (name === 'reason') return [name, ''];
      if (name === 'tracking_numbers') return [name, []];
      if (name === 'shipment' && typeof value === 'object') {
        return [name, { ...value, tracking_number: '', tracking_url: null }];
      }
      return [name, value];
    }),
  );
}

/** Warnings that repeat what the request said. */
const REPEATS_THE_REQUEST: ReadonlySet<string> = new Set(['unknown_field']);

/** The warnings of an order without those that repeat a text of its request. */
export function warningsWithoutText<Warning extends { readonly code: string }>(
  warnings: readonly Warning[],
): Warning[] {
  return warnings.filter(({ code }) => !REPEATS_THE_REQUEST.has(code));
}
