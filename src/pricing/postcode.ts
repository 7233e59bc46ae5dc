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

/** A district of digits alone, and an inward code: the form of the dependencies of the Crown. */
const DISTRICT_OF_DIGITS = '^[A-Z]{2}\\d{1,2}\\d[A-Z]{2}$';

/**
 * Forms that a postcode of the data must have as well.
 * The data knows the areas of the British postcode and the letters of its inward code, but takes any letter at the end
 * of an outward code. Only districts in the middle of London end with one: `E1W`, `N1C`, `W1A`; `EC1A`, `SW1A`.
 */
const ALSO_OF_FORM: Readonly<Record<string, string>> = {
  GB: [
    '^(?:GIR0AA|BFPO\\d{1,4}|(?:[A-Z]{1,2}\\d{1,2}|[A-Z]\\d[A-HJKPSTUW]|',
    '(?!BT|GY|IM|JE)[A-Z]{2}\\d[ABEHMNPRVWXY])\\d[A-Z]{2})$',
  ].join(''),
  GG: DISTRICT_OF_DIGITS,
  IM: DISTRICT_OF_DIGITS,
  JE: DISTRICT_OF_DIGITS,
};

/**
 * What a text in the place of a postcode is.
 * `recognised`: a postcode of the country, as capitals and digits without separators and without a country's letters
 * before digits. `unrecognised`: none, with an example of what the country writes. `without`: the country has no
 * postcodes, so any text is fine and says nothing.
 */
export type PostcodeReading =
  | { readonly kind: 'recognised'; readonly postcode: string }
  | { readonly kind: 'unrecognised'; readonly example: string }
  | { readonly kind: 'without' };

/**
 * Reads the postcode of an address; the one judge of warnings and of prices.
 * Compares the form alone, and leniently in how it is written: spaces, punctuation, letter case, full-width letters and
 * a country's letters in front (`D-80331`, `NL-1234 AB`) do not count. Any other letter or digit does, so that a
 * postcode within a longer text is none.
 */
export function readPostcode(countryCode: string, postcode: string): PostcodeReading {
  const form = formOf(countryCode);
  if (form === undefined) return { kind: 'without' };
  const found = spellings(countryCode, postcode).find((text) => form.test(text));
  if (found !== undefined) return { kind: 'recognised', postcode: withoutCountry(found) };
  return { kind: 'unrecognised', example: COUNTRIES[countryCode]?.example[0] ?? '' };
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
  const written = WRITTEN_SO[countryCode] ?? (also === undefined ? listed : `${listed}|^${also}$`);
  return new RegExp(`(?=${ALSO_OF_FORM[countryCode] ?? ''})(?:${written})`);
}

/** Takes spaces and hyphens out of a pattern, but not the hyphens of its character classes. */
function withoutSeparators(pattern: string): string {
  return pattern.replaceAll(/\[[^\]]*\]|[ -]\??/g, (part) =>
    part.startsWith('[') && !/^\[[ \\-]+\]$/.test(part) ? part : '',
  );
}

/** The readings of a text without separators: as it is, and without or with a country's letters. */
function spellings(countryCode: string, postcode: string): readonly string[] {
  // One of this length has no reading, whatever stands in it.
  if (postcode.length > TEXT_LENGTH_MAX) return [];
  const compact = postcode
    .normalize('NFKC')
    // Arabic and Persian digits: the last four bits of their code points are their values.
    .replaceAll(/[\u0660-\u0669\u06F0-\u06F9]/g, (digit) => String(digit.charCodeAt(0) % 16))
    .toUpperCase()
    // Separators alone. A letter of another script stays, and no form has it.
    .replaceAll(/[\p{P}\p{S}\p{Z}\p{Cc}\p{Cf}]/gu, '');
  const bare = withoutCountry(compact);
  const unprefixed = compact.startsWith(countryCode) ? compact.slice(countryCode.length) : compact;
  return [compact, bare, unprefixed, `${countryCode}${bare}`];
}

/** Far more than any postcode with its separators has. */
const TEXT_LENGTH_MAX = 100;

/** `LV1010`, `D78266`, `NY10001`: the letters before the digits are no part of the postcode. */
function withoutCountry(compact: string): string {
  return compact.replace(/^[A-Z]{1,3}(?=\d+$)/, '');
}
