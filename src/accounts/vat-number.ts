/**
 * How an account is treated for VAT. The price book has a rate for each (domain, "VAT").
 * `reverse_charge_eu` is a business in the EU with a VAT number on record.
 */
export const VAT_STATUSES = ['standard', 'reverse_charge_eu'] as const;
export type VatStatus = (typeof VAT_STATUSES)[number];

/** The prefixes of VAT numbers of the EU's members: their country codes, but Greece's is EL. */
const EU_PREFIXES = 'AT BE BG CY CZ DE DK EE EL ES FI FR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' ');

/** The message for an invalid VAT number. */
export const VAT_NUMBER_RULE =
  'must be a VAT number with its prefix: GB or XI and 9 or 12 digits, or that of a member of the EU and 2 to 13 letters and digits.';

/**
 * A VAT number in its stored form: capitals, without blanks, dots and hyphens.
 * Undefined for a text that does not have the form of a number of Great Britain (GB), Northern Ireland (XI) or a
 * member of the EU. Only the form is checked, not whether the number is in force, which only the tax authority knows.
 */
export function readVatNumber(text: string): string | undefined {
  const compact = text.toUpperCase().replaceAll(/[ .-]/g, '');
  const prefix = compact.slice(0, 2);
  // Twelve digits are a branch of a group; GD and HA are departments and health authorities.
  if (prefix === 'GB' || prefix === 'XI') return /^..(\d{9}|\d{12}|(GD|HA)\d{3})$/.test(compact) ? compact : undefined;
  return EU_PREFIXES.includes(prefix) && /^..[A-Z0-9+*]{2,13}$/.test(compact) ? compact : undefined;
}

/** Whether a VAT number in its stored form is one of a member of the EU, which reverse charge needs. */
export function isEuVatNumber(vatNumber: string): boolean {
  return EU_PREFIXES.includes(vatNumber.slice(0, 2));
}
