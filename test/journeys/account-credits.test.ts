import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { createAccount } from '../../src/accounts/create-account.ts';
import type { OpsAccount } from '../../src/accounts/ops-schema.ts';
import { creditAccount } from '../../src/billing/credit-account.ts';
import type { AccountBalance, Transaction } from '../../src/billing/schema.ts';
import { newId, parseId, publicId } from '../../src/lib/ids.ts';
import { pence } from '../../src/lib/money.ts';
import type { Page } from '../../src/lib/paging.ts';
import type { OpsOrder } from '../../src/orders/ops-schema.ts';
import type { AccountCredit } from '../../src/payments/ops-schema.ts';
import { assertSound, openShop, type Shop } from '../faults/fixtures.ts';
import {
  type Answer,
  type ErrorReply,
  type OperatorClient,
  startTestService,
  type TestService,
} from '../harness/service.ts';
import { seenBy } from './card-shop.ts';
import { balancePence, problemsOf, rows } from './fixtures.ts';

let service: TestService;
let finance: OperatorClient;
before(async () => {
  service = await startTestService({ role: 'api' });
  finance = await service.openOperator('finance');
});
afterEach(() => assertSound(service));
after(() => service.stop());

const accountOf = (shop: Shop): string => publicId('acct', shop.customer.accountId);

const credit = (
  account: string,
  body: object,
  { by = finance, key = newId() } = {},
): Promise<Answer<AccountCredit & Pick<ErrorReply, 'code' | 'errors'>>> =>
  by.request('POST', `/accounts/${account}/credits`, body, { 'idempotency-key': key });

/** What the command of a shell does. */
const creditByCommand = (shop: Shop, amount: number, reference: string) =>
  creditAccount(service.ctx, { accountId: shop.customer.accountId, amountPence: pence(amount), reference });

const settle = (order: { id: string }) =>
  finance.request<Pick<OpsOrder, 'state'> & Pick<ErrorReply, 'code'>>('POST', `/orders/${order.id}/settle`);

const statementOf = async (shop: Shop): Promise<[type: string, amount: number, reference: string][]> =>
  (await shop.customer.request<Page<Transaction>>('GET', '/account/transactions')).body.data.map(
    ({ type, amount, reference }) => [type, Math.round(amount * 100), reference],
  );

describe("a top-up that carries an order's reference", () => {
  test('before the order is settled by hand: both are booked', async () => {
    const shop = await openShop(service, 0);
    const order = (await shop.order()).body;
    assert.deepEqual(await creditByCommand(shop, 5, order.reference), { posted: true });
    const settled = await settle(order);
    assert.deepEqual([settled.status, settled.body.state], [200, 'placed'], settled.text);
    assert.equal(await balancePence(service, shop.customer), 5);
    assert.deepEqual(await statementOf(shop), [
      ['charge', -shop.totalPence, order.reference],
      ['top_up', shop.totalPence, order.reference],
      ['top_up', 5, order.reference],
    ]);
  });

  test('after it: it is posted, and once; another amount under the same reference is refused', async () => {
    const shop = await openShop(service, 0);
    const order = (await shop.order()).body;
    assert.equal((await settle(order)).status, 200);
    assert.deepEqual(await creditByCommand(shop, shop.totalPence, order.reference), { posted: true });
    assert.deepEqual(await creditByCommand(shop, shop.totalPence, order.reference), { posted: false });
    await assert.rejects(creditByCommand(shop, 5, order.reference), { code: 'conflict' });
    assert.equal(await balancePence(service, shop.customer), shop.totalPence);
  });
});

