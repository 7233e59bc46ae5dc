import type { ShippingClass } from '../catalogue/document.ts';
import { type Pence, pence, ZERO_PENCE } from '../lib/money.ts';
import type { PriceBook } from './price-book.ts';
import { longestMatch, type Place, placeKey } from './territory.ts';

/** Grams of goods in an order by shipping class, without packaging. */
export type ShippingLoad = Readonly<Record<ShippingClass, number>>;

/** One way to send the whole order, and what it costs. */
export type ShippingOffer = {
  readonly id: string;
  readonly service: string;
  readonly carrier: string;
  readonly tracked: boolean;
  readonly etaDays: { readonly min: number; readonly max: number };
  readonly parcels: number;
  readonly pence: Pence;
};

export type ShippingTable = {
  readonly packagingGrams: ShippingLoad;
  /** By `placeKey`: a country as a whole, or the part of it that a postcode prefix names. */
  readonly zones: ReadonlyMap<string, Zone>;
};

export type Zone = { readonly zone: string; readonly services: readonly Service[] };

type Service = PriceBook['shipping']['services'][number];

/** Prepares a checked price book's shipping part for look-ups. */
export function compileShipping(shipping: PriceBook['shipping']): ShippingTable {
  const zones = new Map<string, Zone>();
  for (const { zone, country_codes, postcodes } of shipping.zones) {
    const compiled = { zone, services: shipping.services.filter((service) => service.zone === zone) };
    for (const countryCode of country_codes) zones.set(placeKey(countryCode, ''), compiled);
    for (const { country_code, prefixes } of postcodes ?? []) {
      for (const prefix of prefixes) zones.set(placeKey(country_code, prefix), compiled);
    }
  }
  return { packagingGrams: shipping.packaging_grams, zones };
}

/** The zone of a place by the longest match of its postcode, or undefined where nothing is sent. */
export function zoneOf(table: ShippingTable, place: Place): Zone | undefined {
  return longestMatch(table.zones, place);
}

/**
 * Every service of a zone that can carry the order, the cheapest first.
 * Equal prices keep the order of the price book. Never empty for a checked book: each zone has a service that carries
 * every class, and an order heavier than a service's largest parcel goes in full parcels and one for the rest (domain,
 * "Shipping").
 */
export function shippingOffers(table: ShippingTable, zone: Zone, load: ShippingLoad): ShippingOffer[] {
  const packages = packagesOf(load);
  return zone.services
    .filter((service) => packages.every(({ shippingClass }) => service.shipping_classes.includes(shippingClass)))
    .map((service) => offer(service, packages, table.packagingGrams))
    .toSorted((a, b) => a.pence - b.pence);
}

/**
 * The service used when the caller names none (decisions, `shipping_options`).
 * It is the cheapest tracked one, else the cheapest.
 */
export function defaultOffer(offers: readonly ShippingOffer[]): ShippingOffer | undefined {
  return offers.find((offered) => offered.tracked) ?? offers[0];
}

/** The service that a caller picked by its name or its id. The name comes first if a text is both. */
export function pickOffer(offers: readonly ShippingOffer[], picked: string): ShippingOffer | undefined {
  return offers.find(({ service }) => service === picked) ?? offers.find(({ id }) => id === picked);
}

type Package = { readonly shippingClass: ShippingClass; readonly grams: number };

/**
 * Groups the goods into packages that are sent apart.
 * Tubes hold posters only; flat goods share a box when there is one.
 */
function packagesOf(load: ShippingLoad): Package[] {
  const bagOrBox: Package =
    load.boxed > 0
      ? { shippingClass: 'boxed', grams: load.boxed + load.flat }
      : { shippingClass: 'flat', grams: load.flat };
  const tube: Package = { shippingClass: 'tube', grams: load.tube };
  return [bagOrBox, tube].filter(({ grams }) => grams > 0);
}

function offer(service: Service, packages: readonly Package[], packagingGrams: ShippingLoad): ShippingOffer {
  let parcels = 0;
  let total: number = ZERO_PENCE;
  for (const { shippingClass, grams } of packages) {
    const packaging = packagingGrams[shippingClass];
    const largestGrams = service.weight_bands.at(-1)?.up_to_grams ?? 0;
    const roomGrams = largestGrams - packaging;
    const full = Math.floor(grams / roomGrams);
    const restGrams = grams - full * roomGrams;
    parcels += full + (restGrams > 0 ? 1 : 0);
    total += full * parcelPence(service, largestGrams);
    if (restGrams > 0) total += parcelPence(service, restGrams + packaging);
  }
  return {
    id: service.id,
    service: service.service,
    carrier: service.carrier,
    tracked: service.tracked,
    etaDays: service.eta_days,
    parcels,
    pence: pence(total),
  };
}

function parcelPence(service: Service, grams: number): number {
  const band = service.weight_bands.find(({ up_to_grams }) => grams <= up_to_grams);
  if (band === undefined) throw new Error(`no weight band of ${service.id} takes ${grams} g`);
  return band.pence;
}
