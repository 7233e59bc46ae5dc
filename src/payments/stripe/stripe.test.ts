import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, test } from 'node:test';
import { disputeOf, type FakeProvider, movedBy, startProvider } from '../../../test/harness/provider.ts';
import { readConfig } from '../../lib/config.ts';
import { newId } from '../../lib/ids.ts';
import type { Log } from '../../lib/log.ts';
import type { PaymentProvider } from '../provider.ts';
import { openStripe } from './stripe.ts';

let fake: FakeProvider;
let payments: PaymentProvider;
const logged: string[] = [];
const keep = (fields: object, message: string): void => {
  logged.push(JSON.stringify({ ...fields, message }));
};
const log: Log = { debug: keep, info: keep, warn: keep, error: keep };

function open(env: Record<string, string>): PaymentProvider {
  const { stripe } = readConfig(env);
  assert.ok(stripe);
  return openStripe(stripe, log);
}

before(async () => {
  fake = await startProvider();
  payments = open(fake.env);
});
beforeEach(() => {
  logged.length = 0;
  fake.decide('accept');
});
after(() => fake.close());

let made = 0;
function draft(changes: object = {}) {
  made += 1;
  const intent = {
    key: `key-${made}`,
    method: 'card',
    reference: 'pm_1',
    customer: 'cus_1',
    amountPence: 1_234,
  } as const;
  return { ...intent, description: 'An order', ...changes };
}

async function create(changes: object = {}): Promise<string> {
  const asked = await payments.createIntent(draft(changes), 2_000);
  assert.equal(asked.kind, 'ok');
  return asked.kind === 'ok' ? asked.value.id : '';
}

test('an intent is made without a charge, in pence, and the same for the same key', async () => {
  const intent = draft();
  const [one, two] = [await payments.createIntent(intent, 2_000), await payments.createIntent(intent, 2_000)];
  assert.deepEqual(one, two);
  const found = fake.intents.filter(({ attempt }) => attempt === intent.key);
  assert.deepEqual(
    found.map(({ amount, paymentMethod, customer, charges }) => [amount, paymentMethod, customer, charges]),
    [[1_234, 'pm_1', 'cus_1', 0]],
  );
});

test('confirmed by its id it is charged once; confirmed again it is refused and reads as accepted', async () => {
  const id = await create();
  assert.deepEqual(await payments.confirmIntent(id, 2_000), {
    kind: 'ok',
    value: { id, state: 'accepted', reason: '', amount: 1_234, currency: 'gbp', pageKey: null },
  });
  assert.equal((await payments.confirmIntent(id, 2_000)).kind, 'rejected');
  assert.deepEqual(await payments.readIntent(id, 2_000), {
    kind: 'ok',
    value: { id, state: 'accepted', reason: '', amount: 1_234, currency: 'gbp', pageKey: null },
  });
  assert.equal(fake.intents.at(-1)?.charges, 1);
});

describe('how an intent stands with the provider, and what that is here', () => {
  const cases: [status: string, state: string][] = [
    ['requires_confirmation', 'unconfirmed'],
    ['succeeded', 'accepted'],
    ['processing', 'accepted'],
    ['requires_payment_method', 'declined'],
    ['canceled', 'cancelled'],
    ['requires_action', 'unfinished'],
    ['requires_capture', 'unfinished'],
    ['a status of a later version', 'unfinished'],
  ];
  for (const [status, state] of cases) {
    test(`${status}: ${state}`, async () => {
      const id = await create();
      const intent = fake.intents.at(-1);
      assert.ok(intent);
      intent.status = status;
      const asked = await payments.readIntent(id, 2_000);
      assert.equal(asked.kind === 'ok' ? asked.value.state : asked.kind, state);
    });
  }
});

test('a decline is an answer, with the reason that the customer is told', async () => {
  const id = await create();
  fake.decide('decline');
  const value = {
    id,
    state: 'declined',
    reason: 'Your card was declined.',
    amount: 1_234,
    currency: 'gbp',
    pageKey: null,
  };
  const declined = { kind: 'ok', value };
  assert.deepEqual(await payments.confirmIntent(id, 2_000), declined);
  assert.deepEqual(await payments.readIntent(id, 2_000), declined);
  const intent = fake.intents.at(-1);
  assert.ok(intent);
  // What no database keeps is not in it: a NUL, and half of a character.
  intent.failure = `No\0 ${'x'.repeat(195)}😀 more`;
  const asked = await payments.readIntent(id, 2_000);
  assert.equal(asked.kind === 'ok' ? asked.value.reason : '', `No  ${'x'.repeat(195)}\uFFFD`);
});

