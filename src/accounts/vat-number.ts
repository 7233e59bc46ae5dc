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

const IRISH = '(\\d{7}[A-W][A-I]?|\\d[A-Z+*]\\d{5}[A-W])';

/** What follows the prefix, by country. */
const FORMS: Readonly<Record<string, string>> = {
  ...{
    AT: 'U\\d{8}',
    BE: '[01]\\d{9}',
    BG: '\\d{9,10}',
    CY: '\\d{8}[A-Z]',
    CZ: '\\d{8,10}',
    DE: '\\d{9}',
    DK: '\\d{8}',
  },
  ...{
    EE: '\\d{9}',
    EL: '\\d{9}',
    ES: '[A-Z0-9]\\d{7}[A-Z0-9]',
    FI: '\\d{8}',
    FR: '[A-HJ-NP-Z0-9]{2}\\d{9}',
    HR: '\\d{11}',
  },
  ...{ HU: '\\d{8}', IE: IRISH, IT: '\\d{11}', LT: '(\\d{9}|\\d{12})', LU: '\\d{8}', LV: '\\d{11}', MT: '\\d{8}' },
  ...{
    NL: '[A-Z0-9+*]{10}\\d{2}',
    PL: '\\d{10}',
    PT: '\\d{9}',
    RO: '\\d{2,10}',
    SE: '\\d{10}01',
    SI: '\\d{8}',
    SK: '\\d{10}',
  },
};

/**
 * Whether a VAT number in its stored form has the letters and digits that its country gives.
 * Stricter than `readVatNumber`, which an operator may need for a form that is new.
 */
export function hasFormOfCountry(vatNumber: string): boolean {
  const form = FORMS[vatNumber.slice(0, 2)];
  return form === undefined || new RegExp(`^..${form}$`).test(vatNumber);
}

/** Whether a VAT number in its stored form is one of a member of the EU, which reverse charge needs. */
export function isEuVatNumber(vatNumber: string): boolean {
  return EU_PREFIXES.includes(vatNumber.slice(0, 2));
}
