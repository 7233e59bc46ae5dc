import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { newId, publicId } from '../../../src/lib/ids.ts';
import { type Answer, type ErrorReply, startTestService, type TestService } from '../../harness/service.ts';
import { problemsOf } from '../../harness/shop.ts';
import { everythingWritten } from '../../harness/written.ts';

let service: TestService;
let written: Record<string, number>;

/** What can be asked for a quote. */
type QuotePath = typeof SHIPPING_PATH | typeof TAX_PATH;

const VARIANT = publicId('var', newId());
const SHIPPING = { destination: { country: 'GB', postcode: 'LS1 4DY' }, items: [{ variant_id: VARIANT, qty: 1 }] };
const TAX = {
  destination: { country: 'GB', postcode: 'LS1 4DY' },
  lines: [{ variant_id: VARIANT, qty: 1, unit_price: 12.5 }],
  currency: 'GBP',
};
const SHIPPING_PATH = '/shipping/rates';
const TAX_PATH = '/tax/rates';

function shippingTo(destination: object): object {
  return { ...SHIPPING, destination };
}

function taxFor(destination: object): object {
  return { ...TAX, destination };
}

async function post(path: string, body: unknown): Promise<Answer<ErrorReply>> {
  return service.customer.request('POST', path, body);
}

const states = Array.from({ length: 1_000 }, () => ({ variant_id: VARIANT, qty: 10_000 }));

const VALID: readonly (readonly [what: string, path: QuotePath, body: () => unknown])[] = [
  ['a parcel in Great Britain', SHIPPING_PATH, () => SHIPPING],
  ['every member given', SHIPPING_PATH, () => full()],
  ['a state of null', SHIPPING_PATH, () => shippingTo({ country: 'US', postcode: '94107', state: null })],
  ['a state left out', SHIPPING_PATH, () => shippingTo({ country: 'US', postcode: '94107' })],
  ['NSW', SHIPPING_PATH, () => shippingTo({ country: 'AU', postcode: '2000', state: 'NSW' })],
  ['WA', SHIPPING_PATH, () => shippingTo({ country: 'AU', postcode: '6000', state: 'WA' })],
  [
    'a region where none is asked for',
    SHIPPING_PATH,
    () => shippingTo({ country: 'FR', postcode: '75001', state: 'Île' }),
  ],
  ['a country without postcodes', SHIPPING_PATH, () => shippingTo({ country: 'HK', postcode: '-' })],
  ['1,000 items of 10,000', SHIPPING_PATH, () => ({ ...SHIPPING, items: states })],
  ['a member that nobody knows', SHIPPING_PATH, () => ({ ...SHIPPING, weight: 3 })],
  ['a sale in Great Britain', TAX_PATH, () => TAX],
  ['a sale in California', TAX_PATH, () => taxFor({ country: 'US', postcode: '94107', state: 'CA' })],
  ['a sale in Karnataka', TAX_PATH, () => taxFor({ country: 'IN', postcode: '560001', state: 'KA' })],
  ['a gift', TAX_PATH, () => ({ ...TAX, lines: [{ variant_id: VARIANT, qty: 10_000, unit_price: 0 }] })],
  ['another currency', TAX_PATH, () => ({ ...TAX, currency: 'JPY' })],
];

/** Every member that a shipping quote knows. */
function full(): object {
  return {
    destination: { country: 'US', postcode: '94107', state: 'CA', city: 'San Francisco' },
    items: [{ variant_id: VARIANT, qty: 3 }],
    currency: 'USD',
  };
}

