import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ReadAddress, readAddress } from '../../consoles/shared/address/read-address.ts';

/** What is found, without what is not. */
function found(text: string): Partial<ReadAddress> {
  return Object.fromEntries(Object.entries(readAddress(text)).filter(([, value]) => value !== ''));
}

const CASES: readonly (readonly [text: string, address: Partial<ReadAddress>])[] = [
  [
    'Ada Byron\n12 Mill Lane\nLeeds\nLS1 4AP\nUnited Kingdom',
    { contact_name: 'Ada Byron', line1: '12 Mill Lane', city: 'Leeds', postcode: 'LS1 4AP', country_code: 'GB' },
  ],
  [
    'Ada Byron, 12 Mill Lane, Leeds, ls14ap',
    { contact_name: 'Ada Byron', line1: '12 Mill Lane', city: 'Leeds', postcode: 'LS1 4AP', country_code: 'GB' },
  ],
  [
    'Mr A. Byron\r\nFlat 3, Oak House\r\n12 Mill Lane\r\nHarrogate\r\nNorth Yorkshire\r\nHG1 1AA\r\nada@example.com\r\n+44 1423 555 010',
    {
      contact_name: 'Mr A. Byron',
      line1: 'Flat 3, Oak House',
      line2: '12 Mill Lane',
      city: 'Harrogate',
      county: 'North Yorkshire',
      postcode: 'HG1 1AA',
      country_code: 'GB',
      email: 'ada@example.com',
      phone: '+44 1423 555 010',
    },
  ],
  [
    'Mary Somerville\nSomerville Prints Ltd\nUnit 4, 9 Quay Street\nBristol BS1 5UH',
    {
      contact_name: 'Mary Somerville',
      company_name: 'Somerville Prints Ltd',
      line1: 'Unit 4, 9 Quay Street',
      city: 'Bristol',
      postcode: 'BS1 5UH',
      country_code: 'GB',
    },
  ],
  [
    'Grace Hopper\n1600 Amphitheatre Pkwy\nMountain View, CA 94043\nUSA',
    {
      contact_name: 'Grace Hopper',
      line1: '1600 Amphitheatre Pkwy',
      city: 'Mountain View',
      county: 'CA',
      postcode: '94043',
      country_code: 'US',
    },
  ],
  [
    'Grace Hopper\n350 5th Ave Apt 2\nNew York NY 10118-0110',
    {
      contact_name: 'Grace Hopper',
      line1: '350 5th Ave Apt 2',
      city: 'New York',
      county: 'NY',
      postcode: '10118-0110',
      country_code: 'US',
    },
  ],
  [
    'Emmy Noether\nHauptstraße 12\n91054 Erlangen\nDeutschland',
    {
      contact_name: 'Emmy Noether',
      line1: 'Hauptstraße 12',
      city: 'Erlangen',
      postcode: '91054',
      country_code: 'DE',
    },
  ],
  [
    'Émilie du Châtelet\n12 rue de la Paix\n75002 Paris, France',
    {
      contact_name: 'Émilie du Châtelet',
      line1: '12 rue de la Paix',
      city: 'Paris',
      postcode: '75002',
      country_code: 'FR',
    },
  ],
  [
    'Anna de Vries\nKeizersgracht 1\n1015 CN Amsterdam',
    {
      contact_name: 'Anna de Vries',
      line1: 'Keizersgracht 1',
      city: 'Amsterdam',
      postcode: '1015 CN',
      country_code: 'NL',
    },
  ],
  [
    'Maryam M\n100 Queen St W\nToronto, ON M5H 2N2\nCanada',
    {
      contact_name: 'Maryam M',
      line1: '100 Queen St W',
      city: 'Toronto',
      county: 'ON',
      postcode: 'M5H 2N2',
      country_code: 'CA',
    },
  ],
  [
    'Cheryl P\n5 George Street\nSydney NSW 2000\nAustralia',
    {
      contact_name: 'Cheryl P',
      line1: '5 George Street',
      city: 'Sydney',
      county: 'NSW',
      postcode: '2000',
      country_code: 'AU',
    },
  ],
  [
    'Lin A\n3 Queen Street\nAuckland 1010\nNew Zealand',
    { contact_name: 'Lin A', line1: '3 Queen Street', city: 'Auckland', postcode: '1010', country_code: 'NZ' },
  ],
  [
    'Name: Ada Byron\nAddress: 12 Mill Lane\nAddress line 2: Holbeck\nTown/City: Leeds\nPostcode: LS1 4AP\nCountry: England\nPhone: 0113 496 0000',
    {
      contact_name: 'Ada Byron',
      line1: '12 Mill Lane',
      line2: 'Holbeck',
      city: 'Leeds',
      postcode: 'LS1 4AP',
      country_code: 'GB',
      phone: '0113 496 0000',
    },
  ],
  [
    'Jo Channel\n1 Royal Square\nSt Helier JE2 4WA',
    { contact_name: 'Jo Channel', line1: '1 Royal Square', city: 'St Helier', postcode: 'JE2 4WA', country_code: 'JE' },
  ],
  [
    'Ada Byron <ada@example.com>\n12 Mill Lane\nLeeds LS1 4AP',
    {
      contact_name: 'Ada Byron',
      line1: '12 Mill Lane',
      city: 'Leeds',
      postcode: 'LS1 4AP',
      country_code: 'GB',
      email: 'ada@example.com',
    },
  ],
  ['12 Mill Lane\nLeeds\nLS1 4AP', { line1: '12 Mill Lane', city: 'Leeds', postcode: 'LS1 4AP', country_code: 'GB' }],
  ['Ada Byron', { line1: 'Ada Byron' }],
  ['', {}],
];

test('a pasted address is read into its members', () => {
  for (const [text, address] of CASES) assert.deepEqual(found(text), address, JSON.stringify(text));
});

test('no text makes it fail, and nothing that was pasted disappears from a short one', () => {
  for (const text of [
    '\n\n',
    ',,,',
    '::::',
    'a',
    '12345',
    'GB',
    'LS1 4AP',
    '@',
    'ß\u0000\n\u202Ex',
    'x '.repeat(5_000),
  ]) {
    const address = readAddress(text);
    assert.ok(
      Object.values(address).every((value) => typeof value === 'string'),
      text.slice(0, 20),
    );
  }
  const all = Object.values(readAddress('one\ntwo 2\nthree\nfour\nfive\nsix')).join(' ');
  for (const word of ['one', 'two 2', 'three', 'four', 'five', 'six']) assert.ok(all.includes(word), word);
});
