import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { API_ROUTES } from '../../../src/app/service.ts';
import type { CreatedOrder, PlaceOrderBody } from '../../../src/orders/schema.ts';
import { cpuMsOf } from '../../harness/cpu-time.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { basket } from '../../harness/shop.ts';
import { everythingWritten, rows } from '../../harness/written.ts';

let service: TestService;
let untouched: Record<string, number>;
before(async () => {
  // No worker: what is counted stands still.
  service = await startTestService({ role: 'api' });
  untouched = await everythingWritten(service);
});
after(() => service.stop());

type Reply = { status: number; code: string; text: string; paths: readonly string[] };

/** Every path that takes a body and no id. */
const PATHS = API_ROUTES.filter(
  ({ method, path, body }) => method === 'POST' && body !== undefined && !path.includes(':'),
).map(({ path }) => path);

/** Sends bytes as they are, which a client that makes its own JSON never could. */
async function send(path: string, body: string | Uint8Array<ArrayBuffer>): Promise<Reply> {
  const response = await fetch(`${service.url}/api/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.customer.token}`, 'content-type': 'application/json' },
    body,
  });
  const text = await response.text();
  const answer = JSON.parse(text) as { code?: string; errors?: { path: string }[] };
  return {
    status: response.status,
    code: answer.code ?? '',
    text,
    paths: (answer.errors ?? []).map((problem) => problem.path),
  };
}

function bytes(...parts: (string | readonly number[])[]): Uint8Array<ArrayBuffer> {
  const buffers = parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part)));
  return new Uint8Array(Buffer.concat(buffers));
}

/** A good basket with a piece of JSON text put into it as the member `extra`, which the service does not know. */
function withExtra(json: string): string {
  return JSON.stringify({ ...basket(service), extra: 'HERE' }).replace('"HERE"', json);
}

const NOT_JSON: readonly (readonly [what: string, body: string | Uint8Array<ArrayBuffer>])[] = [
  ['blanks alone', ' \n\t '],
  ['an open object', '{'],
  ['an open array', '['],
  ['a closing bracket', ']'],
  ['brackets crossed', '[{]}'],
  ['a comma at the end of an array', '[1,]'],
  ['a comma at the end of an object', '{"a":1,}'],
  ['a comma at the start', '[,1]'],
  ['two commas', '[1,,2]'],
  ['no comma', '["a" "b"]'],
  ['a colon in an array', '["a":1]'],
  ['no colon', '{"a" 1}'],
  ['two colons', '{"a"::1}'],
  ['a name without a value', '{"a":}'],
  ['a value without a name', '{:1}'],
  ['a name that is no string', '{1:1}'],
  ['a name without quotes', '{a:1}'],
  ['single quotes', "{'a':1}"],
  ['a comment', '{"a":1}/* b */'],
  ['a comment of one line', '// a\n{"a":1}'],
  ['something behind the value', '{"a":1}x'],
  ['two values', '{}{}'],
  ['a closing brace too many', '{}}'],
  ['a number with a leading zero', '[01]'],
  ['a number that begins with a point', '[.5]'],
  ['a number that ends with a point', '[5.]'],
  ['a number with a plus', '[+1]'],
  ['two signs', '[--1]'],
  ['an exponent without digits', '[1e]'],
  ['an exponent with a point', '[1e1.5]'],
  ['a hexadecimal number', '[0x10]'],
  ['a number with an underscore', '[1_000]'],
  ['a number with letters', '[1a]'],
  ['NaN', '[NaN]'],
  ['Infinity', '[Infinity]'],
  ['minus Infinity', '[-Infinity]'],
  ['digits of another script', '[１]'],
  ['a minus alone', '[-]'],
  ['true in capitals', '[True]'],
  ['half of null', '[nul]'],
  ['undefined', '[undefined]'],
  ['an open string', '["a]'],
  ['a line end in a string', '["a\nb"]'],
  ['a tab in a string', '["a\tb"]'],
  ['U+0000 in a string', bytes('["a', [0], 'b"]')],
  ['an escape that is none', '["\\x41"]'],
  ['a short Unicode escape', '["\\u41"]'],
  ['a Unicode escape with other letters', '["\\u00G0"]'],
  ['an escape at the end', '["\\'],
  ['an escaped quote at the end', '["\\"]'],
  ['a star', '[*]'],
  ['a function', '[f()]'],
  ['XML', '<order/>'],
  ['a form', 'type=bulk&items=1'],
  ['a no-break space as a blank', '[\u00a0]'],
  ['a form feed as a blank', '[\f]'],
  ['a line separator behind', '{}\u2028'],
  ['a closing bracket deep below', `${'['.repeat(2_000)}${']'.repeat(1_999)}`],
  ['a hundred thousand open arrays', '['.repeat(100_000)],
  ['a hundred thousand open objects', '{"a":'.repeat(100_000)],
];