const REFUSED: readonly (readonly [path: QuotePath, body: () => unknown, problems: readonly string[]])[] = [
  [SHIPPING_PATH, () => ({}), ['destination required', 'items required']],
  [SHIPPING_PATH, () => [], [' type']],
  [SHIPPING_PATH, () => 'null', [' type']],
  [SHIPPING_PATH, () => ({ ...SHIPPING, destination: null }), ['destination type']],
  [SHIPPING_PATH, () => shippingTo({}), ['destination.country required', 'destination.postcode required']],
  [SHIPPING_PATH, () => shippingTo({ country: 'HK' }), ['destination.postcode required']],
  [SHIPPING_PATH, () => shippingTo({ country: 'GB', postcode: ' \t' }), ['destination.postcode pattern']],
  [SHIPPING_PATH, () => shippingTo({ country: 'GB', postcode: 94_107 }), ['destination.postcode type']],
  [SHIPPING_PATH, () => shippingTo({ country: 'gb', postcode: 'x' }), ['destination.country pattern']],
  [SHIPPING_PATH, () => shippingTo({ country: 'GBR', postcode: 'x' }), ['destination.country pattern']],
  [SHIPPING_PATH, () => shippingTo({ country: 'XX', postcode: 'x' }), ['destination.country unknown_country']],
  [
    SHIPPING_PATH,
    () => shippingTo({ country: 'US', postcode: 'x', state: 'California' }),
    ['destination.state pattern'],
  ],
  [SHIPPING_PATH, () => shippingTo({ country: 'US', postcode: 'x', state: '' }), ['destination.state pattern']],
  [SHIPPING_PATH, () => shippingTo({ country: 'CA', postcode: 'x', state: 'O1' }), ['destination.state pattern']],
  [SHIPPING_PATH, () => shippingTo({ country: 'CA', postcode: 'x', state: 'ONT' }), ['destination.state pattern']],
  [SHIPPING_PATH, () => shippingTo({ country: 'AU', postcode: 'x', state: 'VICT' }), ['destination.state pattern']],
  [SHIPPING_PATH, () => shippingTo({ country: 'US', postcode: 'x', state: 5 }), ['destination.state type']],
  [SHIPPING_PATH, () => shippingTo({ country: 'GB', postcode: 'x', city: 5 }), ['destination.city type']],
  [SHIPPING_PATH, () => ({ ...SHIPPING, items: [] }), ['items out_of_bounds']],
  [SHIPPING_PATH, () => ({ ...SHIPPING, items: [...states, ...states] }), ['items out_of_bounds']],
  [SHIPPING_PATH, () => ({ ...SHIPPING, items: [{}] }), ['items[0].variant_id required', 'items[0].qty required']],
  [SHIPPING_PATH, () => items({ qty: 0 }), ['items[0].qty out_of_bounds']],
  [SHIPPING_PATH, () => items({ qty: 10_001 }), ['items[0].qty out_of_bounds']],
  [SHIPPING_PATH, () => items({ qty: 1.5 }), ['items[0].qty type']],
  [SHIPPING_PATH, () => items({ qty: '1' }), ['items[0].qty type']],
  [SHIPPING_PATH, () => items({ variant_id: 'TEE-CLASSIC-WHT-M' }), ['items[0].variant_id pattern']],
  [SHIPPING_PATH, () => items({ variant_id: publicId('prod', newId()) }), ['items[0].variant_id pattern']],
  [SHIPPING_PATH, () => items({ variant_id: VARIANT.toUpperCase() }), ['items[0].variant_id pattern']],
  [SHIPPING_PATH, () => ({ ...SHIPPING, currency: 'gbp' }), ['currency pattern']],
  [SHIPPING_PATH, () => ({ ...SHIPPING, currency: 'UKP' }), ['currency unknown_currency']],
  [SHIPPING_PATH, () => ({ ...SHIPPING, currency: null }), ['currency type']],
  [TAX_PATH, () => ({}), ['destination required', 'lines required', 'currency required']],
  [TAX_PATH, () => taxFor({ country: 'US', postcode: '94107' }), ['destination.state required']],
  [TAX_PATH, () => taxFor({ country: 'CA', postcode: 'K1A 0B1' }), ['destination.state required']],
  [TAX_PATH, () => taxFor({ country: 'AU', postcode: '2000' }), ['destination.state required']],
  [TAX_PATH, () => taxFor({ country: 'IN', postcode: '560001' }), ['destination.state required']],
  [TAX_PATH, () => taxFor({ country: 'IN', postcode: '560001', state: 'Karnataka' }), ['destination.state pattern']],
  [TAX_PATH, () => taxFor({ country: 'US', postcode: '94107', state: null }), ['destination.state type']],
  [TAX_PATH, () => taxFor({ country: 'GB' }), ['destination.postcode required']],
  [TAX_PATH, () => ({ ...TAX, currency: 'XAU' }), ['currency unknown_currency']],
  [TAX_PATH, () => ({ ...TAX, lines: [{ variant_id: VARIANT, qty: 1 }] }), ['lines[0].unit_price required']],
  [TAX_PATH, () => lines({ unit_price: -0.01 }), ['lines[0].unit_price out_of_bounds']],
  [TAX_PATH, () => lines({ unit_price: '12.50' }), ['lines[0].unit_price type']],
  [TAX_PATH, () => JSON.stringify(TAX).replace('12.5', '1e400'), ['lines[0].unit_price type']],
  [TAX_PATH, () => ({ ...TAX, items: TAX.lines, lines: undefined }), ['lines required']],
];

