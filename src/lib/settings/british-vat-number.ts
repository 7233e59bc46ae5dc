/**
 * A British VAT number in its stored form: capitals, without blanks, dots and hyphens.
 * Undefined for a text without the form of one, or with wrong check digits. The form is GB or XI (Northern Ireland) and
 * 9 digits, 12 for a branch of a group, GD and 000 to 499 for a government department, or HA and 500 to 999 for a
 * health authority.
 */
export function readBritishVatNumber(text: string): string | undefined {
  const compact = text.toUpperCase().replaceAll(/[ .-]/g, '');
  if (/^(?:GB|XI)(?:GD[0-4]|HA[5-9])[0-9]{2}$/.test(compact)) return compact;
  const digits = /^(?:GB|XI)([0-9]{9})(?:[0-9]{3})?$/.exec(compact)?.[1];
  return digits !== undefined && hasCheckDigits(digits) ? compact : undefined;
}

const WEIGHTS = [8, 7, 6, 5, 4, 3, 2, 10, 1];

/** Numbers from this one on may have the newer check digits. */
const NEWER_FROM = 100_000_000;

/**
 * Checks nine digits by the two rules of HMRC.
 * The weighted sum, its last two digits taken as a number, is a multiple of 97; by the newer rule it is one with 55
 * added, which numbers below 100 0000 00 never have.
 */
function hasCheckDigits(digits: string): boolean {
  const sum = WEIGHTS.reduce((total, weight, index) => total + weight * Number(digits[index]), 0);
  const isIssued = Number(digits) > 0;
  return isIssued && (sum % 97 === 0 || (Number(digits) >= NEWER_FROM && (sum + 55) % 97 === 0));
}