describe('A2 7 invalid_request: what is not JSON is 400 at every endpoint, and nothing of it is told back', () => {
  for (const [what, body] of NOT_JSON) {
    test(what, async () => {
      for (const path of PATHS) {
        const { status, code, text } = await send(path, body);
        assert.deepEqual([status, code], [400, 'invalid_request'], `${path} ${text}`);
        assert.doesNotMatch(text, /order\/>|type=bulk|Unexpected|SyntaxError/);
      }
    });
  }

  test('the detail names the character where reading stopped, and repeats nothing of the body', async () => {
    const long = '"a name of some length"';
    const cases = [
      [`{${long}:[1,],${long}:2}`, ' near character 28.'],
      [`{"a":none,${long}:${long}}`, ' near character 6.'],
      [`{${long}:none}`, ' near character 26.'],
      [`{${long}:1 ${long}:2}`, ' near character 27.'],
      [`{${long}:1,"b":{${long}:`, ': it ends too early.'],
      [`[${'[0,[0,[0,[0,[0,[0,[0,[0,'.repeat(2)}}`, ' near character 49.'],
      // The same piece stands there twice, so which it was cannot be told.
      [`[${`${long},}${long},`.repeat(2)}`, '.'],
    ];
    for (const [body = '', where] of cases) {
      const { detail } = JSON.parse((await send('/orders', body)).text) as { detail: string };
      assert.equal(detail, `The body is not valid JSON${where}`, body);
    }
  });
});

describe('A5 bytes that are not UTF-8 are 400, and A6 so is a byte order mark', () => {
  const cases: readonly (readonly [what: string, body: Uint8Array<ArrayBuffer>])[] = [
    ['a byte that no text has', bytes('["', [0xff], '"]')],
    ['a continuation alone', bytes('["', [0x80], '"]')],
    ['a sequence cut short', bytes('["', [0xe2, 0x82], '"]')],
    ['an overlong slash', bytes('["', [0xc0, 0xaf], '"]')],
    ['an overlong U+0000', bytes('["', [0xc0, 0x80], '"]')],
    ['half a surrogate pair in UTF-8', bytes('["', [0xed, 0xa0, 0x80], '"]')],
    ['a pair of surrogates in UTF-8, which is CESU-8', bytes('["', [0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80], '"]')],
    ['a code point beyond the last', bytes('["', [0xf4, 0x90, 0x80, 0x80], '"]')],
    ['five bytes for a sign', bytes('["', [0xf8, 0x88, 0x80, 0x80, 0x80], '"]')],
    ['Latin-1', bytes('["', [0xe9], '"]')],
    ['a bad byte outside of any string', bytes([0xff], '{}')],
    ['UTF-16', new Uint8Array(Buffer.from('{"type":"bulk"}', 'utf16le'))],
    ['UTF-16 with its mark', new Uint8Array(Buffer.from('\ufeff{"type":"bulk"}', 'utf16le'))],
    ['a byte order mark before good JSON', bytes([0xef, 0xbb, 0xbf], '{}')],
    ['a byte order mark alone', bytes([0xef, 0xbb, 0xbf])],
  ];
  for (const [what, body] of cases) {
    test(what, async () => {
      for (const path of PATHS) {
        const { status, code } = await send(path, body);
        assert.deepEqual([status, code], [400, 'invalid_request'], path);
      }
    });
  }
});