describe('money that an operator adds to an account', () => {
  test('pays the orders that wait for it, oldest first, and answers with the account; the audit log names who did it', async () => {
    const shop = await openShop(service, 0);
    const orders = [(await shop.order()).body, (await shop.order()).body, (await shop.order()).body];
    const body = { amount_gbp: (2 * shop.totalPence + 7) / 100, reference: 'BACS 4711' };
    const key = newId();
    const answer = await credit(accountOf(shop), body, { key });
    assert.equal(answer.status, 200, answer.text);
    const { id, balance_gbp, posted, settled_orders } = answer.body;
    assert.deepEqual([id, balance_gbp, posted, settled_orders], [accountOf(shop), 0.07, true, 2]);
    const seen = await Promise.all(orders.map((order) => seenBy(finance, order)));
    assert.deepEqual(
      seen.map(({ payment_status: status }) => status),
      ['paid', 'paid', 'failed'],
    );
    assert.deepEqual((await statementOf(shop)).at(-1), ['top_up', 2 * shop.totalPence + 7, 'BACS 4711']);
    const actions = await rows(
      service,
      'select action, detail, operator_id from operator_action where idempotency_key = $1',
      [key],
    );
    assert.deepEqual(actions, [
      { action: 'credit_account', detail: { account_id: accountOf(shop), ...body }, operator_id: finance.id },
    ]);
  });

  test('once for each key and for each reference, however often and at once; with another amount it is refused', async () => {
    const shop = await openShop(service, 0);
    const body = { amount_gbp: 12.34, reference: 'BACS 1' };
    const key = newId();
    const repeats = await Promise.all(Array.from({ length: 4 }, () => credit(accountOf(shop), body, { key })));
    assert.deepEqual(
      repeats.map(({ status }) => status),
      [200, 200, 200, 200],
    );
    assert.equal(repeats.filter(({ body: { posted } }) => posted).length, 1);
    const others = await Promise.all(Array.from({ length: 4 }, () => credit(accountOf(shop), body)));
    assert.ok(others.every(({ status, body: { posted } }) => status === 200 && !posted));
    assert.deepEqual(await creditByCommand(shop, 1_234, 'BACS 1'), { posted: false }, 'the command knows it too');
    const more = await credit(accountOf(shop), { ...body, amount_gbp: 12.35 });
    assert.deepEqual([more.status, more.body.code], [409, 'conflict']);
    assert.equal(await balancePence(service, shop.customer), 1_234);
  });

  test('a repeat settles what the first was kept from settling', async () => {
    const shop = await openShop(service, 0);
    const order = (await shop.order()).body;
    const key = newId();
    const body = { amount_gbp: shop.totalPence / 100, reference: 'BACS 2' };
    // The process ended once the money was booked, before an order was settled.
    await creditByCommand(shop, shop.totalPence, 'BACS 2');
    const answer = await credit(accountOf(shop), body, { key });
    assert.deepEqual([answer.body.posted, answer.body.settled_orders], [false, 1], answer.text);
    assert.equal((await seenBy(finance, order)).payment_status, 'paid');
    const again = await credit(accountOf(shop), body, { key });
    assert.deepEqual([again.status, again.body.settled_orders, again.body.balance_gbp], [200, 0, 0]);
  });

  test('refused, and nothing is booked: what is no amount, no reference, an unknown account, another role', async () => {
    const shop = await openShop(service, 0);
    const good = { amount_gbp: 1, reference: 'BACS 3' };
    for (const amount of [0, -1, 1.005, '1', null, 1e12]) {
      const answer = await credit(accountOf(shop), { ...good, amount_gbp: amount });
      assert.deepEqual([answer.status, answer.body.errors?.[0]?.path], [422, 'amount_gbp'], answer.text);
    }
    for (const reference of ['', '  ', 'x'.repeat(201), undefined, 7]) {
      const answer = await credit(accountOf(shop), { ...good, reference });
      assert.deepEqual([answer.status, answer.body.errors?.[0]?.path], [422, 'reference'], answer.text);
    }
    for (const account of [publicId('acct', newId()), 'acct_nobody', 'nobody']) {
      assert.equal((await credit(account, good)).status, 404);
    }
    for (const role of ['viewer', 'production'] as const) {
      const answer = await credit(accountOf(shop), good, { by: await service.openOperator(role) });
      assert.deepEqual([answer.status, answer.body.code], [403, 'insufficient_scope']);
    }
    assert.deepEqual(await statementOf(shop), []);
  });
});

