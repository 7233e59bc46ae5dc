import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setStock } from '../../../../src/catalogue/set-stock.ts';
import { parseId } from '../../../../src/lib/ids.ts';
import type { CreatedOrder, Estimate, PlaceOrderBody } from '../../../../src/orders/schema.ts';
import { verify } from '../../../../src/verify/verify.ts';
import { flat } from '../../../harness/pictures.ts';
import {
  type Answer,
  type Customer,
  type ErrorReply,
  startTestService,
  type TestService,
} from '../../../harness/service.ts';
import { addProduct, basket, HOME, servePicture, teeItem, unsigned, withoutRequestId } from '../../../harness/shop.ts';
import { balancePence, everythingWritten, rows } from '../../../harness/written.ts';

let service: TestService;
let customer: Customer;
before(async () => {
  service = await startTestService({ role: 'api' });
  ({ customer } = service);
});
after(() => service.stop());

async function post(body: object, by = customer): Promise<Answer<CreatedOrder>> {
  return by.request<CreatedOrder>('POST', '/orders', body);
}

async function refuse(body: object, by = customer): Promise<Answer<ErrorReply>> {
  return by.request('POST', '/orders', body);
}

function replayedOf(answers: readonly Answer<CreatedOrder>[]): (string | null)[] {
  return answers.map((answer) => answer.headers.get('idempotent-replayed'));
}

async function ordersOf(reference: string): Promise<number> {
  const found = await rows(service, 'select id from orders where external_reference = $1', [reference]);
  return found.length;
}

/** A basket with one picture of a stranger's on the front. */
function withArtwork(url: string, reference: string): PlaceOrderBody {
  const areas = [{ print_area: 'front', method: 'dtg', artwork_url: url }];
  return basket(service, { items: [teeItem(service, { decoration: { areas } })], external_reference: reference });
}

test('4.1.5 the same external_reference fifty times at once is one order and one charge: one 201, the rest 200 (4.1 external_reference, F94)', async () => {
  const before = await balancePence(service, customer);
  const body = basket(service, { external_reference: 'many-1', metadata: { zebra: '1', ant: '2' }, notes: 'once' });
  const answers = await Promise.all(Array.from({ length: 50 }, () => post(body)));
  const created = answers.filter(({ status }) => status === 201);
  const repeated = answers.filter(({ status }) => status === 200);
  assert.deepEqual([created.length, repeated.length], [1, 49]);
  assert.deepEqual(new Set(replayedOf(created)), new Set([null]));
  assert.deepEqual(new Set(replayedOf(repeated)), new Set(['true']));
  for (const { body: order } of repeated) assert.deepEqual(unsigned(order), unsigned(created[0]?.body));
  const total = Math.round((created[0]?.body.charged.total ?? Number.NaN) * 100);
  assert.equal(await balancePence(service, customer), before - total);
  assert.equal(await ordersOf('many-1'), 1);
});

test('4.1.5 fifty at once with artwork of their own are one order too (F94)', async () => {
  const url = await servePicture(service, '/fifty.png', { widthPx: 900, heightPx: 900, colour: '#102030' });
  const answers = await Promise.all(Array.from({ length: 50 }, () => post(withArtwork(url, 'many-2'))));
  assert.deepEqual(answers.map(({ status }) => String(status)).toSorted(), [
    ...Array.from({ length: 49 }, () => '200'),
    '201',
  ]);
  assert.equal(new Set(answers.map(({ body }) => body.id)).size, 1);
  assert.equal(await ordersOf('many-2'), 1);
});

test('4.1.5 a repeat with another body returns the first order unchanged and charges nothing (F96)', async () => {
  const first = await post(basket(service, { external_reference: 'other-body' }));
  const before = await everythingWritten(service);
  const repeat = await post(
    basket(service, {
      external_reference: 'other-body',
      type: 'sample',
      notes: 'changed',
      items: [teeItem(service, { quantity: 99 }), teeItem(service)],
    }),
  );
  assert.deepEqual([repeat.status, repeat.headers.get('idempotent-replayed')], [200, 'true']);
  const [warning, ...warnings] = repeat.body.warnings;
  assert.equal(warning?.code, 'replayed_with_different_body');
  assert.deepEqual(unsigned({ ...repeat.body, warnings }), unsigned(first.body));
  assert.deepEqual(await everythingWritten(service), before);
});

