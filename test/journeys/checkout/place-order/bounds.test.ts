import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setStock } from '../../../../src/catalogue/set-stock.ts';
import type { CreatedOrder, Order } from '../../../../src/orders/schema.ts';
import { verify } from '../../../../src/verify/verify.ts';
import { eventually } from '../../../harness/context.ts';
import { type Answer, type Customer, startTestService, type TestService } from '../../../harness/service.ts';
import { basket, HOME, problemsOf, TEE_WHITE_M, teeItem } from '../../../harness/shop.ts';
import { drip } from '../../../harness/stranger.ts';
import { everythingWritten, rows } from '../../../harness/written.ts';

let service: TestService;
let customer: Customer;
before(async () => {
  service = await startTestService({ role: 'api' });
  ({ customer } = service);
});
after(() => service.stop());

async function place(body: unknown): Promise<Answer<CreatedOrder>> {
  return customer.request<CreatedOrder>('POST', '/orders', body);
}

test('8 quantity: the largest quantity, the longest texts and a thousand lines are taken: an emoji counts as one character (8 notes, 4.1 quantity, 4.1 notes, E80)', async () => {
  await setStock(service.ctx, { sku: TEE_WHITE_M, onHand: 100_000, reason: 'a large delivery', actor: 'test' });
  const long = {
    notes: '\u{1f9f5}'.repeat(1_000),
    external_reference: '\u{1f9f5}'.repeat(255),
    metadata: Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => [`${index}`.padEnd(100, 'n'), 'v'.repeat(500)]),
    ),
    items: [teeItem(service, { quantity: 10_000, name: '\u{1f9f5}'.repeat(200) })],
  };
  const placed = await place(basket(service, long));
  assert.equal(placed.status, 201, placed.text);
  assert.deepEqual([placed.body.notes, placed.body.metadata], [long.notes, long.metadata]);
  const lines = Array.from({ length: 1_000 }, () => teeItem(service));
  const many = await place(basket(service, { items: lines }));
  assert.deepEqual([many.status, many.body.items.lineItems.length], [201, 1_000]);
  const read = await customer.request<Order>('GET', `/orders/${many.body.id}`);
  assert.deepEqual(
    read.body.items.map(({ id }) => id),
    many.body.items.lineItems.map(({ id }) => id),
  );
});

const ODD_TEXTS = [
  '\u0001\u001f',
  '\u2028\u2029',
  '\ufeffmark',
  'a\u0301 \u00e1',
  '\u202egnirts',
  "'; drop table orders; --",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the text itself is what is sent.
  '${7*7} {{7*7}} <script>',
  '\\u0000 %00 \\',
  '\u{1f9f5}\r\n\t',
];
for (const text of ODD_TEXTS) {
  test(`E80 the text ${JSON.stringify(text)} is kept as it came, in every place`, async () => {
    const address = { ...HOME, contact_name: `${text}.`, county: text, phone: text };
    const item = teeItem(service, { name: `${text}.`, colour: text, size: text });
    const body = {
      shipping_address: address,
      notes: text,
      external_reference: `odd ${text}`,
      metadata: { [text]: text },
    };
    const placed = await place(basket(service, { ...body, items: [item] }));
    assert.equal(placed.status, 201, placed.text);
    const [line] = placed.body.items.lineItems;
    assert.deepEqual([line?.name, line?.colour, line?.size], [`${text}.`, text, text]);
    const { body: read } = await customer.request<Order>('GET', `/orders/${placed.body.id}`);
    assert.deepEqual(
      [read.notes, read.external_reference, read.metadata, read.shipping_address.contact_name, read.items[0]?.name],
      [text, `odd ${text}`, { [text]: text }, `${text}.`, `${text}.`],
    );
  });
}

test('A10 metadata named __proto__ and constructor is data like any other', async () => {
  const metadata = '{"__proto__":"x","constructor":"y"}';
  const raw = JSON.stringify(basket(service, { metadata: { a: 'b' } })).replace('{"a":"b"}', metadata);
  const placed = await place(raw);
  assert.equal(placed.status, 201);
  assert.equal(JSON.stringify(placed.body.metadata), metadata);
  const read = await customer.request<Order>('GET', `/orders/${placed.body.id}`);
  assert.match(read.text, /"__proto__":"x"/);
});

const BAD_METADATA: readonly (readonly [metadata: unknown, problem: string])[] = [
  [null, 'metadata type'],
  [[], 'metadata type'],
  [{ a: 1 }, 'metadata.a type'],
  [{ a: null }, 'metadata.a type'],
  [{ a: 'v'.repeat(501) }, 'metadata.a out_of_bounds'],
  [Object.fromEntries(Array.from({ length: 51 }, (_, index) => [index, 'v'])), 'metadata out_of_bounds'],
  [{ ['n'.repeat(101)]: 'v' }, 'metadata out_of_bounds'],
];
for (const [metadata, problem] of BAD_METADATA) {
  test(`metadata ${JSON.stringify(metadata).slice(0, 40)} is refused: ${problem}`, async () => {
    const refused = await customer.request('POST', '/orders', { ...basket(service), metadata });
    assert.deepEqual([refused.status, problemsOf(refused)], [422, [problem]]);
  });
}

test('an order reference that another order has already is drawn again, and the customer notices nothing', async () => {
  const first = await place(basket(service));
  await service.ctx.database.script(`
    create sequence reference_draws;
    create function draw_twice() returns trigger language plpgsql as $$
    begin
      -- A sequence is not rolled back: only the first draw is a reference that is taken.
      if nextval('reference_draws') = 1 then new.reference := '${first.body.reference}'; end if;
      return new;
    end $$;
    create trigger draw_twice before insert on orders for each row execute function draw_twice()`);
  const second = await place(basket(service, { external_reference: 'drawn-twice' }));
  await service.ctx.database.script('drop trigger draw_twice on orders');
  assert.deepEqual([second.status, second.body.payment_status], [201, 'paid']);
  assert.notEqual(second.body.reference, first.body.reference);
  const postings = await rows<{ charges: number }>(
    service,
    `select count(distinct p.order_id) as charges from posting p join orders o on o.id = p.order_id
     where o.external_reference = 'drawn-twice'`,
  );
  assert.deepEqual(postings, [{ charges: 1 }]);
});

test('a customer who hangs up while artwork is fetched has no order, and nothing is left in staging', async () => {
  const before = await everythingWritten(service);
  service.stranger.serve('/slow.png', drip({ chunkBytes: 16, everyMs: 20 }));
  const areas = [{ print_area: 'front', method: 'dtg', artwork_url: service.stranger.url('/slow.png') }];
  const hangUp = new AbortController();
  const request = fetch(`${service.url}/api/v1/orders`, {
    method: 'POST',
    signal: hangUp.signal,
    headers: { authorization: `Bearer ${customer.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(
      basket(service, { external_reference: 'hung-up', items: [teeItem(service, { decoration: { areas } })] }),
    ),
  });
  const ended = assert.rejects(request, { name: 'AbortError' });
  await eventually('the download', async () => (await everythingWritten(service)).staged === 1);
  hangUp.abort();
  await ended;
  await eventually('an empty staging area', async () => (await everythingWritten(service)).staged === before.staged);
  assert.deepEqual(await everythingWritten(service), before);
});

test('the books are in order after all of it', async () => {
  const { checks } = await verify(service.ctx);
  assert.deepEqual(
    checks.filter(({ violations }) => violations.length > 0),
    [],
  );
});
