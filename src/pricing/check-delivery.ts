import { countryCodeProblems, SHIPPING_CLASSES } from '../catalogue/document.ts';
import type { Problem } from '../lib/errors.ts';
import { repeatProblems } from '../lib/validation/validate.ts';
import { PARCEL_ROOM_GRAMS_MIN, type PriceBook } from './price-book.ts';
import { HOME_TERRITORIES, placeKey, TERRITORIES, type Territory } from './territory.ts';

/** Problems of a price book's zones, shipping services and duty rules. Paths begin with `at`. */
export function deliveryProblems(book: PriceBook, at: string): Problem[] {
  return [
    ...zoneProblems(book.shipping, `${at}shipping`),
    ...serviceProblems(book.shipping, `${at}shipping`),
    ...dutyProblems(book, at),
  ];
}

/** A problem when a well-formed instant names a day or hour that does not exist. */
export function instantProblems(instant: string, path: string): Problem[] {
  const time = new Date(instant);
  // 31 February parses as 3 March, so a date exists only if it prints as it was written.
  if (!Number.isNaN(time.getTime()) && time.toISOString() === instant) return [];
  return [{ path, code: 'instant', message: `${instant} is not a date that exists.` }];
}

function zoneProblems(shipping: PriceBook['shipping'], path: string): Problem[] {
  const places = shipping.zones.flatMap(({ country_codes, postcodes }, index) => [
    ...country_codes.map((code, at) => ({
      code,
      key: placeKey(code, ''),
      path: `${path}.zones[${index}].country_codes[${at}]`,
    })),
    ...(postcodes ?? []).flatMap(({ country_code, prefixes }, entry) =>
      prefixes.map((prefix, at) => ({
        code: country_code,
        key: placeKey(country_code, prefix),
        path: `${path}.zones[${index}].postcodes[${entry}].prefixes[${at}]`,
      })),
    ),
  ]);
  const problems = [
    ...repeatProblems(
      shipping.zones.map(({ zone }) => zone),
      (index) => `${path}.zones[${index}].zone`,
    ),
    ...repeatProblems(
      places.map(({ key }) => key),
      (index) => places[index]?.path ?? '',
    ),
    ...places.flatMap((place) => countryCodeProblems(place.code, place.path)),
  ];
  if (!places.some(({ key }) => key === placeKey('GB', ''))) {
    problems.push({ path: `${path}.zones`, code: 'zone_missing', message: 'A zone must hold the country GB.' });
  }
  return problems;
}

function serviceProblems(shipping: PriceBook['shipping'], path: string): Problem[] {
  const zones = shipping.zones.map(({ zone }) => zone);
  const problems = [
    ...repeatProblems(
      shipping.services.map(({ id }) => id),
      (index) => `${path}.services[${index}].id`,
    ),
    ...repeatProblems(
      shipping.services.map(({ zone, service }) => `${service} in ${zone}`),
      (index) => `${path}.services[${index}].service`,
    ),
  ];
  shipping.services.forEach((service, index) => {
    const here = `${path}.services[${index}]`;
    if (!zones.includes(service.zone)) {
      const message = `${service.zone} is not among the zones.`;
      problems.push({ path: `${here}.zone`, code: 'unknown_zone', message, valid_values: zones });
    }
    if (service.eta_days.min > service.eta_days.max) {
      problems.push({ path: `${here}.eta_days`, code: 'eta_days', message: 'min must not be above max.' });
    }
    problems.push(...bandProblems(service, shipping.packaging_grams, here));
  });
  shipping.zones.forEach(({ zone }, index) => {
    const offered = shipping.services.filter((service) => service.zone === zone);
    if (offered.some((service) => SHIPPING_CLASSES.every((one) => service.shipping_classes.includes(one)))) return;
    const message = `${zone} needs a service that carries ${SHIPPING_CLASSES.join(', ')}, so that every order can be sent.`;
    problems.push({ path: `${path}.zones[${index}]`, code: 'no_service', message });
  });
  return problems;
}