test('4.1.5 a reference of another account is refused with the same body whatever its order is (2.1 external_reference, 4.1 estimate errors, 7 duplicate_external_reference)', async () => {
  const other = await service.openCustomer({ balancePence: 50_000 });
  const tote = await addProduct(service, other, 'TOTE-COTTON');
  const body = {
    items: [{ product_id: tote, variant_sku: 'TOTE-COTTON-NAT', quantity: 1, print_jobs: [] }],
    shipping_address: HOME,
  };
  await post(basket(service, { external_reference: 'mine-paid' }));
  await post(basket(service, { external_reference: 'mine-large', items: [teeItem(service, { quantity: 12 })] }));
  const before = await everythingWritten(service);
  const refusals = [
    await refuse({ ...body, external_reference: 'mine-paid' }, other),
    await refuse({ ...body, external_reference: 'mine-large' }, other),
    // It comes before what the basket names: not even an unknown product is told first.
    await refuse({ ...basket(service), external_reference: 'mine-large' }, other),
  ];
  for (const refusal of refusals) {
    assert.deepEqual([refusal.status, refusal.body.code], [409, 'duplicate_external_reference']);
    assert.equal(withoutRequestId(refusal), withoutRequestId(refusals[0] ?? refusal));
    assert.doesNotMatch(refusal.text, /mine-|PF-|ord_/);
  }
  const estimated = await other.request('POST', '/orders/estimate', { ...body, external_reference: 'mine-paid' });
  assert.equal(withoutRequestId(estimated), withoutRequestId(refusals[0] ?? estimated));
  assert.deepEqual(await everythingWritten(service), before);
});

test('4.1.5 two accounts with one reference at the same moment: one has its order, the other is refused (F95)', async () => {
  const other = await service.openCustomer({ balancePence: 500_000 });
  const tote = await addProduct(service, other, 'TOTE-COTTON');
  const items = [{ product_id: tote, variant_sku: 'TOTE-COTTON-NAT', quantity: 1, print_jobs: [] }];
  for (let round = 0; round < 10; round += 1) {
    const reference = `contested-${round}`;
    const [mine, theirs] = await Promise.all([
      post(basket(service, { external_reference: reference })),
      post(basket(service, { external_reference: reference, items }), other),
    ]);
    assert.equal(`${Math.min(mine.status, theirs.status)} ${Math.max(mine.status, theirs.status)}`, '201 409');
    assert.equal(await ordersOf(reference), 1);
  }
});

test('F97 the reference of a refused request is free again', async () => {
  const wrong = await post(
    basket(service, { external_reference: 'retry-1', items: [teeItem(service, { variant_sku: 'NOPE' })] }),
  );
  const short = await post(
    basket(service, { external_reference: 'retry-1', items: [teeItem(service, { quantity: 10_000 })] }),
  );
  const spent = await post(withArtwork(service.stranger.url('/never-there.png'), 'retry-1'));
  const good = await post(basket(service, { external_reference: 'retry-1' }));
  assert.deepEqual([wrong.status, short.status, spent.status, good.status], [422, 409, 422, 201]);
});

test('a twin whose artwork address works once only is given the order and not a refusal', async () => {
  const body = await flat(700, 700, '#654321').png().toBuffer();
  let served = 0;
  service.stranger.serve('/one-shot.png', (_hit, response) => {
    served += 1;
    if (served === 1) response.writeHead(200, { 'content-length': body.length }).end(body);
    else response.writeHead(404).end();
  });
  const url = service.stranger.url('/one-shot.png');
  const first = await post(withArtwork(url, 'one-shot'));
  const later = await post(withArtwork(url, 'one-shot'));
  assert.deepEqual([first.status, later.status, served], [201, 200, 1], 'a repeat fetches nothing');

  // At the same moment both fetch; whoever is refused at first is answered with the order of the other, unless it was
  // refused before there was one.
  served = 0;
  const pair = await Promise.all([post(withArtwork(url, 'one-shot-2')), post(withArtwork(url, 'one-shot-2'))]);
  assert.equal(pair.filter(({ status }) => status === 201).length, 1);
  assert.equal(await ordersOf('one-shot-2'), 1);
});