function items(changes: object): object {
  return { ...SHIPPING, items: [{ variant_id: VARIANT, qty: 1, ...changes }] };
}

function lines(changes: object): object {
  return { ...TAX, lines: [{ variant_id: VARIANT, qty: 1, unit_price: 1, ...changes }] };
}

/** A quote with everything wrong that can be, and every problem of it. */
const WRONG: Readonly<Record<QuotePath, { readonly body: object; readonly problems: readonly string[] }>> = {
  [TAX_PATH]: {
    body: {
      destination: { country: 'US', postcode: '' },
      lines: [{ variant_id: 'x', qty: 0, unit_price: -1 }],
      currency: 'ZZZ',
    },
    problems: [
      'destination.postcode out_of_bounds',
      'lines[0].variant_id pattern',
      'lines[0].qty out_of_bounds',
      'lines[0].unit_price out_of_bounds',
      'destination.state required',
      'currency unknown_currency',
    ],
  },
  [SHIPPING_PATH]: {
    body: { destination: { country: 'UK' }, items: 'all' },
    problems: ['destination.postcode required', 'items type', 'destination.country unknown_country'],
  },
};

/** Tests one of the two quotes: what is valid is answered 501, and what is not is refused first. */
export function testQuotes(asked: QuotePath): void {
  before(async () => {
    service = await startTestService({ role: 'api' });
    written = await everythingWritten(service);
  });
  after(async () => {
    assert.deepEqual(await everythingWritten(service), written, 'a quote writes nothing');
    await service.stop();
  });

  for (const [what, path, body] of VALID.filter(([, path]) => path === asked)) {
    test(`4.6 501: ${path} for ${what} is valid, and answered 501 not_implemented (7 not_implemented, 2.9 tax, 2.9 shipping)`, async () => {
      const answer = await post(path, body());
      assert.deepEqual([answer.status, answer.body.code], [501, 'not_implemented'], answer.text);
      assert.match(answer.body.detail, /POST \/orders\/estimate/);
      assert.equal(answer.headers.get('x-request-id'), answer.body.request_id);
    });
  }

  describe('4.6 validation: a quote with something missing or malformed is 422 and not 501 (E93, 4.6 shipping destination, 4.6 shipping items, 4.6 shipping currency, 4.6 tax destination, 4.6 tax lines, 4.6 tax currency, 8 quote qty)', () => {
    for (const [path, body, problems] of REFUSED.filter(([path]) => path === asked)) {
      test(`${path} is validated before it answers 501: ${problems.join(', ')}`, async () => {
        const answer = await post(path, body());
        assert.deepEqual([answer.status, answer.body.code], [422, 'validation_failed'], answer.text);
        assert.deepEqual(problemsOf(answer), problems);
      });
    }
  });

  test('everything that is wrong with a quote is told at once, shape and meaning together (4.6 validation)', async () => {
    const { body, problems } = WRONG[asked];
    const answer = await post(asked, body);
    assert.deepEqual(problemsOf(answer), problems);
    if (asked === SHIPPING_PATH) assert.match(answer.body.errors?.[2]?.message ?? '', /The United Kingdom is GB/);
  });

  const [path, scope, body] =
    asked === SHIPPING_PATH
      ? ([SHIPPING_PATH, 'shipping:read', SHIPPING] as const)
      : ([TAX_PATH, 'tax:read', TAX] as const);
  test(`E93 ${path} without a token is 401, without ${scope} 403, and broken JSON is 400 (4.6 shipping scope, 4.6 tax scope)`, async () => {
    const alone = await service.openCustomer({ scopes: [scope] });
    assert.equal((await alone.request('POST', path, body)).status, 501);
    assert.equal((await alone.request('POST', path, '{')).status, 400);
    const other = await service.openCustomer({ scopes: [scope === 'tax:read' ? 'shipping:read' : 'tax:read'] });
    assert.equal((await other.request('POST', path, body)).status, 403);
    const headers = { 'content-type': 'application/json' };
    const bare = await fetch(`${service.url}/api/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    assert.equal(bare.status, 401);
  });

  test(`4.6 POST: ${path} is POST: any other method is 405 with Allow`, async () => {
    for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE']) {
      const response = await fetch(`${service.url}/api/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${service.customer.token}` },
      });
      assert.deepEqual([response.status, response.headers.get('allow')], [405, 'POST'], method);
    }
  });
}
