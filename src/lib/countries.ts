import codes from 'i18n-iso-countries/codes.json' with { type: 'json' };
import type { Problem } from './errors.ts';

// The package lists XK, which is in common use but is a user-assigned code and no part of ISO 3166-1.
const COUNTRY_CODES: ReadonlySet<string> = new Set(
  codes.flatMap(([alpha2]) => alpha2 ?? []).filter((code) => code !== 'XK'),
);

/**
 * Whether a text is an ISO 3166-1 alpha-2 code in capitals (decisions, "Country codes").
 * `GB` is; `UK` and `gb` are not.
 */
export function isCountryCode(text: string): boolean {
  return COUNTRY_CODES.has(text);
}

/** The problem of a text that is no country code, with a hint for the one that is often meant. */
export function unknownCountry(text: string, path: string): Problem {
  const hint = text === 'UK' ? ' The United Kingdom is GB.' : '';
  return { path, code: 'unknown_country', message: `${text} is not an ISO 3166-1 alpha-2 country code.${hint}` };
}

const NAMES = new Intl.DisplayNames(['en'], { type: 'region' });

/** The English name of a country code; the code itself if it is none. */
export function countryName(code: string): string {
  return isCountryCode(code) ? (NAMES.of(code) ?? code) : code;
}

// How the United Kingdom is written at the end of an address besides its name and code.
const HOME_NAMES = ['uk', 'great britain', 'england', 'scotland', 'wales', 'northern ireland'];

const CODES_BY_NAME: ReadonlyMap<string, string> = new Map([
  ...[...COUNTRY_CODES].flatMap((code): [string, string][] => [
    [code.toLowerCase(), code],
    [countryName(code).toLowerCase(), code],
  ]),
  ...HOME_NAMES.map((name): [string, string] => [name, 'GB']),
]);

/**
 * The code of a country that is written by its code or its English name, in any case.
 * Undefined for other texts.
 */
export function countryCodeOf(text: string): string | undefined {
  return CODES_BY_NAME.get(text.trim().toLowerCase());
}