test('a refusal that comes after a twin has placed the order is answered with that order (F102)', async () => {
  const good = await servePicture(service, '/twin.png', { widthPx: 500, heightPx: 500, colour: '#abcdef' });
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  service.stranger.serve('/held.png', async (_hit, response) => {
    await held;
    response.writeHead(404).end();
  });
  const slow = post(withArtwork(service.stranger.url('/held.png'), 'twin-1'));
  const quick = await post(withArtwork(good, 'twin-1'));
  release();
  const answer = await slow;
  assert.deepEqual([quick.status, answer.status, answer.body.id], [201, 200, quick.body.id]);
});

test('F100 references are compared byte by byte', async () => {
  const references = [
    'Byte-a',
    'byte-a',
    'byte-a ',
    'byte-\u00e9',
    'byte-e\u0301',
    ' byte-a',
    'r'.repeat(255),
    '\u{1f9f5}'.repeat(255),
  ];
  const answers: Answer<CreatedOrder>[] = [];
  for (const reference of references) answers.push(await post(basket(service, { external_reference: reference })));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
  assert.deepEqual(
    answers.map(({ body }) => body.external_reference),
    references,
  );
});

test('F98 and F99 a reference leads to its order also when that is cancelled, or came from another source', async () => {
  for (const [change, status] of [
    ["state = 'cancelled'", 'cancelled'],
    ["source = 'portal'", 'pending'],
    ["source = 'channel'", 'pending'],
  ] as const) {
    const reference = `kept ${change}`;
    const first = await post(basket(service, { external_reference: reference }));
    await rows(service, `update orders set ${change} where external_reference = $1`, [reference]);
    const repeat = await post(basket(service, { external_reference: reference }));
    assert.deepEqual([repeat.status, repeat.body.id, repeat.body.status], [200, first.body.id, status]);
    // Put back: the books of a cancelled order would miss its refund.
    await rows(
      service,
      "update orders set changed_by = transaction_number(), state = 'placed', source = 'api' where external_reference = $1",
      [reference],
    );
  }
});

test('F104 a repeat is answered after the product is archived and the stock is gone', async () => {
  const product = await addProduct(service, customer, 'MUG-11OZ');
  const sku = 'MUG-11OZ-WHT';
  const items = [{ product_id: product, variant_sku: sku, quantity: 5, print_jobs: [] }];
  const body = basket(service, { external_reference: 'replay-1', items });
  const first = await post(body);
  assert.equal(first.status, 201);
  await setStock(service.ctx, { sku, onHand: 0, reason: 'sold', actor: 'test' });
  assert.equal((await post({ ...body, external_reference: 'replay-2' })).status, 409);
  await rows(service, "update product set status = 'archived' where id = $1", [parseId('prod', product) ?? '']);
  assert.equal((await post({ ...body, external_reference: 'replay-2' })).status, 422);
  const repeat = await post(body);
  assert.deepEqual([repeat.status, repeat.headers.get('idempotent-replayed')], [200, 'true']);
  assert.deepEqual(unsigned(repeat.body), unsigned(first.body));
});

test('F103 without a reference the same request twice is two orders', async () => {
  const answers = [await post(basket(service)), await post(basket(service))];
  assert.deepEqual(
    answers.map(({ status }) => status),
    [201, 201],
  );
  assert.notEqual(answers[0]?.body.id, answers[1]?.body.id);
});

test('an estimate with a reference of the caller that is in use names the order that has it, and a free one nothing', async () => {
  const { body: order } = await post(basket(service, { external_reference: 'known-1' }));
  const ask = async (reference: string): Promise<Estimate> =>
    (await customer.request<Estimate>('POST', '/orders/estimate', basket(service, { external_reference: reference })))
      .body;
  assert.deepEqual((await ask('known-1')).existing_order, { id: order.id, reference: order.reference });
  assert.equal((await ask('known-2')).existing_order, undefined);
  assert.equal((await post(basket(service, { external_reference: 'known-2' }))).status, 201, 'an estimate takes none');
});

test('the books are in order after all of it', async () => {
  const { checks } = await verify(service.ctx);
  assert.deepEqual(
    checks.filter(({ violations }) => violations.length > 0),
    [],
  );
});