function bandProblems(
  service: PriceBook['shipping']['services'][number],
  packagingGrams: PriceBook['shipping']['packaging_grams'],
  path: string,
): Problem[] {
  const problems: Problem[] = [];
  service.weight_bands.forEach((band, index) => {
    const before = service.weight_bands[index - 1];
    if (before === undefined || (band.up_to_grams > before.up_to_grams && band.pence >= before.pence)) return;
    const message = 'must be heavier than the band before it, and no cheaper.';
    problems.push({ path: `${path}.weight_bands[${index}]`, code: 'weight_bands', message });
  });
  const largestGrams = service.weight_bands.at(-1)?.up_to_grams ?? 0;
  for (const shippingClass of service.shipping_classes) {
    if (largestGrams - packagingGrams[shippingClass] >= PARCEL_ROOM_GRAMS_MIN) continue;
    const message = `The largest parcel leaves less than ${PARCEL_ROOM_GRAMS_MIN} g for ${shippingClass} goods beside their packaging.`;
    problems.push({ path: `${path}.weight_bands`, code: 'weight_bands', message });
  }
  return problems;
}

function dutyProblems(book: PriceBook, at: string): Problem[] {
  const scopes = book.duty_rules.map((rule) =>
    [
      rule.territory,
      rule.country_code,
      rule.hs_prefix,
      rule.origin_country,
      rule.declared_over_pence,
      rule.declared_up_to_pence,
      rule.valid_from,
    ].join(':'),
  );
  const problems = repeatProblems(scopes, (index) => `${at}duty_rules[${index}]`);
  book.duty_rules.forEach((rule, index) => {
    const path = `${at}duty_rules[${index}]`;
    problems.push(...instantProblems(rule.valid_from, `${path}.valid_from`));
    if (rule.country_code !== undefined)
      problems.push(...countryCodeProblems(rule.country_code, `${path}.country_code`));
    if (rule.origin_country !== undefined)
      problems.push(...countryCodeProblems(rule.origin_country, `${path}.origin_country`));
    if (HOME_TERRITORIES.includes(rule.territory)) {
      problems.push({
        path: `${path}.territory`,
        code: 'no_border',
        message: `There is no duty inside ${rule.territory}.`,
      });
    }
    if ((rule.declared_over_pence ?? 0) > (rule.declared_up_to_pence ?? Number.MAX_SAFE_INTEGER)) {
      problems.push({
        path,
        code: 'value_band',
        message: 'declared_over_pence must not be above declared_up_to_pence.',
      });
    }
    if (rule.incoterm === 'DAP' && rule.ad_valorem_bp + rule.per_hs_group_pence + rule.per_parcel_pence > 0) {
      problems.push({ path, code: 'incoterm', message: 'A DAP rule charges nothing: set its three amounts to 0.' });
    }
  });
  for (const territory of TERRITORIES) {
    if (!lacksDutyRule(book, territory)) continue;
    const message = `${territory} needs a rule for all goods of any value, valid from the book's first day.`;
    problems.push({ path: `${at}duty_rules`, code: 'missing_rule', message });
  }
  return problems;
}

/** Whether a customs border lies before a territory and a book has no rule for all goods that go there. */
export function lacksDutyRule(book: PriceBook, territory: Territory): boolean {
  return !HOME_TERRITORIES.includes(territory) && !book.duty_rules.some((rule) => isCatchAll(rule, territory, book));
}

function isCatchAll(rule: PriceBook['duty_rules'][number], territory: string, book: PriceBook): boolean {
  const { country_code, hs_prefix, origin_country, declared_over_pence, declared_up_to_pence } = rule;
  const limits = [country_code, hs_prefix, origin_country, declared_over_pence, declared_up_to_pence];
  return (
    rule.territory === territory && limits.every((limit) => limit === undefined) && rule.valid_from <= book.valid_from
  );
}
