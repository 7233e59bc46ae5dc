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
