import { isCountryCode, unknownCountry } from '../lib/countries.ts';
import { isCurrencyCode } from '../lib/currencies.ts';
import type { Problem } from '../lib/errors.ts';

/**
 * The form of a state or region where a quote needs one (decisions, "Quotes: destination.state").
 * NSW is Australia's own code.
 */
const STATE_FORMS: Readonly<Record<string, { readonly form: RegExp; readonly words: string }>> = {
  US: { form: /^[A-Za-z]{2}$/, words: 'two letters, such as CA' },
  CA: { form: /^[A-Za-z]{2}$/, words: 'two letters, such as ON' },
  AU: { form: /^[A-Za-z]{2,3}$/, words: 'two or three letters, such as NSW' },
  IN: { form: /^[A-Za-z]{2}$/, words: 'two letters, such as KA' },
};

/** Spec 4.6: shipping uses the state of these countries when it is given, tax requires it of those. */
const SHIPPING_STATE_COUNTRIES = ['US', 'CA', 'AU'];
const TAX_STATE_COUNTRIES = ['US', 'CA', 'AU', 'IN'];

/**
 * Problems of the body of `POST /shipping/rates` beyond its shape (spec 4.6).
 * They are an unknown country or currency, and a state that is not in its country's form. The body may be any JSON.
 */
export function shippingRatesProblems(body: unknown): readonly Problem[] {
  const { country, state } = destinationOf(body);
  return [
    ...countryProblems(country),
    ...(state === undefined || state === null ? [] : stateProblems(country, state, SHIPPING_STATE_COUNTRIES)),
    ...currencyProblems(body),
  ];
}

/** As `shippingRatesProblems`, for `POST /tax/rates`, where the state is required if tax depends on it. */
export function taxRatesProblems(body: unknown): readonly Problem[] {
  const { country, state } = destinationOf(body);
  return [
    ...countryProblems(country),
    ...(state === undefined ? missingState(country) : stateProblems(country, state, TAX_STATE_COUNTRIES)),
    ...currencyProblems(body),
  ];
}

const STATE_PATH = 'destination.state';

function destinationOf(body: unknown): { country: unknown; state: unknown } {
  const destination = memberOf(body, 'destination');
  return { country: memberOf(destination, 'country'), state: memberOf(destination, 'state') };
}

function memberOf(value: unknown, name: string): unknown {
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** The schema refuses everything but two capitals. */
function countryProblems(country: unknown): Problem[] {
  if (typeof country !== 'string' || !/^[A-Z]{2}$/.test(country) || isCountryCode(country)) return [];
  return [unknownCountry(country, 'destination.country')];
}

function stateProblems(country: unknown, state: unknown, countries: readonly string[]): Problem[] {
  if (typeof country !== 'string' || typeof state !== 'string' || !countries.includes(country)) return [];
  const asked = STATE_FORMS[country];
  if (asked === undefined || asked.form.test(state)) return [];
  return [{ path: STATE_PATH, code: 'pattern', message: `must be a state or region of ${country}: ${asked.words}.` }];
}

function missingState(country: unknown): Problem[] {
  if (typeof country !== 'string' || !TAX_STATE_COUNTRIES.includes(country)) return [];
  const message = `state is required for ${country}: ${STATE_FORMS[country]?.words}.`;
  return [{ path: STATE_PATH, code: 'required', message }];
}

function currencyProblems(body: unknown): Problem[] {
  const currency = memberOf(body, 'currency');
  if (typeof currency !== 'string' || !/^[A-Z]{3}$/.test(currency) || isCurrencyCode(currency)) return [];
  return [
    { path: 'currency', code: 'unknown_currency', message: `${currency} is not the ISO 4217 code of a currency.` },
  ];
}
