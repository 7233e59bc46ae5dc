import codes from 'i18n-iso-countries/codes.json' with { type: 'json' };

// The package lists XK, which is in common use but is a user-assigned code and no part of ISO 3166-1.
const COUNTRY_CODES: ReadonlySet<string> = new Set(
  codes.flatMap(([alpha2]) => alpha2 ?? []).filter((code) => code !== 'XK'),
);

/** Whether a text is an ISO 3166-1 alpha-2 code, in capitals (decisions, "Country codes"): `GB` is, `UK` and `gb` are not. */
export function isCountryCode(text: string): boolean {
  return COUNTRY_CODES.has(text);
}