test('what was received counts, where it differs from what was asked for; what is no amount is none', async () => {
  const answers: Readonly<Record<string, object>> = {
    pi_part: { status: 'succeeded', amount: 797, amount_received: 1, currency: 'gbp' },
    pi_debit: { status: 'processing', amount: 797, amount_received: 0, currency: 'gbp' },
    pi_bare: { status: 'succeeded' },
    pi_odd: { status: 'succeeded', amount: '797', amount_received: 7.5, currency: 'p\0und' },
  };
  const server = createServer((request, response) => {
    const id = request.url?.split('/').at(-1) ?? '';
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ id, ...answers[id] }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const there = open({ ...fake.env, STRIPE_HOST: `http://127.0.0.1:${portOf(server)}` });
  const found = [];
  for (const id of Object.keys(answers)) {
    const asked = await there.readIntent(id, 2_000);
    assert.ok(asked.kind === 'ok', id);
    found.push([asked.value.amount, asked.value.currency]);
  }
  server.closeAllConnections();
  server.close();
  assert.deepEqual(found, [
    [1, 'gbp'],
    [797, 'gbp'],
    [null, ''],
    [null, ''],
  ]);
});

test('an intent that has taken nothing can be ended, one that has cannot', async () => {
  const ended = await payments.cancelIntent(await create(), 2_000);
  assert.equal(ended.kind === 'ok' ? ended.value.state : ended.kind, 'cancelled');
  const charged = await create();
  await payments.confirmIntent(charged, 2_000);
  assert.equal((await payments.cancelIntent(charged, 2_000)).kind, 'rejected');
});

test('an error of the provider, and a key it does not know, are silence: nobody can say what was done', async () => {
  for (const fault of ['500', '401'] as const) {
    fake.fail('create', fault);
    assert.deepEqual(await payments.createIntent(draft(), 2_000), { kind: 'no_answer' });
  }
  assert.equal(logged.length, 2);
  assert.equal(logged.join('').includes('sk_test'), false, 'the key is not in the log');
});

test('a provider that does not answer, drips, redirects, talks nonsense or is not there is silence, in time', async () => {
  let visits = 0;
  const other = createServer((_request, response) => {
    visits += 1;
    response.end(JSON.stringify({ id: 'pi_elsewhere', status: 'succeeded' }));
  });
  const drips: NodeJS.Timeout[] = [];
  const bad = createServer((request, response) => {
    const id = request.url?.split('/').at(-1) ?? '';
    if (id === 'pi_hang') return;
    if (id === 'pi_drip') {
      response.writeHead(200, { 'content-type': 'application/json' });
      drips.push(setInterval(() => response.write(' '), 20));
      return;
    }
    if (id === 'pi_moved') {
      response.writeHead(302, { location: `http://127.0.0.1:${portOf(other)}/v1/payment_intents/pi_1` }).end('{}');
      return;
    }
    response.writeHead(200).end(id === 'pi_text' ? 'hello' : '{"object":"list"}');
  });
  for (const server of [other, bad]) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const there = open({ ...fake.env, STRIPE_HOST: `http://127.0.0.1:${portOf(bad)}` });
  const startedAt = performance.now();
  for (const id of ['pi_hang', 'pi_drip', 'pi_moved', 'pi_text', 'pi_none']) {
    assert.deepEqual(await there.readIntent(id, 300), { kind: 'no_answer' }, id);
  }
  assert.deepEqual(await there.readIntent('pi_1', 0), { kind: 'no_answer' }, 'no time is left');
  assert.ok(performance.now() - startedAt < 3_000);
  assert.equal(visits, 0, 'a redirect is not followed');
  for (const drip of drips) clearInterval(drip);
  for (const server of [other, bad]) {
    server.closeAllConnections();
    server.close();
  }
  const gone = open({ ...fake.env, STRIPE_HOST: `http://127.0.0.1:${portOf(bad)}` });
  assert.deepEqual(await gone.readIntent('pi_1', 1_000), { kind: 'no_answer' });
});

const ports = new WeakMap<object, number>();
function portOf(server: ReturnType<typeof createServer>): number {
  const address = server.address() as AddressInfo | null;
  const port = address?.port ?? ports.get(server) ?? 0;
  ports.set(server, port);
  return port;
}

const UNNAMED = { label: '', expiresOn: null };

for (const [title, given, label, expiresOn] of [
  [
    'its brand and last digits',
    { brand: 'american_express', last4: '0005', exp_month: 2, exp_year: 2028 },
    'American express ending in 0005',
    '2028-02-29',
  ],
  ['no brand', { brand: 'unknown', last4: '4242', exp_month: 12, exp_year: 2030 }, 'Card ending in 4242', '2030-12-31'],
  ['nothing that can be shown', { brand: '<b>', last4: '<i>', exp_month: 13, exp_year: 'soon' }, '', null],
] as const) {
  test(`a card is named by ${title}`, async () => {
    fake.methods.set('pm_named', { type: 'card', customer: 'cus_1', card: given } as never);
    const value = { reference: 'pm_named', kind: 'card', customer: 'cus_1', label, expiresOn };
    assert.deepEqual(await payments.findMethod('pm_named', 2_000), { kind: 'ok', value });
  });
}

test('whose a method is, and of which kind', async () => {
  fake.methods.set('pm_debit', { type: 'bacs_debit', customer: 'cus_7' });
  fake.methods.set('pm_paper', { type: 'paper_check', customer: null });
  fake.methods.set('pm_gone', 'unknown');
  const found = await Promise.all(['pm_debit', 'pm_paper', 'pm_gone'].map((id) => payments.findMethod(id, 2_000)));
  assert.deepEqual(found[0], {
    kind: 'ok',
    value: { ...UNNAMED, reference: 'pm_debit', kind: 'direct_debit', customer: 'cus_7' },
  });
  assert.deepEqual(found[1], {
    kind: 'ok',
    value: { ...UNNAMED, reference: 'pm_paper', kind: undefined, customer: '' },
  });
  assert.equal(found[2]?.kind, 'rejected');
});

describe('callbacks', () => {
  const now = new Date('2026-03-01T12:00:00.000Z');
  const read = (type: string, object: object, options: object = {}) => {
    const { body, headers } = fake.callback(type, object, { at: now, ...options });
    return payments.readCallback(Buffer.from(body), headers['stripe-signature'] ?? '', now);
  };

  const nothing = { kind: 'nothing' };

  test('name the intent that they are about', async () => {
    assert.deepEqual(await read('payment_intent.succeeded', { id: 'pi_1' }), { kind: 'intent', intentId: 'pi_1' });
    assert.deepEqual(await read('customer.created', { id: 'cus_1' }), nothing);
    assert.deepEqual(await read('payment_intent.succeeded', { id: 7 }), nothing);
  });

  describe('of disputes say what was taken and given back in all: an inquiry has taken none', () => {
    const name = { intentId: 'pi_2', disputeId: 'dp_1' };
    const inquiry = { ...name, kind: 'inquiry' };
    const listed = (withdrawnPence: number, reinstatedPence: number, state = 'open') => ({
      ...name,
      kind: 'dispute',
      state,
      amounts: { withdrawnPence, reinstatedPence, isListed: true },
    });
    const about = (withdrawnPence: number, state = 'open') => ({
      ...name,
      kind: 'dispute',
      state,
      amounts: { withdrawnPence, reinstatedPence: 0, isListed: false },
    });
    const unreadable = (state = 'open') => ({ ...name, kind: 'dispute', state, amounts: 'unreadable' });
    const cases: readonly (readonly [type: string, changes: object, expected: object])[] = [
      ['created', { status: 'warning_needs_response' }, inquiry],
      ['created', { status: 'warning_under_review', balance_transactions: [] }, inquiry],
      ['created', {}, nothing],
      ['created', movedBy(-797), listed(797, 0)],
      ['updated', { status: 'under_review' }, nothing],
      ['updated', { status: 'won' }, nothing],
      ['updated', { status: 'under_review', ...movedBy(-797) }, listed(797, 0)],
      ['funds_withdrawn', {}, about(797)],
      ['funds_withdrawn', { amount: 100 }, about(100)],
      ['funds_withdrawn', { amount: 100, ...movedBy(-99) }, listed(99, 0)],
      ['funds_withdrawn', { amount: 120, currency: 'eur', ...movedBy(-100) }, listed(100, 0)],
      ['funds_withdrawn', movedBy(-797, 797, -797), listed(1_594, 797)],
      ['funds_withdrawn', { currency: 'eur' }, unreadable()],
      ['funds_withdrawn', { amount: 1.5 }, unreadable()],
      ['funds_withdrawn', { amount: 0 }, unreadable()],
      ['funds_withdrawn', movedBy(-0.5), unreadable()],
      ['funds_withdrawn', movedBy(-Number.MAX_SAFE_INTEGER, -1), unreadable()],
      ['funds_withdrawn', { balance_transactions: [{ amount: -797, currency: 'eur' }] }, unreadable()],
      ['funds_withdrawn', { balance_transactions: [null] }, unreadable()],
      ['funds_reinstated', { status: 'won' }, about(0, 'won')],
      ['funds_reinstated', { status: 'won', ...movedBy(-797, 797) }, listed(797, 797, 'won')],
      ['funds_reinstated', { status: 'lost', ...movedBy(-797, 100) }, listed(797, 100, 'lost')],
      ['funds_reinstated', { status: 'lost' }, unreadable('lost')],
      ['closed', { status: 'won' }, about(0, 'won')],
      ['closed', { status: 'won', ...movedBy(-797) }, listed(797, 0, 'won')],
      ['closed', { status: 'lost' }, about(0, 'lost')],
      ['closed', { status: 'lost', ...movedBy(-797) }, listed(797, 0, 'lost')],
      ['closed', { status: 'warning_closed' }, { ...name, kind: 'inquiry_closed' }],
      ['funds_withdrawn', { payment_intent: null }, nothing],
    ];
    for (const [type, changes, expected] of cases) {
      test(`${type} ${JSON.stringify(changes).slice(0, 120)}`, async () => {
        assert.deepEqual(
          await read(`charge.dispute.${type}`, disputeOf({ id: 'pi_2', amount: 797 }, changes)),
          expected,
        );
      });
    }
  });

  test('of refunds say how much in all, and on which page the payment was made', async () => {
    const key = newId();
    const refund = { payment_intent: 'pi_3', amount_refunded: 500, currency: 'gbp', metadata: { platen_top_up: key } };
    const expected = { kind: 'refunded', intentId: 'pi_3', refundedPence: 500, pageKey: key };
    const cases: readonly (readonly [changes: object, expected: object])[] = [
      [{}, expected],
      [{ currency: 'eur' }, { ...expected, refundedPence: 'unreadable' }],
      [{ metadata: {} }, { ...expected, pageKey: null }],
      [{ metadata: null }, { ...expected, pageKey: null }],
      [{ metadata: { platen_top_up: 'another' } }, { ...expected, pageKey: null }],
      [{ payment_intent: null }, nothing],
    ];
    for (const [changes, callback] of cases) {
      assert.deepEqual(await read('charge.refunded', { ...refund, ...changes }), callback);
    }
  });

  test("whose names hold U+0000 are nobody's, with a line in the log", async () => {
    assert.deepEqual(await read('payment_intent.succeeded', { id: 'pi_\0' }), nothing);
    assert.deepEqual(await read('charge.dispute.funds_withdrawn', disputeOf({ id: 'pi_\0', amount: 1 })), nothing);
    const named = disputeOf({ id: 'pi_1', amount: 1 }, { id: 'dp\0' });
    assert.deepEqual(await read('charge.dispute.funds_withdrawn', named), nothing);
    assert.equal(logged.length, 3);
  });

  test('are not believed with a wrong signature, a changed byte, or older than five minutes', async () => {
    assert.equal(await read('payment_intent.succeeded', { id: 'pi_1' }, { secret: 'whsec_other' }), undefined);
    assert.equal(
      await read('payment_intent.succeeded', { id: 'pi_1' }, { at: new Date(now.getTime() - 301_000) }),
      undefined,
    );
    assert.ok(await read('payment_intent.succeeded', { id: 'pi_1' }, { at: new Date(now.getTime() - 299_000) }));
    const { body, headers } = fake.callback('payment_intent.succeeded', { id: 'pi_1' }, { at: now });
    const changed = Buffer.from(body.replace('pi_1', 'pi_2'));
    assert.equal(await payments.readCallback(changed, headers['stripe-signature'] ?? '', now), undefined);
    assert.equal(await payments.readCallback(Buffer.from(body), '', now), undefined);
  });
});
