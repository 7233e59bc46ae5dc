import type { StoredAddress } from './order-columns.ts';

type Place = Pick<StoredAddress, 'city' | 'county' | 'postcode' | 'country_code'>;

/**
 * The lines of an address before its country: city, county and postcode as their country writes them.
 * A part that is empty leaves nothing behind. Every part that was given is there: where a country writes no county, it
 * follows on a line of its own.
 */
export function cityLines(place: Place): string[] {
  const arrange = ARRANGE[ARRANGEMENTS.get(place.country_code) ?? 'lines'];
  return arrange(place)
    .map((words) => words.filter((word) => word !== '').join(' '))
    .filter((line) => line !== '');
}

type Arrangement =
  | 'lines'
  | 'postcode city'
  | 'postcode city county'
  | 'city postcode'
  | 'city county postcode'
  | 'city, county postcode'
  | 'city, county / postcode';

/** The words of each line. */
const ARRANGE: Readonly<Record<Arrangement, (place: Place) => string[][]>> = {
  lines: ({ city, county, postcode }) => [[city], [county], [postcode]],
  'postcode city': ({ city, county, postcode }) => [[postcode, city], [county]],
  'postcode city county': ({ city, county, postcode }) => [[postcode, city, county]],
  'city postcode': ({ city, county, postcode }) => [[city, postcode], [county]],
  'city county postcode': ({ city, county, postcode }) => [[city, county, postcode]],
  'city, county postcode': ({ city, county, postcode }) => [[beforeCounty(city, county), county, postcode]],
  'city, county / postcode': ({ city, county, postcode }) => [[beforeCounty(city, county), county], [postcode]],
};

function beforeCounty(city: string, county: string): string {
  return city === '' || county === '' ? city : `${city},`;
}

// By the address formats of the Universal Postal Union. All other countries write each part on a line of its own, the
// postcode last, as the United Kingdom does.
const COUNTRIES: Readonly<Record<Exclude<Arrangement, 'lines'>, string>> = {
  'postcode city': `AD AM AR AT AX AZ BA BE BG BL BY CH CL CV CY CZ DE DK DO DZ EH ET FI FO FR GE GF GL GP GR GT GW
    HR HT HU IS KG KW LA LI LR LU MA MC MD ME MF MG MK MQ MY MZ NC NE NL NO PL PM PT PY RE RO RS SE SI SJ SK SM SN SV
    TJ TM TN TR TZ UZ VA WF XK YT ZM`,
  'postcode city county': 'EE ES IT LT MX PF UY',
  'city postcode': 'BD BH BM BN BT GU IL IN JO KH LB LS LV MM MT MV NG NP NZ PE PG PK PR SA SG TH VC',
  'city county postcode': 'AS AU CA CC CX FM HM MH MP NF PW UM VI',
  'city, county postcode': 'BB CN CO JP KP KR SO TW US VE',
  'city, county / postcode': 'BR BS CR CU HN IQ JM KN PA SC TV',
};

const ARRANGEMENTS: ReadonlyMap<string, Arrangement> = new Map(
  (Object.entries(COUNTRIES) as [Arrangement, string][]).flatMap(([arrangement, codes]) =>
    codes.split(/\s+/).map((code) => [code, arrangement] as const),
  ),
);