describe('the list of accounts', () => {
  const list = async (query: string): Promise<Page<OpsAccount>> => {
    const answer = await finance.request<Page<OpsAccount>>('GET', `/accounts${query}`);
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  };
  const names = async (query: string): Promise<string[]> => (await list(query)).data.map(({ name }) => name);

  before(async () => {
    for (const name of ['Zebra Prints', 'zebra crossing', 'ZEBU', 'Zeb_ra%', 'Éclair', 'éclat', 'Zebra Prints']) {
      await createAccount(service.ctx, { name });
    }
  });

  test('by the beginning of the name, in any case, in the order of names; what stands for anything elsewhere stands for itself', async () => {
    const three = ['zebra crossing', 'Zebra Prints', 'Zebra Prints'];
    assert.deepEqual(await names('?name=zebra'), three);
    assert.deepEqual(await names('?name=ZEBRA'), three);
    assert.deepEqual(await names('?name=zebra%20p'), ['Zebra Prints', 'Zebra Prints']);
    assert.deepEqual(await names('?name=zeb'), ['Zeb_ra%', ...three, 'ZEBU']);
    assert.deepEqual(await names('?name=%C3%89CLA'), ['Éclair', 'éclat']);
    for (const name of ['zeb%25', 'zeb_', 'rints', 'zebra%20prints%20']) {
      assert.deepEqual(await names(`?name=${name}`), name === 'zeb_' ? ['Zeb_ra%'] : [], name);
    }
  });

  test('page by page, each account once, with its balance', async () => {
    const everyone = await rows<{ id: string }>(service, 'select id from account');
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Page<OpsAccount> = await list(`?limit=2${cursor === null ? '' : `&cursor=${cursor}`}`);
      assert.ok(page.data.length <= 2);
      seen.push(...page.data.map(({ id }) => parseId('acct', id) ?? ''));
      cursor = page.next_cursor;
    } while (cursor !== null);
    assert.deepEqual(seen.toSorted(), everyone.map(({ id }) => id).toSorted());
    const shop = await openShop(service, 0);
    await creditByCommand(shop, 1_999, '');
    const { data } = await list('?name=another&limit=100');
    assert.equal(data.find(({ id }) => id === accountOf(shop))?.balance_gbp, 19.99);
  });

  test('every role may read it; a cursor that is none is 422', async () => {
    const viewer = await service.openOperator('viewer');
    assert.equal((await viewer.request('GET', '/accounts?limit=1')).status, 200);
    for (const query of ['cursor=ord_01h455vb4pex5vsknk084sn02q', 'limit=0', `name=${'x'.repeat(201)}`]) {
      const answer = await viewer.request('GET', `/accounts?${query}`);
      assert.deepEqual([answer.status, problemsOf(answer).length], [422, 1], answer.text);
    }
  });
});

describe('a statement is in the order of its times', () => {
  test('an entry is no earlier than the one before it, whoever booked it by which clock, and a past balance is the one of its entry', async () => {
    const shop = await openShop(service, 3);
    const first = (await shop.order()).body;
    assert.equal(first.payment_status, 'paid');
    const entries = async () =>
      (await shop.customer.request<Page<Transaction>>('GET', '/account/transactions')).body.data.toReversed();
    // Whoever waited for the balance knows an older time than who had it.
    service.shiftMs(-5_000);
    await creditByCommand(shop, 11, 'late');
    assert.equal((await shop.order()).body.payment_status, 'paid');
    await finance.request('POST', `/orders/${first.id}/refunds`, { amount_gbp: 1, reason: 'late' });
    const unpaid = (await shop.order({ items: [{ product_id: shop.productId, variant_sku: shop.sku, quantity: 2 }] }))
      .body;
    assert.equal(unpaid.payment_status, 'failed');
    await credit(accountOf(shop), { amount_gbp: 500, reference: 'enough' });
    service.shiftMs(5_000);
    const found = await entries();
    assert.deepEqual(
      found.map(({ type }) => type),
      ['top_up', 'charge', 'top_up', 'charge', 'refund', 'top_up', 'charge'],
    );
    const times = found.map(({ created_at: at }) => at);
    assert.deepEqual(times, times.toSorted());
    assert.equal(times[2], times[1], 'moved up to the entry before it');
    for (const [index, { created_at: at, balance_after: balance }] of found.entries()) {
      if (times[index + 1] === at) continue;
      const then = await shop.customer.request<AccountBalance>('GET', `/account/balance?at=${at}`);
      assert.equal(then.body.balance, balance, `at ${at}`);
    }
  });
});
