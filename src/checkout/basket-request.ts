import { isCountryCode, unknownCountry } from '../lib/countries.ts';
import { type Problem, validationFailed } from '../lib/errors.ts';
import { fromPounds } from '../lib/money.ts';
import { MISPLACED_IN_ORDER, misplacedProblems } from '../lib/validation/misplaced-fields.ts';
import type { UnknownField } from '../lib/validation/validate.ts';
import { METADATA_NAME_MAX, type PlaceOrderBody } from '../orders/schema.ts';

/** A basket to estimate or to place, as the HTTP layer hands it over. */
export type BasketRequest = {
  readonly body: PlaceOrderBody;
  /** Members that the schema does not know. */
  readonly unknownFields: readonly UnknownField[];
  /**
   * Aborts when the client disconnects.
   * It may be made when it is first read: most baskets wait for nothing that it would end.
   */
  readonly signal: AbortSignal;
};

/**
 * Refuses with 422 what is wrong with a body's shape but cannot be said by its schema.
 * Runs before anything is looked up, the external reference included (decisions, "Order of checks").
 */
export function refuseOrderShape(body: PlaceOrderBody): void {
  const problems = [
    ...decorationProblems(body),
    ...declaredPriceProblems(body),
    ...expectedTotalProblems(body),
    ...metadataProblems(body),
    ...countryProblems(body),
  ];
  if (problems.length > 0) throw validationFailed(problems);
}

/** Each `decoration` has exactly one of `areas` and `personalisation` (spec 4.2). */
function decorationProblems(body: PlaceOrderBody): Problem[] {
  return body.items.flatMap(({ decoration }, index) => {
    if (decoration === undefined || (decoration.areas === undefined) !== (decoration.personalisation === undefined)) {
      return [];
    }
    const message = 'decoration needs exactly one of areas and personalisation.';
    return [{ path: `items[${index}].decoration`, code: 'one_of', message }];
  });
}

/** A schema cannot count decimals. */
function declaredPriceProblems(body: PlaceOrderBody): Problem[] {
  return body.items.flatMap(({ declared_unit_price: declared }, index) => {
    if (declared === undefined || fromPounds(declared) !== undefined) return [];
    const message = 'must be pounds with at most 2 decimals.';
    return [{ path: `items[${index}].declared_unit_price`, code: 'decimals', message }];
  });
}

function expectedTotalProblems({ expected_total: expected }: PlaceOrderBody): Problem[] {
  if (expected === undefined || fromPounds(expected) !== undefined) return [];
  return [{ path: 'expected_total', code: 'decimals', message: 'must be pounds with at most 2 decimals.' }];
}

/** A schema bounds the values of a dictionary, but not its names. */
function metadataProblems(body: PlaceOrderBody): Problem[] {
  const isLong = Object.keys(body.metadata ?? {}).some((name) => Array.from(name).length > METADATA_NAME_MAX);
  if (!isLong) return [];
  const message = `The names in metadata have at most ${METADATA_NAME_MAX} characters.`;
  return [{ path: 'metadata', code: 'out_of_bounds', message }];
}

/**
 * Finds what a basket's schema cannot say, in any JSON value.
 * That is countries that are none, and members that would change what is made or paid but do not stand where they are
 * taken. Called together with the check of a body's shape.
 */
export function basketProblems(body: unknown): Problem[] {
  return [...countryProblems(body), ...misplacedProblems(MISPLACED_IN_ORDER, body)];
}

function countryProblems(body: unknown): Problem[] {
  return ['shipping_address', 'billing_address'].flatMap((name) => {
    const address = memberOf(body, name);
    const country = memberOf(address, 'country_code');
    if (typeof country !== 'string' || !/^[A-Z]{2}$/.test(country) || isCountryCode(country)) return [];
    return [unknownCountry(country, `${name}.country_code`)];
  });
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}