describe('A3 JSON that is no object is 422 with the body as its path', () => {
  const bodies = ['null', 'true', 'false', '0', '-0', '1.5e3', '""', '"text"', '[]', '[[]]', '[{}]', ' [ 1 , 2 ]\r\n'];
  for (const body of bodies) {
    test(body.trim(), async () => {
      for (const path of PATHS) {
        const { status, code, paths } = await send(path, body);
        assert.deepEqual([status, code, paths], [422, 'validation_failed', ['']], path);
      }
    });
  }
});

test('A2 A3 A5 A6 none of these bodies has written anything', async () => {
  assert.deepEqual(await everythingWritten(service), untouched);
});

describe('A4 JSON that parsers differ on gets one answer, every time, and never 5xx', () => {
  const cases: readonly (readonly [what: string, json: string, status: number])[] = [
    ['a number beyond what a double holds', '1e400', 201],
    ['a number that is nearly nothing', '1e-400', 201],
    ['a number of five hundred digits', '9'.repeat(500), 201],
    ['an integer beyond 2^53', '9007199254740993', 201],
    ['an integer beyond 2^64', '18446744073709551616', 201],
    ['minus zero', '-0.0', 201],
    ['a name that is empty', '{"":1}', 201],
    ['a name of ten thousand letters', `{"${'n'.repeat(10_000)}":1}`, 201],
    ['a thousand levels', `${'['.repeat(1_000)}${']'.repeat(1_000)}`, 201],
    ['a name twice', '{"a":1,"a":2}', 201],
    ['U+007F in a string', '"\u007f"', 201],
    ['a sign that is not assigned', '"\u{10ffff}"', 201],
    ['signs that no text has', '"\\ufdd0\\uffff"', 201],
    ['an escaped pair', '"\\ud83d\\ude00"', 201],
    ['escapes in small and capital letters', '"\\u00E9\\u00e9\\/"', 201],
    ['a pair the wrong way round', '"\\ude00\\ud83d"', 422],
    ['the first half alone', '"\\ud800"', 422],
    ['the second half alone', '"\\udc00x"', 422],
    ['the first half twice', '"\\ud800\\ud800"', 422],
    ['half a pair and a letter', '"\\ud83dx"', 422],
    ['half a pair as a name', '{"\\ud800":1}', 422],
    ['U+0000 by an escape', '"\\u0000"', 422],
  ];
  for (const [what, json, status] of cases) {
    test(`${what}: ${status}`, async () => {
      const answers = [await send('/orders', withExtra(json)), await send('/orders', withExtra(json))];
      for (const answer of answers) assert.equal(answer.status, status, answer.text.slice(0, 300));
      if (status === 422) assert.ok(answers.every(({ paths }) => paths.length === 1 && paths[0]?.startsWith('extra')));
      const alone = [await send('/orders', `[${json}]`), await send('/orders', `[${json}]`)];
      assert.deepEqual(
        alone.map((answer) => [answer.status, answer.code]),
        Array.from({ length: 2 }, () => [422, 'validation_failed']),
        'by itself it is no body of an order',
      );
    });
  }

  test('blanks around and between are no matter', async () => {
    const pretty = ` \n\t\r${JSON.stringify(basket(service), undefined, '\t')}\r\n`;
    assert.equal((await send('/orders', pretty)).status, 201);
  });
});

test('A7 A8 U+0000 and half a pair are refused in every text of an order, by value and by name, with the path', async () => {
  const [item] = basket(service).items;
  const address = basket(service).shipping_address;
  const cases: readonly (readonly [body: Record<string, unknown>, path: string])[] = [
    [{ notes: 'a?b' }, 'notes'],
    [{ external_reference: 'a?b' }, 'external_reference'],
    [{ items: [{ ...item, name: '?' }] }, 'items[0].name'],
    [{ items: [{ ...item, variant_sku: 'A?' }] }, 'items[0].variant_sku'],
    [{ items: [{ ...item, print_jobs: [{ area: '?', method: 'dtg' }] }] }, 'items[0].print_jobs[0].area'],
    [{ shipping_address: { ...address, line2: '?' } }, 'shipping_address.line2'],
    [{ metadata: { key: '?' } }, 'metadata.key'],
    [{ metadata: { 'a?': 'x' } }, 'metadata'],
    [{ unknown: { deep: [{ below: '?' }] } }, 'unknown.deep[0].below'],
  ];
  for (const [changes, path] of cases) {
    for (const escaped of ['\\u0000', '\\uD800', '\\udfff']) {
      const body = JSON.stringify({ ...basket(service), ...changes }).replace('?', escaped);
      const { status, paths } = await send('/orders', body);
      assert.deepEqual([status, paths], [422, [path]], body);
    }
  }
});

