import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { orderOf, type Refusal, testRefusals, without } from '../../../harness/refusals.ts';
import { type Customer, startTestService, type TestService } from '../../../harness/service.ts';
import { basket, HOME } from '../../../harness/shop.ts';
import { everythingWritten } from '../../../harness/written.ts';

let service: TestService;
let customer: Customer;
let countsBefore: Record<string, number>;
before(async () => {
  service = await startTestService({ role: 'api' });
  ({ customer } = service);
  countsBefore = await everythingWritten(service);
});
after(() => service.stop());

function ofItem(changes: object): object {
  return orderOf(service, changes);
}

function toAddress(changes: object): object {
  return basket(service, { shipping_address: { ...HOME, ...changes } });
}

const REFUSALS: readonly Refusal[] = [
  // E78
  ...['contact_name', 'line1', 'city', 'postcode', 'country_code'].flatMap((field) => [
    {
      what: `E78 an address without ${field} (2.4 required)`,
      body: () => ({ ...basket(service), shipping_address: without(HOME, field) }),
      problems: [`shipping_address.${field} required`],
    },
    {
      what: `E78 an address with ${field} blank (2.4 required)`,
      body: () => toAddress({ [field]: ' \t ' }),
      problems: [`shipping_address.${field} pattern`],
    },
  ]),
  {
    what: 'E78 address lines of 10 kB',
    body: () => toAddress({ line1: 'x'.repeat(10_240), line2: 'y'.repeat(10_240) }),
    problems: ['shipping_address.line1 out_of_bounds', 'shipping_address.line2 out_of_bounds'],
  },
  {
    what: 'E78 the country gb',
    body: () => toAddress({ country_code: 'gb' }),
    problems: ['shipping_address.country_code pattern'],
  },
  ...['UK', 'XX', 'EU'].map((code) => ({
    what: `E78 the country ${code} (2.4 country_code)`,
    body: () => toAddress({ country_code: code }),
    problems: ['shipping_address.country_code unknown_country'],
  })),
  ...(
    [
      ['an EORI number with a digit too few', { eori_number: 'GB12345678900' }, 'customs.eori_number pattern'],
      ['an EORI number in small letters', { eori_number: 'gb123456789000' }, 'customs.eori_number pattern'],
      ['an EORI number that is empty', { eori_number: '' }, 'customs.eori_number pattern'],
      ['an IOSS number of another country', { ioss_number: 'GB0360000001' }, 'customs.ioss_number pattern'],
      ['an IOSS number with blanks', { ioss_number: 'IM 036 0000001' }, 'customs.ioss_number pattern'],
    ] as const
  ).map(([what, customs, problem]) => ({ what, body: () => ({ ...basket(service), customs }), problems: [problem] })),
  ...(
    [
      [0, 'out_of_bounds'],
      [-1, 'out_of_bounds'],
      [10_000.01, 'out_of_bounds'],
      [1.001, 'decimals'],
      ['9.99', 'type'],
      [null, 'type'],
    ] as const
  ).map(([value, code]) => ({
    what: `a declared price of ${JSON.stringify(value)}`,
    body: () => ofItem({ declared_unit_price: value }),
    problems: [`items[0].declared_unit_price ${code}`],
  })),
  {
    what: 'a country that nothing is sent to',
    body: () => toAddress({ country_code: 'KP' }),
    problems: ['shipping_address.country_code not_served'],
  },
  {
    what: 'no address (4.1 shipping_address)',
    body: () => without(basket(service), 'shipping_address'),
    problems: ['shipping_address required'],
  },
  // E79
  {
    what: 'E79 a billing address half filled (4.1 billing_address)',
    body: () => ({ ...basket(service), billing_address: { contact_name: 'Ada', country_code: 'GB' } }),
    problems: ['billing_address.line1 required', 'billing_address.city required', 'billing_address.postcode required'],
  },
  {
    what: 'E79 a billing address in no country',
    body: () => ({ ...basket(service), billing_address: { ...HOME, country_code: 'ZZ' } }),
    problems: ['billing_address.country_code unknown_country'],
  },
  // E80, E81, F100
  {
    what: 'E80 notes of 1,001 (8 notes, 4.1 notes)',
    body: () => basket(service, { notes: '\u{1f9f5}'.repeat(1_001) }),
    problems: ['notes out_of_bounds'],
  },
  ...['BULK', 'retail', null, 1].map((type) => ({
    what: `E81 the type ${JSON.stringify(type)} (4.1 type)`,
    body: () => ({ ...basket(service), type }),
    problems: ['type unknown_value'],
  })),
  ...(
    [
      ['""', '', 'out_of_bounds'],
      ['blank', '  ', 'pattern'],
      ['of 256 characters', 'r'.repeat(256), 'out_of_bounds'],
      ['with U+0000', 'a\0b', 'invalid_character'],
      ['with half a surrogate pair', 'a\ud83d', 'invalid_character'],
      ['that is a number', 42, 'type'],
    ] as const
  ).map(([what, reference, code]) => ({
    what: `F100 an external_reference ${what}`,
    body: () => ({ ...basket(service), external_reference: reference }),
    problems: [`external_reference ${code}`],
  })),
  {
    what: 'A7 a name with U+0000 beside a line text of a megabyte less a little',
    body: () => ofItem({ name: `\0${'n'.repeat(900_000)}` }),
    problems: ['items[0].name invalid_character'],
  },
  {
    what: 'A12 a body of more than a mebibyte',
    body: () => ofItem({ name: 'n'.repeat(1_048_576) }),
    status: 413,
    code: 'payload_too_large',
  },
  {
    what: 'a shipping service that is not offered there',
    body: () => basket(service, { shipping_service: 'Pigeon' }),
    problems: ['shipping_service unknown_shipping_service'],
  },
];
testRefusals(REFUSALS, () => customer);

test('E78 the refusal of the country UK says that it is GB', async () => {
  const uk = await customer.request('POST', '/orders', toAddress({ country_code: 'UK' }));
  assert.match(uk.body.errors?.[0]?.message ?? '', /GB/);
});

test('no refusal wrote an order, a posting, a reference, an event, a job, a design or a file', async () => {
  assert.deepEqual(await everythingWritten(service), countsBefore);
});
