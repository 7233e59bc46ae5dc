import { COUNTRIES } from 'postal-code-checker';

/**
 * Forms that the library's data does not have, without separators.
 * They are newer, longer or rarer than what it lists (Universal Postal Union, "Postal addressing systems").
 */
const ALSO_WRITTEN: Readonly<Record<string, string>> = {
  EG: '\\d{7}',
  HN: '[A-Z]{2}\\d{4}',
  KZ: '[A-Z]\\d{2}[A-Z]\\d[A-Z]\\d',
  MM: '\\d{7}',
  MU: '[AR]\\d{4}',
  MZ: '\\d{6}',
  PY: '\\d{6}',
  SA: '\\d{9}',
  SH: 'TDCU1ZZ',
  SV: '\\d{4,5}',
  VE: '\\d{4}[A-Z]',
};

/** Forms in place of the data's, which takes any seven letters and digits for Irish, `Dublin 2` too. */
const WRITTEN_SO: Readonly<Record<string, string>> = { IE: '^[A-Z]\\d[\\dW][A-Z\\d]{4}$' };

/**
 * An example of a country's postcodes, if this text is none of them; undefined if it is one.
 * Compares the form alone, and leniently, since a false alarm is worse than a miss: spaces, hyphens, letter case and
 * a country's letters in front (`D-80331`, `NL-1234 AB`) do not count. Where a country has no postcodes, any text
 * is one.
 */
export function examplePostcodeUnless(countryCode: string, postcode: string): string | undefined {
  const form = formOf(countryCode);
  if (form === undefined || spellings(countryCode, postcode).some((text) => form.test(text))) return undefined;
  return COUNTRIES[countryCode]?.example[0];
}

/** One for each country that was asked for, so at most as many as there are countries. */
const compiled = new Map<string, RegExp | undefined>();

/** The postcodes of a country without separators; undefined if it has none, or is no country. */
function formOf(countryCode: string): RegExp | undefined {
  if (!compiled.has(countryCode)) compiled.set(countryCode, compileForm(countryCode));
  return compiled.get(countryCode);
}

function compileForm(countryCode: string): RegExp | undefined {
  if (!Object.hasOwn(COUNTRIES, countryCode)) return undefined;
  const patterns = COUNTRIES[countryCode]?.patterns ?? [];
  if (patterns.length === 0) return undefined;
  // The library writes a pattern as `/^(?:\d{2}-\d{3})$/`.
  const listed = patterns.map((pattern) => withoutSeparators(pattern.slice(1, -1))).join('|');
  const also = ALSO_WRITTEN[countryCode];
  return new RegExp(WRITTEN_SO[countryCode] ?? (also === undefined ? listed : `${listed}|^${also}$`));
}

/** Takes spaces and hyphens out of a pattern, but not the hyphens of its character classes. */
function withoutSeparators(pattern: string): string {
  return pattern.replaceAll(/\[[^\]]*\]|[ -]\??/g, (part) =>
    part.startsWith('[') && !/^\[[ \\-]+\]$/.test(part) ? part : '',
  );
}

/** The readings of a text without separators: as it is, and without or with a country's letters. */
function spellings(countryCode: string, postcode: string): readonly string[] {
  const compact = postcode
    .normalize('NFKC')
    // Arabic and Persian digits: the last four bits of their code points are their values.
    .replaceAll(/[\u0660-\u0669\u06F0-\u06F9]/g, (digit) => String(digit.charCodeAt(0) % 16))
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]/g, '');
  const bare = compact.replace(/^[A-Z]{1,3}(?=\d+$)/, '');
  const unprefixed = compact.startsWith(countryCode) ? compact.slice(countryCode.length) : compact;
  return [compact, bare, unprefixed, `${countryCode}${bare}`];
}