test('A9 nesting without end is refused or ignored in an instant, wherever it stands', async () => {
  const DEPTH = 10_000;
  const deepest = 200_000;
  const arrays = (depth: number, inmost = ''): string => `${'['.repeat(depth)}${inmost}${']'.repeat(depth)}`;
  const objects = `${'{"a":'.repeat(DEPTH)}1${'}'.repeat(DEPTH)}`;
  const cases: readonly (readonly [body: string, statuses: readonly number[]])[] = [
    [arrays(DEPTH), [422]],
    [objects, [422]],
    [JSON.stringify({ ...basket(service), items: 'HERE' }).replace('"HERE"', arrays(DEPTH)), [422]],
    [JSON.stringify({ ...basket(service), metadata: { a: 'HERE' } }).replace('"HERE"', objects), [422]],
    [withExtra(arrays(deepest, '"\\u0000"')), [400, 422]],
    [withExtra(arrays(deepest)), [201, 400, 422]],
    [arrays(500_000), [400, 422]],
  ];
  const cpuMsOfRefusal = (body: string, statuses: readonly number[]): Promise<number> =>
    cpuMsOf(async () => {
      const { status, text } = await send('/orders', body);
      assert.ok(statuses.includes(status), `${status} for ${body.slice(0, 40)}: ${text.slice(0, 200)}`);
    });
  // What as many characters cost that are not nested says how fast the machine is.
  const flatMs = await cpuMsOfRefusal(`[${'0,'.repeat(deepest)}0]`, [422]);
  const instantMs = Math.max(200, 10 * flatMs);
  for (const [body, statuses] of cases) {
    let leastMs = Number.POSITIVE_INFINITY;
    for (let round = 0; round < 3 && leastMs >= instantMs; round += 1)
      leastMs = Math.min(leastMs, await cpuMsOfRefusal(body, statuses));
    assert.ok(leastMs < instantMs, `${body.slice(0, 40)} took ${leastMs} ms of processor time, not ${instantMs}`);
  }
});

test('A10 the names that JavaScript treats specially are ignored anywhere in a body, and pollute nothing', async () => {
  const plain = JSON.stringify(basket(service));
  const special = '"__proto__":{"quantity":7,"polluted":true},"constructor":{"prototype":{"polluted":true}},';
  const spiked = plain.replace('{"items"', `{${special}"items"`).replace('{"product_id"', `{${special}"product_id"`);
  const answer = await send('/orders', spiked);
  assert.equal(answer.status, 201, answer.text);
  const order = JSON.parse(answer.text) as CreatedOrder;
  assert.equal(order.items.lineItems[0]?.quantity, 1);
  assert.equal(Object.getOwnPropertyDescriptor(Object.prototype, 'polluted'), undefined);
});

test('A11 of a name given twice the last counts, in what is checked, priced, stored and looked up', async () => {
  const plain: PlaceOrderBody = basket(service, { external_reference: 'twice-last', notes: 'last' });
  const body = JSON.stringify(plain)
    .replace('"quantity":1', '"quantity":0,"quantity":2')
    .replace(
      '"external_reference":"twice-last"',
      '"external_reference":"twice-first","external_reference":"twice-last"',
    )
    .replace('"notes":"last"', '"notes":7,"notes":"last"');
  const answer = await send('/orders', body);
  assert.equal(answer.status, 201, answer.text);
  const order = JSON.parse(answer.text) as CreatedOrder;
  assert.deepEqual(
    [order.items.lineItems[0]?.quantity, order.charged.lines[0]?.quantity, order.external_reference, order.notes],
    [2, 2, 'twice-last', 'last'],
  );
  const stored = await rows(service, "select external_reference from orders where external_reference like 'twice-%'");
  assert.deepEqual(stored, [{ external_reference: 'twice-last' }]);
  const wrong = JSON.stringify(plain).replace('"quantity":1', '"quantity":2,"quantity":0');
  assert.deepEqual((await send('/orders', wrong)).paths, ['items[0].quantity']);
});
