import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { testReference } from '../../test/harness/price-book.ts';
import { shippingOffers, zoneOf } from './shipping.ts';

const table = testReference.books[0]?.shipping;

function offersTo(countryCode: string, postcode: string, load: Partial<{ flat: number; boxed: number; tube: number }>) {
  assert.ok(table);
  const zone = zoneOf(table, { countryCode, postcode });
  assert.ok(zone);
  return shippingOffers(table, zone, { flat: 0, boxed: 0, tube: 0, ...load });
}

describe('a parcel weighs its goods and its packaging', () => {
  // Tracked: 3.00 to 1,000 g, 3.50 to 2,000 g, 5.00 to 10,000 g. Packaging: bag 20 g, box 100 g, tube 50 g.
  const cases: { title: string; load: Parameters<typeof offersTo>[2]; parcels: number; pence: number }[] = [
    { title: 'the last gram of a band', load: { flat: 980 }, parcels: 1, pence: 300 },
    { title: 'the first gram of the next', load: { flat: 981 }, parcels: 1, pence: 350 },
    { title: 'a box weighs more than a bag', load: { boxed: 901 }, parcels: 1, pence: 350 },
    { title: 'the largest parcel', load: { flat: 9_980 }, parcels: 1, pence: 500 },
    { title: 'a gram above it goes in a parcel of its own', load: { flat: 9_981 }, parcels: 2, pence: 800 },
    { title: 'twice the largest, to the gram', load: { flat: 19_960 }, parcels: 2, pence: 1_000 },
    { title: 'full parcels and one for the rest', load: { flat: 21_000 }, parcels: 3, pence: 1_350 },
    { title: 'flat goods ride along in a box', load: { flat: 400, boxed: 500 }, parcels: 1, pence: 300 },
    { title: 'a tube travels alone', load: { flat: 400, tube: 100 }, parcels: 2, pence: 600 },
    { title: 'box and tube are two parcels', load: { boxed: 400, tube: 1_000 }, parcels: 2, pence: 650 },
    { title: 'ten tonnes', load: { flat: 10_000_000 }, parcels: 1_003, pence: 1_002 * 500 + 300 },
  ];
  for (const { title, load, parcels, pence } of cases) {
    test(`${title}: ${parcels} parcels at ${pence} pence`, () => {
      const tracked = offersTo('GB', 'EC1A 1BB', load).find(({ service }) => service === 'Tracked');
      assert.deepEqual([tracked?.parcels, tracked?.pence], [parcels, pence]);
    });
  }
});

describe('the zone is that of the longest matching postcode prefix', () => {
  const places: [string, string, string][] = [
    ['GB', 'EC1A 1BB', 'mainland'],
    ['GB', 'I1 1AA', 'mainland'],
    ['GB', 'IV1 1AA', 'highlands'],
    ['GB', 'HS1 2AA', 'highlands'],
    ['GB', 'ZE1 0AA', 'highlands'],
    ['GB', 'PA20 0AA', 'highlands'],
    ['GB', 'PA2 0AA', 'mainland'],
    ['IM', 'IM1 1AA', 'highlands'],
    ['GB', 'BT1 5GS', 'northern_ireland'],
    ['GB', 'JE2 3AB', 'channel_islands'],
    ['JE', 'JE2 3AB', 'channel_islands'],
    ['ES', '28001', 'eu'],
    ['ES', '38001', 'canaries'],
  ];
  for (const [countryCode, postcode, zone] of places) {
    test(`${countryCode} ${postcode} is in ${zone}`, () => {
      assert.ok(table);
      assert.equal(zoneOf(table, { countryCode, postcode })?.zone, zone);
    });
  }

  test('a country without a zone is not served', () => {
    assert.ok(table);
    assert.equal(zoneOf(table, { countryCode: 'RU', postcode: '101000' }), undefined);
  });
});

test('offers stand cheapest first, and equals as the price book has them', () => {
  assert.deepEqual(
    offersTo('GB', 'EC1A 1BB', { flat: 5_000 }).map(({ service, pence }) => [service, pence]),
    [
      ['Tracked', 500],
      ['Letter', 700],
      ['Express', 700],
    ],
  );
});
