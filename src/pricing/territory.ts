import { readPostcode } from './postcode.ts';

/**
 * Places that differ in VAT and customs (domain, "VAT").
 * `ni` and `im` have the rules of `gb` today. They are separate so that a price book can treat them differently.
 */
export const TERRITORIES = ['gb', 'ni', 'im', 'je', 'gg', 'eu', 'eu_outlying', 'rest'] as const;
export type Territory = (typeof TERRITORIES)[number];

/** No customs border lies between the shop and these. */
export const HOME_TERRITORIES: readonly Territory[] = ['gb', 'ni', 'im'];

export type Place = { readonly countryCode: string; readonly postcode: string };

/**
 * The territory of an address.
 * The country's code decides first: JE is Jersey whatever stands in the postcode, and the parcel is declared and sent
 * there. Within GB and the EU's members a well-formed postcode decides: Jersey, Guernsey and the Isle of Man are often
 * written as GB, and the EU's members have parts that lie outside its VAT area (directive 2006/112/EC, articles 6 and
 * 7). Any other text counts as no postcode, and the country's own rules apply (`readPostcode`).
 */
export function territoryOf(place: Place): Territory {
  return longestMatch(TERRITORY_OF, place) ?? 'rest';
}

/**
 * The entry for the longest postcode prefix of a place, else for its country as a whole.
 * Keys: `placeKey`.
 */
export function longestMatch<Value>(table: ReadonlyMap<string, Value>, place: Place): Value | undefined {
  for (const prefix of postcodePrefixes(place)) {
    const value = table.get(placeKey(place.countryCode, prefix));
    if (value !== undefined) return value;
  }
  return table.get(placeKey(place.countryCode, ''));
}

/** The key of a country (`prefix` empty) or of the part of it whose postcodes begin with the prefix. */
export function placeKey(countryCode: string, prefix: string): string {
  return `${countryCode}:${prefix}`;
}

/** The longest prefix of a price book; no postcode is longer. */
export const POSTCODE_PREFIX_LENGTH_MAX = 10;

/**
 * Every prefix by which a place may be known, longest first.
 * A text that is no well-formed postcode of its country has none. It counts as no postcode at all, so that no
 * such text chooses another VAT, duty or shipping than the country's own.
 */
function postcodePrefixes({ countryCode, postcode }: Place): string[] {
  const reading = readPostcode(countryCode, postcode);
  if (reading.kind !== 'recognised') return [];
  if (countryCode === 'GB') return britishPrefixes(reading.postcode);
  const length = Math.min(reading.postcode.length, POSTCODE_PREFIX_LENGTH_MAX);
  return Array.from({ length }, (_, index) => reading.postcode.slice(0, length - index));
}

/**
 * The prefixes of a British postcode: of EC1A 1BB they are EC1A, EC1 and EC.
 * They are the outward code, the district and the area. The postcode is not matched letter by letter, or B (Birmingham)
 * would take BT (Belfast) and PA2 would take PA20. A number of the forces' post office (BFPO 61) is of the area BF.
 */
function britishPrefixes(postcode: string): string[] {
  if (postcode.startsWith('BFPO')) return ['BF'];
  const [outward, district, area] = /^(([A-Z]{1,2})\d{1,2})[A-Z]?$/.exec(postcode.slice(0, -3)) ?? [];
  if (outward === undefined || district === undefined || area === undefined) return [];
  return outward === district ? [district, area] : [outward, district, area];
}

// Monaco is in the VAT area as a part of France, the Isle of Man as a part of the United Kingdom.
const EU_COUNTRIES = 'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MC MT NL PL PT RO SE SI SK'.split(' ');

// Åland, French Guiana, Guadeloupe, Saint Martin, Martinique, Réunion, Mayotte.
const OUTLYING_COUNTRIES = 'AX GF GP MF MQ RE YT'.split(' ');

const OUTLYING_POSTCODES = [
  ['DE', '27498'], // Heligoland
  ['DE', '78266'], // Büsingen
  ['ES', '35'], // Las Palmas
  ['ES', '38'], // Santa Cruz de Tenerife
  ['ES', '51'], // Ceuta
  ['ES', '52'], // Melilla
  ['FI', '22'], // Åland
  ['FR', '971'],
  ['FR', '972'],
  ['FR', '973'],
  ['FR', '974'],
  ['FR', '976'],
  ['GR', '63086'], // Mount Athos
  ['IT', '22061'], // Campione d'Italia
  ['IT', '23041'], // Livigno
] as const;

// Overseas countries that are written as France but are not part of the EU: Saint Pierre, Saint Barthélemy, the
// Pacific.
const FRENCH_OVERSEAS = ['97133', '975', '977', '986', '987', '988'];

const TERRITORY_OF: ReadonlyMap<string, Territory> = new Map<string, Territory>([
  [placeKey('GB', ''), 'gb'],
  [placeKey('GB', 'BT'), 'ni'],
  [placeKey('GB', 'IM'), 'im'],
  [placeKey('IM', ''), 'im'],
  [placeKey('GB', 'JE'), 'je'],
  [placeKey('JE', ''), 'je'],
  [placeKey('GB', 'GY'), 'gg'],
  [placeKey('GG', ''), 'gg'],
  ...EU_COUNTRIES.map((code): [string, Territory] => [placeKey(code, ''), 'eu']),
  ...OUTLYING_COUNTRIES.map((code): [string, Territory] => [placeKey(code, ''), 'eu_outlying']),
  ...OUTLYING_POSTCODES.map(([code, prefix]): [string, Territory] => [placeKey(code, prefix), 'eu_outlying']),
  ...FRENCH_OVERSEAS.map((prefix): [string, Territory] => [placeKey('FR', prefix), 'rest']),
]);
